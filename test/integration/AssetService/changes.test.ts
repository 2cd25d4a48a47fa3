/** Operations that change something, for several input items. The service counts the requests. */
import type { INodeParameters } from 'n8n-workflow';
import { stopWorlds } from '../../unit/service/world';
import { containing, ENDPOINTS, failure, run, serving } from './runs';

afterEach(stopWorlds);

const TEN = Array.from({ length: 10 }, (_, n) => ({ n, id: `we_${n}` }));
const create = {
	resource: 'webhookEndpoint',
	operation: 'create',
	url: '=https://n8n.example.com/webhook/{{ $json.n }}',
	events: ['ocpp.message'],
};
const remove = { resource: 'webhookEndpoint', operation: 'delete', endpointId: '={{ $json.id }}' };
const resend = {
	resource: 'delivery',
	operation: 'resend',
	endpointId: 'we_1',
	deliveryId: '={{ $json.id }}',
};
const OPERATIONS: [string, INodeParameters][] = [
	['create', create],
	['delete', remove],
	['resend', resend],
];

/**
 * A service that records the items it is asked to change, and rejects the item `refused` a given number of times. It
 * responds once as many requests as `together` are waiting.
 */
async function changing({ refused = -1, times = Infinity, together = 1 } = {}) {
	const changed: number[] = [];
	const waiting: (() => void)[] = [];
	let most = 0;
	let refusals = 0;
	const world = await serving(async ({ path, body }) => {
		const answered = new Promise<void>((resolve) => waiting.push(resolve));
		most = Math.max(most, waiting.length);
		// Later, so that another request can arrive in the meantime.
		if (waiting.length >= together) {
			setImmediate(() => {
				for (const go of waiting.splice(0)) go();
			});
		}
		await answered;
		const item = Number(/(?:we_|webhook\/)(\d)(?:"|$|\/resend)/.exec(path + body)?.[1]);
		if (item === refused && refusals++ < times) return { status: 422, body: { message: 'no' } };
		changed.push(item);
		return { body: { data: { id: `made_${item}`, secret: `whsec_${item}` } } };
	});
	return { world, changed, most: () => most };
}

describe.each(OPERATIONS)('%s for ten items', (_name, parameters) => {
	const done = (item: number) =>
		parameters === remove ? { deleted: true } : { id: `made_${item}` };

	it('sends one after the other', async () => {
		const { world, changed, most } = await changing();
		const { items, error } = await run(world, parameters, { input: TEN });
		expect(error).toBeUndefined();
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(TEN.map((_, item) => ({ item })));
		expect(changed).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
		expect(most()).toBe(1);
	});

	it('sends several at once if Parallel Items is higher', async () => {
		const { world, most } = await changing({ together: 5 });
		const options = { parallelItems: 5 };
		expect((await run(world, { ...parameters, options }, { input: TEN })).error).toBeUndefined();
		expect(most()).toBe(5);
	});

	it('stops at the first failure, and reports what was done', async () => {
		const { world, changed } = await changing({ refused: 1 });
		const error = await failure(run(world, parameters, { input: TEN }));
		expect(changed).toEqual([0]);
		expect(error).toMatchObject({
			context: { itemIndex: 1 },
			description: containing('1 of 10 items was done before the failure (item index 0)'),
		});
		expect(JSON.stringify(error)).not.toContain('whsec_');
	});

	it.each([
		['goes on to succeed', 1, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
		['fails for good', Infinity, [0, 1, 2]],
	])('does nothing twice with Retry On Fail that %s', async (_name, times, expected) => {
		const { world, changed } = await changing({ refused: expected.length === 3 ? 3 : 2, times });
		const { items, error } = await run(world, parameters, { input: TEN, tries: 3 });
		expect(changed).toEqual(expected);
		expect(error === undefined).toBe(expected.length === 10);
		expect(items).toHaveLength(error ? 0 : 10);
		if (!error) expect(items[0]?.json).toMatchObject(done(0));
		else expect(error.description).toContain('3 of 10 items were done');
	});

	it('continues after a failure if the node continues on fail, and does nothing twice', async () => {
		const { world, changed } = await changing({ refused: 0 });
		const { items } = await run(world, parameters, {
			input: TEN,
			tries: 3,
			onError: 'continueRegularOutput',
		});
		expect(changed).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
		expect(items).toHaveLength(10);
		expect(items[0]?.json['error']).toContain('422');
		expect(items[9]).toMatchObject({ json: done(9), pairedItem: { item: 9 } });
	});
});

describe.each<[string, INodeParameters, string]>([
	['create', { ...create, url: '={{ $json.n === 1 ? "ftp://x" : "https://a.example" }}' }, 'URL'],
	[
		'create without event types',
		{ ...create, events: '={{ $json.n === 1 ? [] : ["a.b"] }}' },
		'Event Types',
	],
	['delete', { ...remove, endpointId: '={{ $json.n === 1 ? ".." : $json.id }}' }, 'Endpoint ID'],
	['delete without an ID', { ...remove, endpointId: '={{ $json.n === 1 ? "" : "we_1" }}' }, 'End'],
	['resend', { ...resend, deliveryId: '={{ $json.n === 1 ? ".." : $json.id }}' }, 'Delivery ID'],
	['resend elsewhere', { ...resend, endpointId: '={{ $json.n === 1 ? "." : "we_1" }}' }, 'End'],
])('%s for ten items of which the second is invalid', (_name, parameters, named) => {
	it('sends nothing', async () => {
		const { world } = await changing();
		const error = await failure(run(world, parameters, { input: TEN, tries: 3 }));
		expect(error).toMatchObject({ message: containing(named), context: { itemIndex: 1 } });
		expect(world.service.requests).toEqual([]);
	});

	it('sends the others if the node continues on fail', async () => {
		const { world } = await changing();
		const { items } = await run(world, parameters, {
			input: TEN,
			onError: 'continueRegularOutput',
		});
		expect(items.map(({ json }) => 'error' in json)).toEqual(TEN.map(({ n }) => n === 1));
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(TEN.map(({ n }) => ({ item: n })));
		const sent = world.service.requests.filter(({ path }) => path.startsWith(ENDPOINTS));
		expect(sent).toHaveLength(9);
	});
});

it('Retry On Fail of one execution does not affect another', async () => {
	const { world, changed } = await changing();
	for (let time = 0; time < 2; time++) {
		await run(world, create, { input: TEN.slice(0, 2), tries: 2 });
	}
	expect(changed).toEqual([0, 1, 0, 1]);
});
