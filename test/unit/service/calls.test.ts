import { parseApiSettings, SERVICE_INTERFACE } from '../../../lib/service';
import { list, requestOf, resendDelivery } from '../../../lib/service/calls';
import { good } from './entered';

describe('a path', () => {
	it.each([
		['we_1', 'we_1'],
		[' we_1 ', 'we_1'],
		['a/b?c#d%e', 'a%2Fb%3Fc%23d%25e'],
		['../../x', '..%2F..%2Fx'],
		['%2e%2e', '%252e%252e'],
		['$&', '%24%26'],
		['...', '...'],
	])('holds the id %s as %s', (endpointId, encoded) => {
		const { path } = list('delivery', endpointId);
		expect(path).toBe(`/webhooks/v1/webhook-endpoints/${encoded}/deliveries`);
		expect(new URL(`https://example.com${path}`).pathname).toBe(path);
	});

	it.each(['', ' ', '.', '..', ' .. ', '\ud800'])('refuses the id %j', (endpointId) => {
		expect(() => list('delivery', endpointId)).toThrow(/^'Endpoint ID' is /);
	});

	it('names the id that is missing', () => {
		expect(() => resendDelivery(SERVICE_INTERFACE, 'we_1', '')).toThrow("'Delivery ID' is empty");
	});

	it('carries its query encoded', () => {
		const urlOf = (query: Record<string, string>) =>
			requestOf({ ...list('asset'), query }, parseApiSettings(good), undefined).url;
		expect(urlOf({})).toBe('https://api.example.com/asset-management/v1/assets');
		expect(urlOf({ 'a b': 'c&d=ü' })).toBe(`${urlOf({})}?a+b=c%26d%3D%C3%BC`);
	});
});
