/** An unreadable parameter is an error before any request: without its filter, a list would return everything. */
import type { IExecuteFunctions, INodeParameters, INodeType } from 'n8n-workflow';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { stopWorlds } from '../../unit/service/world';
import { ASSETS, assetWorld, containing, DELIVERIES, failure, list, records, run } from './runs';

afterEach(stopWorlds);

const deliveries = { resource: 'delivery', operation: 'getAll', endpointId: 'we_1' };

it.each<[string, INodeParameters, string]>([
	['a filter that is an object', { filters: { chargingStationMake: '={{ { a: 1 } }}' } }, 'Make'],
	['a filter that is null', { filters: { firmwareVersion: '={{ null }}' } }, 'Firmware Version'],
	['a filter with a list of objects', { filters: { assetGroups: '={{ [{}] }}' } }, 'Asset Groups'],
	['an items path that is an object', { options: { itemsPath: '={{ {} }}' } }, 'Items Path'],
	[
		'a query parameter that is an object',
		{ options: { queryParameters: { parameter: [{ name: 'a', value: '={{ {} }}' }] } } },
		'Query Parameters',
	],
	['a Return All that is neither', { returnAll: '={{ "perhaps" }}' }, 'Return All'],
	['a Return All that is an object', { returnAll: '={{ {} }}' }, 'Return All'],
	['a status that is an object', { ...deliveries, status: '={{ {} }}' }, 'Status'],
	['an operation that there is not', { operation: 'purge' }, "'purge'"],
	['a resource that there is not', { resource: 'nothing' }, "'nothing'"],
])('%s', async (_name, parameters, label) => {
	const world = await assetWorld();
	expect(await failure(run(world, { ...list, ...parameters }))).toMatchObject({
		message: containing(label),
		description: expect.stringMatching(/./) as string,
	});
	expect(world.service.to(ASSETS)).toEqual([]);
	expect(world.service.to(DELIVERIES)).toEqual([]);
});

/** n8n-core drops such values when it loads a workflow, so here the context provides them. */
it.each<[string, string, unknown, string]>([
	['a filter of another name', 'filters', { make: 'ABB' }, "'make'"],
	['filters that are a text', 'filters', 'ABB', 'Filters'],
	['filters that are a list', 'filters', ['ABB'], 'Filters'],
	['options that are a text', 'options', 'no', 'Options'],
	['query parameters that are a text', 'options', { queryParameters: 'a=b' }, 'Query Parameters'],
])('%s', async (_name, parameter, value, label) => {
	const node: INodeType = Object.assign(new AssetService(), {
		async execute(this: IExecuteFunctions) {
			const getNodeParameter = (...[name, ...rest]: [string, number, unknown]) =>
				name === parameter ? value : this.getNodeParameter(name, ...rest);
			const context = Object.create(this, {
				getNodeParameter: { value: getNodeParameter },
			}) as unknown;
			return await new AssetService().execute.call(context as IExecuteFunctions);
		},
	});
	const world = await assetWorld();
	expect((await failure(run(world, list, { node }))).message).toContain(label);
	expect(world.service.to(ASSETS)).toEqual([]);
});

it.each([
	['false', 50],
	['={{ "false" }}', 50],
	['={{ " True " }}', 230],
	['={{ true }}', 230],
])('Return All as %s lists %d', async (returnAll, count) => {
	const world = await assetWorld();
	expect(await records(run(world, { ...list, returnAll }))).toHaveLength(count);
});

it('a filter can be a number or a list of texts', async () => {
	const world = await assetWorld();
	const filters = { firmwareVersion: '={{ 2 }}', assetGroups: '={{ ["g1", 2] }}' };
	await records(run(world, { ...list, filters }));
	expect(world.service.to(ASSETS)[0]?.query).toMatchObject({
		firmwareVersion: '2',
		assetGroups: 'g1,2',
	});
});
