/** From which moment on events start the workflow. */
import { UntimedError } from '../../../lib/follow';
import { hintOf } from '../../../lib/shared/errors';
import { downFrom, eventAt, eventsAt, MINUTE, pollWorld, START } from './pollWorld';

const NOW = { startFrom: 'now' } as const;
const at = (minute: number) => START + minute * MINUTE;

it.each([
	['the newest first', (minutes: number[]) => minutes],
	['the oldest first', (minutes: number[]) => minutes.toReversed()],
])('starts nothing of before and everything of after, %s', async (_order, ordered) => {
	const world = pollWorld(NOW);
	world.now = at(101);
	world.list = eventsAt(...ordered(downFrom(100, 1)));
	await world.poll();
	expect(world.state().publishedAt).toBe(at(100));
	world.list = eventsAt(...ordered(downFrom(105, 1)));
	world.now = at(106);
	await world.poll();
	await world.poll();
	expect(world.started()).toEqual(['e101', 'e102', 'e103', 'e104', 'e105']);
});

it('starts no old event because two new ones are listed out of order', async () => {
	const world = pollWorld(NOW);
	world.now = at(1_501);
	world.list = eventsAt(...downFrom(1_500, 1));
	await world.poll();
	world.list.unshift(eventAt(1_501), eventAt(1_502));
	await world.poll();
	expect(world.started()).toEqual(['e1501', 'e1502']);
	expect(world.requests.length).toBeLessThan(5);
});

it('starts no old event without a time, if only one page was read at publication', async () => {
	const world = pollWorld({ ...NOW, pageSize: 3 });
	world.now = at(101);
	world.list = [...eventsAt(100, 99, 80), { id: 'old', eventType: 'wanted' }];
	await world.poll();
	expect(world.requests).toHaveLength(1);
	await world.poll();
	expect(world.started()).toEqual([]);
});

it('separates events listed then from events created in the same moment', async () => {
	const world = pollWorld(NOW);
	world.now = at(10);
	world.list = eventsAt(9, 8);
	await world.poll();
	world.list.unshift(eventAt(9, 'same moment'));
	await world.poll();
	expect(world.started()).toEqual(['same moment']);
});

it('takes n8n’s own time when an event is dated ahead, and starts that one neither', async () => {
	const world = pollWorld(NOW);
	world.now = at(10);
	world.list = eventsAt(2_000, 8);
	await world.poll();
	expect(world.state().publishedAt).toBe(at(10));
	world.list.splice(1, 0, eventAt(11));
	world.now = at(12);
	await world.poll();
	expect(world.started()).toEqual(['e11']);
});

it.each([
	['the service’s own time, so that a clock that is behind loses nothing', at(5), at(5)],
	['n8n’s time if the service sends none', undefined, at(60)],
])('takes from an empty list %s', async (_what, serviceDate, publishedAt) => {
	const world = pollWorld(NOW);
	world.now = at(60);
	world.serviceDate = serviceDate;
	await world.poll();
	expect(world.state().publishedAt).toBe(publishedAt);
	world.list = eventsAt(61);
	await world.poll();
	expect(world.started()).toEqual(['e61']);
});

it('starts nothing that was listed at publication, if there was no time to read the list to its end', async () => {
	const world = pollWorld({ ...NOW, clock: () => world.requests.length });
	world.now = at(201);
	world.list = eventsAt(...downFrom(200, 1).reverse());
	await world.poll({ budgetMs: 5 });
	expect(world.state().publishedAt).toBe(at(201));
	world.list.push(eventAt(202));
	world.now = at(203);
	for (let polls = 0; polls < 3; polls++) await world.poll();
	expect(world.started()).toEqual(['e202']);
});

it('starts an event of before that n8n had stored and never began', async () => {
	const world = pollWorld(NOW);
	world.now = at(10);
	world.list = eventsAt(9, 8, 7);
	await world.poll();
	world.ledger.put(world.entry('e8'), 'overdue');
	await world.poll();
	expect(world.started()).toEqual(['e8']);
});

describe('a list without times', () => {
	const untimed = downFrom(50, 1).map((n) => ({ id: `u${n}`, eventType: 'wanted' }));

	it.each([NOW, { startFrom: 'retained' } as const])(
		'is refused, and nothing of it starts: %j',
		async (from) => {
			const world = pollWorld(from);
			world.list = untimed;
			for (let polls = 0; polls < 2; polls++) {
				const error = await world.poll().catch((thrown: unknown) => thrown);
				expect(error).toBeInstanceOf(UntimedError);
				expect(hintOf(error)).toMatch(/set the path of the time.*use the Asset Service Trigger/);
			}
			expect(world.started()).toEqual([]);
		},
	);

	it('is refused later, too, and is followed once it has them', async () => {
		const world = pollWorld(NOW);
		await world.poll();
		world.list = untimed;
		await expect(world.poll()).rejects.toThrow('have no time of creation');
		world.list = eventsAt(61, 60);
		world.now = at(62);
		await world.poll();
		expect(world.started()).toEqual(['e60', 'e61']);
	});
});

describe('reads at publication', () => {
	const minute = (count: number) => downFrom(count, 1).map((n) => n / 60);

	it.each([
		['a list of the newest first until its order is sure', minute(200), 2_000, 5],
		['further for events dated ahead, which it is to know', minute(200), 1.5, 6],
		[
			'further for all of the newest time',
			[...Array<number>(110).fill(200 / 60), ...minute(199)],
			2_000,
			10,
		],
		['a list of the oldest first to its end', minute(100).toReversed(), 2_000, 5],
		['a list of a minute to its end: its order is unknown', minute(60), 2_000, 3],
	])('%s', async (_what, minutes, now, requests) => {
		const world = pollWorld({ ...NOW, pageSize: 21 });
		world.now = at(now);
		world.list = minutes.map((each, n) => eventAt(each, `e${n}`));
		await world.poll();
		expect(world.requests).toHaveLength(requests);
	});

	it('nothing for all that is retained, but what it starts', async () => {
		const world = pollWorld();
		world.list = eventsAt(2, 1);
		await world.poll();
		expect([world.requests, world.started()]).toStrictEqual([[undefined], ['e1', 'e2']]);
	});
});

it('starts, when the ledger has lost its data, events created since the last poll, none older, and logs one line about it', async () => {
	const world = pollWorld(NOW);
	world.now = at(100);
	world.list = eventsAt(99, 98);
	await world.poll();
	world.list.unshift(eventAt(100));
	await world.poll();
	world.ledger.entries.clear();
	world.ledger.records.clear();
	world.list.unshift(...eventsAt(105, 104, 103));
	world.now = at(106);
	await world.poll();
	expect(world.started()).toEqual(['e100', 'e103', 'e104', 'e105']);
	await world.poll();
	expect(world.started()).toHaveLength(4);
	expect(world.warnings).toEqual([
		expect.stringMatching(/was replaced or lost its data.*2026-01-10T01:40/),
	]);
});

it('with another choice is a first one, whatever was polled with that choice before', async () => {
	const world = pollWorld();
	world.list = eventsAt(2, 1);
	world.now = at(3);
	await world.poll({ isWanted: () => false });
	world.kept = { as: 'now', publishedAt: 0, at: at(1), polls: 0 };
	await world.poll(NOW);
	expect([world.started(), world.warnings]).toEqual([[], []]);
	expect(world.state()).toMatchObject({ as: 'now', publishedAt: at(2) });
});
