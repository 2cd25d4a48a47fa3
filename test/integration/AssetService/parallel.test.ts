import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Handler } from '../../support/httpService';
import { startNode } from '../../support/runNode';
import { gate } from '../../support/wait';
import { stopWorlds } from '../../unit/service/world';
import { assetWorld, failure, list, optionsFor, run, serving } from './runs';

afterEach(stopWorlds);

const inputOf = (count: number) =>
	Array.from({ length: count }, (_, n) => ({ endpoint: `we_${n}` }));
const deliveries = {
	resource: 'delivery',
	operation: 'getAll',
	endpointId: '={{ $json.endpoint }}',
};

/** Responds only once this many requests wait or no more can arrive; records the highest number that waited. */
function gathering(wanted: number, total: number) {
	const waiting: (() => void)[] = [];
	let answered = 0;
	let most = 0;
	const handler: Handler = async ({ path }) => {
		most = Math.max(most, waiting.length + 1);
		const answer = new Promise<void>((resolve) => waiting.push(resolve));
		if (waiting.length === Math.min(wanted, total - answered)) {
			answered += waiting.length;
			// The last request gets the first response.
			for (const go of waiting.splice(0).reverse()) go();
		}
		await answer;
		return { body: { items: [{ id: `${path} a` }, { id: `${path} b` }], hasMore: false } };
	};
	return { handler, most: () => most };
}

it.each([
	['8 by default', {}, 8],
	['as many as the option says', { parallelItems: 3 }, 3],
	['one at a time', { parallelItems: 1 }, 1],
	['64 at most', { parallelItems: 1000 }, 64],
])('limits the input items in flight, and keeps their order: %s', async (_name, options, most) => {
	const total = most * 3 - (most > 1 ? 1 : 0);
	const service = gathering(most, total);
	const world = await serving(service.handler);
	const parameters = { ...deliveries, options };
	const { items, error } = await run(world, parameters, { input: inputOf(total) });
	expect(error).toBeUndefined();
	expect(service.most()).toBe(most);
	expect(items).toHaveLength(2 * total);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
		items.map((_, index) => ({ item: Math.floor(index / 2) })),
	);
	for (const [index, { json }] of items.entries()) {
		expect(json['id']).toContain(`/we_${Math.floor(index / 2)}/`);
	}
	expect(world.tokensAskedFor()).toBe(1);
	expect(world.service.connections()).toBeLessThanOrEqual(most);
});

it('a failing item keeps the rest from starting', async () => {
	const world = await serving(({ path }) =>
		path.includes('we_2/') ? { status: 400 } : { body: [{ id: 'del_1' }] },
	);
	const options = { parallelItems: 2 };
	const error = await failure(run(world, { ...deliveries, options }, { input: inputOf(50) }));
	expect(error).toMatchObject({ context: { itemIndex: 2 } });
	// The items before it, itself, and the one that the other lane has started in the meantime.
	expect(world.service.requests.length).toBeLessThan(10);
});

/** Forty items for a service or a token route that resets every connection: the node's output and its number of connections. */
async function runAgainst(field: 'baseUrl' | 'authUrl') {
	let attempts = 0;
	const away = createServer((socket) => {
		attempts++;
		socket.resetAndDestroy();
	});
	await once(away.listen(0, '127.0.0.1'), 'listening');
	const world = await assetWorld();
	const url = `http://127.0.0.1:${(away.address() as AddressInfo).port}`;
	const { items } = await run(
		{ ...world, settings: { ...world.settings, [field]: url } },
		{ ...list, options: { parallelItems: 2 } },
		{ input: inputOf(40), onError: 'continueRegularOutput' },
	);
	away.close();
	return { items, attempts };
}

it('detects once that the service or the token route is down, and reports it in each item', async () => {
	// Both at once: most of the time is waits between attempts.
	const runs = await Promise.all([runAgainst('baseUrl'), runAgainst('authUrl')]);
	for (const { items, attempts } of runs) {
		expect(items).toHaveLength(40);
		expect(new Set(items.map(({ json }) => json['error'])).size).toBe(1);
		expect(items[0]?.json['error']).toContain('Could not reach');
		expect(items[39]?.json['message']).toContain('Skipped: the service was already unreachable');
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		// Five attempts each for the two in flight; undici may open one more connection for an attempt.
		expect(attempts).toBeLessThanOrEqual(20);
	}
});

it('Stop ends all items in flight and starts no others', async () => {
	const { opened: underWay, open: all } = gate();
	const world = await serving(() => {
		if (world.service.to('/asset-management/v1/assets').length === 8) all();
		return undefined;
	});
	const started = startNode(
		optionsFor(world, list, { input: inputOf(20), onError: 'continueRegularOutput' }),
	);
	await underWay;
	started.cancel();
	const { run: stored, error } = await started.finished;
	expect(error?.message).toBe('The execution was canceled.');
	expect(stored.status).toBe('canceled');
	expect(world.service.to('/asset-management/v1/assets')).toHaveLength(8);
});
