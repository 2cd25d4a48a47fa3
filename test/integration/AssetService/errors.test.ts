import { AssetServiceApi } from '../../../credentials/AssetServiceApi.credentials';
import { stopWorlds, type WorldOptions } from '../../unit/service/world';
import { assetWorld, containing, failure, list, perItem, picky, run } from './runs';

afterEach(stopWorlds);

describe('an error', () => {
	it.each<[string, WorldOptions, object, RegExp]>([
		['a wrong client secret', { token: () => ({ status: 401 }) }, {}, /Client Secret/],
		[
			'a token route that repeats the request',
			{ token: ({ body }) => ({ status: 400, body: { message: `invalid client: ${body}` } }) },
			{},
			/Client Secret.*\[redacted\]/,
		],
		['a wrong Base URL', {}, { baseUrl: 'http://127.0.0.1:1' }, /Base URL/],
		['a lacking scope', { api: () => ({ status: 403 }) }, {}, /is not allowed to list assets/],
	])(
		'names the field to correct after %s, and contains no secret',
		async (_name, options, change, words) => {
			const world = await assetWorld(options);
			const credentials = [{ type: new AssetServiceApi(), data: { ...world.settings, ...change } }];
			const error = await failure(run(world, list, { credentials }));
			expect(error.message).toMatch(words);
			expect(error.description).toMatch(/./);
		},
	);

	const input = ['we_1', 'we_bad', 'we_1'].map((endpoint) => ({ endpoint }));

	it('of one input item ends the execution by default, and names the item', async () => {
		const world = await picky('del_1', 'del_2');
		expect(await failure(run(world, perItem, { input }))).toMatchObject({
			message: containing('unknown endpoint'),
			context: { itemIndex: 1 },
		});
	});

	it('of one input item becomes an item if the node continues on fail', async () => {
		const world = await picky('del_1', 'del_2');
		const oneByOne = { ...perItem, options: { parallelItems: 1 } };
		const { items } = await run(world, oneByOne, { input, onError: 'continueRegularOutput' });
		expect(items.map(({ json, pairedItem }) => [json['id'] ?? json['error'], pairedItem])).toEqual([
			['del_1', { item: 0 }],
			['del_2', { item: 0 }],
			[containing('unknown endpoint'), { item: 1 }],
			['del_1', { item: 2 }],
			['del_2', { item: 2 }],
		]);
		expect(world.tokensAskedFor()).toBe(1);
		expect(world.service.connections()).toBe(1);
	});
});
