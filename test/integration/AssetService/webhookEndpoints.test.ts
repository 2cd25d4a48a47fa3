import { stopWorlds } from '../../unit/service/world';
import { ENDPOINTS, failure, records, run, serving } from './runs';

afterEach(stopWorlds);

describe('webhook endpoints', () => {
	const create = {
		resource: 'webhookEndpoint',
		operation: 'create',
		url: 'https://n8n.example.com/webhook/1',
		events: ['ocpp.message', ' asset.connectivity ', 'ocpp.message'],
	};
	const made = { data: { id: 'we_1', secret: 'whsec_1', note: 'keep whsec_1 safe', n: [null, 1] } };

	it('are created, and show their secret', async () => {
		const world = await serving(() => ({ status: 201, body: made }));
		expect(await records(run(world, create))).toEqual([made.data]);
		const request = world.service.requests.at(-1);
		expect(request).toMatchObject({ method: 'POST', path: ENDPOINTS });
		expect(JSON.parse(request?.body ?? '')).toEqual({
			url: create.url,
			events: ['ocpp.message', 'asset.connectivity'],
		});
	});

	it('are created without their secret anywhere in the output when it is to be left out', async () => {
		const world = await serving(() => ({ status: 201, body: made }));
		const result = run(world, { ...create, includeSecret: false });
		expect(await records(result)).toEqual([
			{ id: 'we_1', note: 'keep [redacted] safe', n: [null, 1] },
		]);
		expect(JSON.stringify((await result).run)).not.toContain('whsec_1');
	});

	it.each([
		['http://n8n.example.com/webhook', 'URL is not an https address.'],
		['n8n.example.com', 'URL is not an https address.'],
		['={{ "" }}', 'URL is empty.'],
	])('are not created for %s', async (url, message) => {
		const world = await serving(() => ({ body: made }));
		expect(await failure(run(world, { ...create, url }))).toMatchObject({ message });
		expect(world.service.requests).toEqual([]);
	});

	it('are not created without events', async () => {
		const world = await serving(() => ({ body: made }));
		expect(await failure(run(world, { ...create, events: '={{ [] }}' }))).toMatchObject({
			message: 'Events is empty.',
		});
	});

	it('are deleted', async () => {
		const world = await serving(() => ({ status: 204 }));
		const remove = { resource: 'webhookEndpoint', operation: 'delete', endpointId: 'we_1' };
		expect(await records(run(world, remove))).toEqual([{ success: true }]);
		expect(world.service.requests.at(-1)).toMatchObject({
			method: 'DELETE',
			path: `${ENDPOINTS}/we_1`,
		});
	});

	it('that are not there cannot be deleted', async () => {
		const world = await serving(() => ({ status: 404 }));
		const remove = { resource: 'webhookEndpoint', operation: 'delete', endpointId: 'we_1' };
		expect(await failure(run(world, remove))).toMatchObject({
			message: 'The service knows no such endpoint.',
			httpCode: '404',
		});
	});
});
