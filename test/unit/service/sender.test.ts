import { LISTS, SERVICE_INTERFACE } from '../../../lib/service';
import { pathWith } from '../../../lib/service/sender';

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
		const path = pathWith(LISTS.delivery.path, { endpointId });
		expect(path).toBe(`/webhooks/v1/webhook-endpoints/${encoded}/deliveries`);
		expect(new URL(`https://example.com${path}`).pathname).toBe(path);
	});

	it.each(['', ' ', '.', '..', ' .. ', '\ud800'])('refuses the id %j', (endpointId) => {
		expect(() => pathWith(LISTS.delivery.path, { endpointId })).toThrow(/^'Endpoint ID' is /);
	});

	it('names the id that is missing', () => {
		expect(() => pathWith(SERVICE_INTERFACE.resendPath, { endpointId: 'we_1' })).toThrow(
			"'Delivery ID' is empty",
		);
	});
});
