import { endpointIdIn } from '../../../../nodes/AssetService/shared/ids';

describe('the ID of an endpoint in a pasted address', () => {
	it.each([
		['https://api.example.com/webhooks/v1/webhook-endpoints/we_1', 'we_1'],
		['https://api.example.com/webhooks/v1/webhook-endpoints/we_1/deliveries?limit=1', 'we_1'],
		['https://api.example.com/webhooks/v1/webhook-endpoints/an%2Fid/', 'an/id'],
		['https://app.example.com/developers/webhooks/we_01HZ-x_Y', 'we_01HZ-x_Y'],
		['https://app.example.com/#/developers/webhooks/we_1?tab=deliveries', 'we_1'],
		['http://127.0.0.1:1/webhooks/v1/webhook-endpoints/7', '7'],
	])('%s is %s', (address, id) => {
		expect(endpointIdIn(address)).toBe(id);
	});

	it.each([
		'https://api.example.com/',
		'https://api.example.com/webhooks/v1/webhook-endpoints/',
		'https://api.example.com/?id=x',
		'no address',
	])('%s has none', (address) => {
		expect(endpointIdIn(address)).toBeUndefined();
	});
});
