import type { IExecuteFunctions, INodeType } from 'n8n-workflow';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { stopWorlds } from '../../unit/service/world';
import { containing, ENDPOINTS, failure, records, run, serving } from './runs';

afterEach(stopWorlds);

describe('webhook endpoints', () => {
	const create = {
		resource: 'webhookEndpoint',
		operation: 'create',
		url: 'https://n8n.example.com/webhook/1',
		events: ['ocpp.message', ' asset.connectivity ', 'ocpp.message'],
	};
	const made = { data: { id: 'we_1', secret: 'whsec_1', note: 'keep whsec_1 safe', n: [null, 1] } };

	/** The service creates an endpoint. */
	const creating = (body: unknown = made) => serving(() => ({ status: 201, body }));

	it('are created, and show their secret', async () => {
		const world = await creating();
		expect(await records(run(world, create))).toEqual([made.data]);
		const request = world.service.requests.at(-1);
		expect(request).toMatchObject({ method: 'POST', path: ENDPOINTS });
		expect(JSON.parse(request?.body ?? '')).toEqual({
			url: create.url,
			events: ['ocpp.message', 'asset.connectivity'],
		});
	});

	it('are created for selected and entered types', async () => {
		const world = await creating();
		const events = ['ocpp.message', '__other__'];
		await records(run(world, { ...create, events, otherEventTypes: 'site.created, ocpp.message' }));
		expect(JSON.parse(world.service.requests.at(-1)?.body ?? '')).toEqual({
			url: create.url,
			events: ['ocpp.message', 'site.created'],
		});
	});

	it('are created without their secret anywhere in the output if it is to be left out', async () => {
		const world = await creating();
		const result = run(world, { ...create, includeSecret: false });
		expect(await records(result)).toEqual([
			{ id: 'we_1', note: 'keep [redacted] safe', n: [null, 1] },
		]);
		expect(JSON.stringify((await result).run)).not.toContain('whsec_1');
	});

	const unknownFields = [
		['signingSecret', { id: 'we_1', signingSecret: 'whsec_1' }],
		['signing_secret', { id: 'we_1', signing_secret: 'whsec_1' }],
		['endpoint.secret', { id: 'we_1', endpoint: { secret: 'whsec_1' } }],
		['a name that says nothing', { id: 'we_1', value: 'whsec_1', list: ['whsec_1'] }],
	] as const;
	const all = { id: 'we_1', url: create.url, events: ['ocpp.message', 'asset.connectivity'] };

	it.each(unknownFields)(
		'show everything but the secret if it is to be left out and is in %s',
		async (_name, data) => {
			const state = { status: 'enabled', createdAt: '2026-01-01T00:00:00Z' };
			const world = await creating({ data: { ...data, ...state } });
			const { items, hints, run: stored } = await run(world, { ...create, includeSecret: false });
			expect(items.map(({ json }) => json)).toEqual([{ ...all, ...state }]);
			expect(hints).toMatchObject([{ type: 'warning', message: containing('field') }]);
			expect(JSON.stringify(stored)).not.toContain('whsec_1');
		},
	);

	it('also leave out a second secret', async () => {
		const body = { data: { id: 'we_1', secret: 's-1', previous: { signing_key: 's-2', age: 1 } } };
		const world = await creating(body);
		const result = run(world, { ...create, includeSecret: false });
		expect(await records(result)).toEqual([{ id: 'we_1', previous: { age: 1 } }]);
	});

	it.each(['false', '={{ "False" }}', '={{ 0 }}'])(
		'leave out their secret if Include Secret is %s',
		async (includeSecret) => {
			const world = await creating();
			const result = await run(world, { ...create, includeSecret });
			expect(result.error).toBeUndefined();
			expect(JSON.stringify(result.run)).not.toContain('whsec_1');
		},
	);

	it('are not created if Include Secret cannot be read', async () => {
		const world = await creating();
		const includeSecret = '={{ { never: true } }}';
		expect(await failure(run(world, { ...create, includeSecret }))).toMatchObject({
			message: "'Include Secret' is neither true nor false",
		});
		expect(world.service.requests).toEqual([]);
	});

	/** Called by an agent that runs its tools itself, with the context that n8n then passes. */
	const calledByAgent: INodeType = Object.assign(new AssetService(), {
		async execute(this: IExecuteFunctions) {
			const context = Object.create(this, { isToolExecution: { value: () => true } }) as unknown;
			return await new AssetService().execute.call(context as IExecuteFunctions);
		},
	});

	it.each([
		['the engine', { asTool: true }],
		['an agent', { node: calledByAgent }],
	])('never show their secret to a model, as a tool run by %s', async (_name, how) => {
		for (const body of [made, ...unknownFields.map(([, data]) => ({ data }))]) {
			const world = await creating(body);
			const result = await run(world, { ...create, includeSecret: true }, how);
			expect(result.error).toBeUndefined();
			expect(result.items).toMatchObject([{ json: { id: 'we_1' } }]);
			expect(JSON.stringify(result.run)).not.toContain('whsec_1');
		}
	});

	it.each([
		['http://n8n.example.com/webhook', "'URL' is not an https URL"],
		['n8n.example.com', "'URL' is not an https URL"],
		['={{ "" }}', "'URL' is empty"],
	])('are not created for %s', async (url, message) => {
		const world = await creating();
		expect(await failure(run(world, { ...create, url }))).toMatchObject({ message });
		expect(world.service.requests).toEqual([]);
	});

	const remove = { resource: 'webhookEndpoint', operation: 'delete', endpointId: 'we_1' };

	it('are deleted', async () => {
		const world = await serving(() => ({ status: 200, body: { data: { id: 'we_1' } } }));
		expect(await records(run(world, remove))).toEqual([{ deleted: true }]);
		expect(world.service.requests.at(-1)).toMatchObject({
			method: 'DELETE',
			path: `${ENDPOINTS}/we_1`,
			body: '',
		});
	});

	it.each([404, 410])('that do not exist cannot be deleted (%d)', async (status) => {
		const world = await serving(() => ({ status }));
		expect(await failure(run(world, remove))).toMatchObject({
			message: 'The service does not know this endpoint',
			httpCode: '404',
		});
	});
});
