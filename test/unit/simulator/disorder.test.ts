import { runCli } from '../../../simulator/cli';
import { createRandom } from '../../../simulator/data/random';
import { inDisorder } from '../../../simulator/delivery/disorder';
import { waitFor } from '../../support/wait';
import { EVENTS, setUp, START } from './world';

const SEEDS = Array.from({ length: 50 }, (_, index) => index + 1);
const STORY = ['Preparing', 'Charging', 'Finishing', 'Available', 'Faulted', 'Available'].map(
	(status, index) => ({
		id: `whevt_${index}`,
		data: { asset: { id: 'asset_story' }, action: 'StatusNotification', payload: { status } },
		createdAt: new Date(START - 3_600_000 + index * 60_000).toISOString(),
	}),
);
const IDS = STORY.map(({ id }) => id);

describe('a list in disorder', () => {
	it('has every event, one in fifty twice, one in ten behind a later one, none far', () => {
		const events = Array.from({ length: 10_000 }, (_, index) => index);
		const order = inDisorder(events, createRandom(1));
		expect(new Set(order)).toEqual(new Set(events));
		expect(order.length).toBeGreaterThan(10_150);
		expect(order.length).toBeLessThan(10_250);
		const firsts = [...new Set(order)];
		let highest = -1;
		const behind = firsts.map((event) => {
			highest = Math.max(highest, event);
			return highest - event;
		});
		expect(Math.max(...behind)).toBeLessThanOrEqual(5);
		const late = behind.filter((places) => places > 0);
		expect(late.length).toBeGreaterThan(800);
		expect(late.length).toBeLessThan(1_100);
	});

	it.each(SEEDS)('is never in order, nor without a copy, however short: seed %i', (seed) => {
		for (const events of [['a'], ['a', 'b'], IDS]) {
			const order = inDisorder(events, createRandom(seed));
			expect(order).toEqual(inDisorder(events, createRandom(seed)));
			expect([...new Set(order)].sort()).toEqual(events);
			expect(order.length).toBeGreaterThan(events.length);
			if (events.length > 1) expect([...new Set(order)]).not.toEqual(events);
		}
		expect(inDisorder([], createRandom(seed))).toEqual([]);
	});
});

describe('a story that is emitted', () => {
	it('goes out once and in order as documented', async () => {
		const { simulator, subscribe } = await setUp({ now: () => START });
		const { received } = await subscribe();
		const { events, sent } = await simulator.emitAll(STORY);
		expect(events).toMatchObject(STORY);
		expect(sent.map(({ event }) => event)).toEqual(events);
		expect(sent.flatMap(({ responses }) => responses.map(({ status }) => status))).toEqual(
			Array(STORY.length).fill(200),
		);
		expect(received.map(({ body }) => body)).toEqual(events.map((event) => JSON.stringify(event)));
	});

	it('goes out in disorder in the field, among routine messages of other assets', async () => {
		const { simulator, subscribe } = await setUp({ profile: 'field', now: () => START });
		const { received } = await subscribe();
		const { events, sent } = await simulator.emitAll(STORY, { seed: 7 });
		expect(events).toMatchObject(STORY);
		const delivered = received.map(({ body }) => JSON.parse(body) as (typeof events)[number]);
		expect(delivered).toEqual(sent.map(({ event }) => event));
		const own = delivered.filter(({ id }) => IDS.includes(id));
		expect(own.map(({ id }) => id)).toEqual(inDisorder(IDS, createRandom(7)));
		// Each copy is the event as it was made.
		for (const event of own) expect(events).toContainEqual(event);
		const others = delivered.filter(({ id }) => !IDS.includes(id));
		expect(others.length).toBeGreaterThan(0);
		for (const { data } of others) {
			expect(['Heartbeat', 'StatusNotification']).toContain(data['action']);
			expect(data['asset']).not.toEqual({ id: 'asset_story' });
		}
	});

	it('has another order with another seed, and no routine messages without other assets', async () => {
		const { simulator } = await setUp({ profile: 'field', assets: 1 });
		const asset = (await simulator.emit()).event.data['asset'];
		const orders = new Set<string>();
		for (const seed of [1, 2, 3]) {
			const { sent } = await simulator.emitAll(
				STORY.map((event) => ({ ...event, data: { ...event.data, asset } })),
				{ seed },
			);
			expect(new Set(sent.map(({ event }) => event.id))).toEqual(new Set(IDS));
			orders.add(sent.map(({ event }) => event.id).join());
		}
		expect(orders.size).toBe(3);
	});

	it('is created a second apart by default, the last event now', async () => {
		const { simulator } = await setUp({ now: () => START });
		const { events } = await simulator.emitAll([{}, {}, {}]);
		expect(events.map(({ createdAt }) => START - Date.parse(createdAt))).toEqual([2_000, 1_000, 0]);
	});
});

it('an event that is emitted late has its place in the list, and its time', async () => {
	const { simulator, list } = await setUp({ now: () => START, listOrder: 'oldestFirst' });
	await simulator.emit({ id: 'now' });
	for (const [id, daysAgo] of [
		['early', 2],
		['later', 1],
		['forgotten', 31],
	] as const) {
		const createdAt = new Date(START - daysAgo * 86_400_000).toISOString();
		expect((await simulator.emit({ id, createdAt })).event).toMatchObject({ id, createdAt });
	}
	expect((await list(EVENTS)).items.map(({ id }) => id)).toEqual(['early', 'later', 'now']);
	await expect(simulator.emit({ createdAt: 'yesterday' })).rejects.toThrow(RangeError);
});

it('the command line sends events of the field', async () => {
	const lines: string[] = [];
	const argv = ['--profile', 'field', '--assets', '1', '--every', '0.1'];
	const cli = await runCli(argv, (line) => lines.push(line));
	try {
		// Of one station they are heartbeats at first.
		const sent = () => lines.find((line) => /^Sent ocpp\.message whevt_\w+: 200$/.test(line));
		await waitFor(sent, { what: 'a delivery' });
	} finally {
		await cli.stop();
	}
});
