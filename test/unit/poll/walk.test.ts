/** Long ways back, which several polls share, and lists that begin with the oldest. */
import { MOST_REQUESTS } from '../../../lib/poll/bounds';
import { ApiError } from '../../../lib/service';
import { downFrom, eventAt, eventsAt, MINUTE, pollWorld, START } from './pollWorld';

const EVENTS = 1_250;
const ids = (minutes: number[]) => minutes.map((minute) => `e${minute}`);
const sorted = (texts: string[]) => [...texts].sort();

function longWorld(options: Parameters<typeof pollWorld>[0] = {}) {
	const world = pollWorld(options);
	world.list = eventsAt(...downFrom(EVENTS, 1));
	world.now = START + EVENTS * MINUTE;
	return world;
}
const refused = (status: number) => new ApiError('The cursor is unknown', { hint: '', status });

it('spreads a long way back over several polls, each of them bounded, and misses nothing', async () => {
	const world = longWorld();
	await world.poll();
	expect(world.requests).toHaveLength(MOST_REQUESTS);
	expect(world.started()).toEqual(ids(downFrom(EVENTS, EVENTS - 499).toReversed()));
	expect(world.state().frontier).toBe(0);
	world.list.unshift(...eventsAt(...downFrom(EVENTS + 40, EVENTS + 1)));
	world.now += 40 * MINUTE;
	await world.poll();
	expect(world.started()).toEqual(expect.arrayContaining(ids(downFrom(EVENTS + 40, EVENTS + 1))));
	expect(world.requests.length).toBeLessThanOrEqual(MOST_REQUESTS);
	await world.poll();
	expect(sorted(world.started())).toEqual(sorted(ids(downFrom(EVENTS + 40, 1))));
	expect(world.state()).toMatchObject({ frontier: START + (EVENTS + 40) * MINUTE });
	expect(world.state().walk).toBeUndefined();
	await world.poll();
	expect(world.requests).toHaveLength(2);
});

it('returns to an event of a walk that n8n could not store', async () => {
	const world = longWorld();
	world.fate = async ([id]) => (id === 'e1000' ? 'unstored' : 'succeeded');
	await world.poll();
	world.fate = async () => 'succeeded';
	await world.poll();
	await world.poll();
	expect(world.state().frontier).toBe(START + 1_000 * MINUTE);
	await world.poll();
	expect(world.started().filter((id) => id === 'e1000')).toHaveLength(1);
	expect(sorted(world.started())).toEqual(sorted(ids(downFrom(EVENTS, 1))));
});

it('walks from the head again when the service no longer knows where it stopped', async () => {
	const world = longWorld();
	await world.poll();
	const { cursor } = world.state().walk ?? {};
	world.failures.set(cursor, refused(404));
	expect(await world.poll()).toMatchObject({ status: 404 });
	expect(world.state().walk).toBeUndefined();
	world.failures.clear();
	for (let n = 0; n < 3; n++) await world.poll();
	expect(sorted(world.started())).toEqual(sorted(ids(downFrom(EVENTS, 1))));
});

it('continues where it stopped after a page that failed temporarily', async () => {
	const world = longWorld();
	await world.poll();
	const { walk } = world.state();
	world.failures.set(walk?.cursor, refused(503));
	expect(await world.poll()).toMatchObject({ status: 503 });
	expect(world.state().walk).toEqual(walk);
});

it('ends a poll within n8n’s time budget, and continues at the next', async () => {
	const world = longWorld();
	await world.poll({ budgetMs: 0 });
	expect(world.requests).toHaveLength(1);
	expect(world.started()).toEqual(ids(downFrom(EVENTS, EVENTS - 9).toReversed()));
	for (let n = 0; n < 3; n++) await world.poll();
	expect(sorted(world.started())).toEqual(sorted(ids(downFrom(EVENTS, 1))));
});

it('starts nothing twice when two parts of the list overlap', async () => {
	const world = longWorld({ pageSize: 100 });
	await world.poll();
	expect(world.started()).toEqual(ids(downFrom(EVENTS, 1).toReversed()));
});

describe('a list that begins with the oldest', () => {
	const ascending = (newest: number) => eventsAt(...downFrom(newest, 1).toReversed());

	it('is read to its end over several polls, and later from about a day back', async () => {
		const world = longWorld();
		const days = 5_000;
		world.list = ascending(days);
		world.now = START + days * MINUTE;
		for (let n = 0; n < 10; n++) await world.poll();
		expect(world.started()).toEqual(ids(downFrom(days, 1).toReversed()));
		expect(world.state().frontier).toBe(START + days * MINUTE);
		world.list.push(eventAt(days + 1));
		for (let n = 0; n < 3; n++) await world.poll({ pageSize: 100 });
		expect(world.requests.length).toBeLessThan(20);
		expect(world.started().at(-1)).toBe(`e${days + 1}`);
	});

	it('is read from its head again when it is turned around', async () => {
		const world = longWorld({ pageSize: 100 });
		const days = 3_000;
		world.list = ascending(days);
		world.now = START + days * MINUTE;
		await world.poll();
		expect(world.state().anchor).toBeDefined();
		world.list = eventsAt(...downFrom(days + 3, 1));
		await world.poll();
		await world.poll();
		expect(world.started().slice(-3)).toEqual(ids([days + 1, days + 2, days + 3]));
	});
});
