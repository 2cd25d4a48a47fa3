/** One poll as a whole: its requests, and its log lines for the operator. */
import { LedgerUnavailableError } from '../../../lib/ledger';
import { MOST_AT_ONCE } from '../../../lib/poll/poll';
import { downFrom, eventAt, eventsAt, type Listed, MINUTE, pollWorld, START } from './pollWorld';

const at = (minute: number) => START + minute * MINUTE;

it('warns of nothing, and asks the ledger for an event once before it starts it', async () => {
	const world = pollWorld();
	world.list = eventsAt(2, 1);
	await world.poll();
	expect(world.warnings).toEqual([]);
	expect(world.ledger.calls.slice(0, world.ledger.calls.indexOf('claim'))).toEqual([
		...['readRecord', 'swapRecord', 'look', 'look', 'readRecord', 'swapRecord'],
	]);
});

it('leaves the rest to the next poll when the ledger fails while events start, and says so', async () => {
	const world = pollWorld();
	world.list = eventsAt(2, 1);
	const claim = jest.spyOn(world.ledger, 'claim');
	claim.mockRejectedValueOnce(new LedgerUnavailableError('The disk is full'));
	await world.poll();
	expect(world.warnings).toEqual([
		expect.stringMatching(/^the next poll continues with the rest: .*The disk is full/),
	]);
	expect(world.state().frontier).toBe(0);
	await world.poll();
	expect(world.started()).toEqual(['e1', 'e2']);
});

it('lists nothing while the poll before is still starting events', async () => {
	const world = pollWorld();
	world.list = eventsAt(2, 1);
	const { promise: begun, resolve: begin } = Promise.withResolvers<true>();
	const { promise: ended, resolve: end } = Promise.withResolvers<'succeeded'>();
	world.fate = async () => {
		begin(true);
		return await ended;
	};
	const first = world.poll();
	await begun;
	await world.poll();
	expect(world.requests).toStrictEqual([]);
	end('succeeded');
	await first;
	await world.poll();
	expect(world.requests).toStrictEqual([undefined]);
});

it('ends listing when its time is over, after two requests at least, and continues there', async () => {
	const world = pollWorld();
	world.list = eventsAt(...downFrom(30, 1));
	world.now = at(31);
	await world.poll({ budgetMs: 0 });
	expect(world.requests).toStrictEqual([undefined, 'e21']);
	await world.poll({ budgetMs: 0 });
	expect(world.requests).toContain('e11');
});

it('starts no event that was filtered out before when the filter is widened, and the new ones', async () => {
	const world = pollWorld();
	world.list = eventsAt(...downFrom(250, 1));
	world.now = at(251);
	await world.poll({ wanted: 'e250', isWanted: ({ id }) => id === 'e250' });
	world.list.unshift(...eventsAt(252, 251));
	for (const minute of [253, 264, 325, 2_000]) {
		world.now = at(minute);
		await world.poll({ wanted: 'all' });
	}
	expect(world.started()).toEqual(['e250', 'e251', 'e252']);
});

it('starts no event that was filtered out before, though another one waited when the filter was widened', async () => {
	const world = pollWorld();
	world.list = eventsAt(...downFrom(250, 1));
	world.now = at(251);
	const ids = ['e50', 'e160'];
	const put = (id: string, state: 'pending' | 'overdue' | 'begun') => {
		world.ledger.put(world.entry(id), state);
	};
	put('e50', 'pending');
	world.ledger.put(world.entry('e160'), 'failed', { repeats: true, attempts: 1, at: Date.now() });
	await world.poll({ wanted: 'some', isWanted: ({ id }) => ids.includes(id) });
	expect(world.state().frontier).toBe(at(50));
	await world.poll({ wanted: 'all' });
	put('e50', 'begun');
	await world.poll({ wanted: 'all' });
	expect(world.state().frontier).toBe(at(250));
	const before = world.started();
	put('e160', 'overdue');
	await world.poll({ wanted: 'all' });
	expect(world.started()).toEqual([...before, 'e160']);
});

describe('looks back', () => {
	/** A world that has polled once, so that a look back is due an hour later, which begins ten minutes before that poll. */
	async function anHourLater(pending = 'none') {
		const world = pollWorld({ pageSize: 3 });
		world.list = eventsAt(...downFrom(100, 1));
		world.ledger.put(world.entry(pending), 'pending');
		world.now = at(101);
		await world.poll();
		world.list.unshift(...eventsAt(...downFrom(161, 101)));
		world.now = at(162);
		return world;
	}

	it('once what is new has started', async () => {
		const world = await anHourLater();
		world.list.splice(161 - 90, 0, eventAt(90, 'late'));
		const requests: number[] = [];
		world.fate = async () => {
			requests.push(world.requests.length);
			return 'succeeded';
		};
		world.runs = [];
		await world.poll();
		const started = world.started();
		expect(started).toEqual([
			...downFrom(161, 101)
				.reverse()
				.map((n) => `e${n}`),
			'late',
		]);
		const [first = 0, last = 0] = [requests[0], requests.at(-1)];
		expect(new Set(requests.slice(0, -1))).toEqual(new Set([first]));
		expect(last).toBeGreaterThan(first);
	});

	it('and does not lose an event that becomes overdue meanwhile', async () => {
		const world = await anHourLater('e50');
		world.fate = async () => {
			world.ledger.put(world.entry('e50'), 'overdue');
			return 'succeeded';
		};
		await world.poll();
		expect(world.started()).not.toContain('e50');
		await world.poll();
		expect(world.started().at(-1)).toBe('e50');
	});

	it('only as long as there is time, and goes on in the next polls', async () => {
		const world = await anHourLater();
		// Each request takes a millisecond.
		const clock = () => world.requests.length;
		const looks = () => world.state().position.stretches.filter(({ kind }) => kind === 'look');
		await world.poll({ clock, budgetMs: 23 });
		expect(world.requests).toHaveLength(23);
		expect(looks()).toMatchObject([{ backTo: at(90) }]);
		await world.poll({ clock, budgetMs: 23 });
		expect(looks()).toEqual([]);
	});

	it('and says so if it cannot', async () => {
		const world = await anHourLater();
		world.failures.set('e93', new Error('Busy'));
		await world.poll();
		expect(world.warnings).toEqual(['the next poll continues with the rest: Busy']);
		world.failures.clear();
		await world.poll();
		expect(world.state().position.stretches).toEqual([]);
	});
});

it('reads what is new once, though it is too much to start at once', async () => {
	const world = pollWorld({ pageSize: 100, batchSize: 1_000 });
	const count = 2 * MOST_AT_ONCE + 500;
	world.list = downFrom(count, 1).map((n) => eventAt(n / 1_000, `e${n}`));
	world.now = at(count / 1_000 + 1);
	await world.poll();
	expect(new Set(world.started()).size).toBe(count);
	expect(world.requests).toHaveLength(count / 100);
});

it.each([
	['newest', (list: Listed[]) => list],
	['oldest', (list: Listed[]) => list.reverse()],
])(
	'starts events in the order of the list if one has no time, the %s first',
	async (_first, ordered) => {
		const world = pollWorld({ pageSize: 2 });
		world.list = ordered([
			eventAt(5),
			{ id: 'untimed', eventType: 'wanted' },
			eventAt(4),
			eventAt(3),
		]);
		world.now = at(6);
		await world.poll();
		expect(world.started()).toEqual(['e3', 'e4', 'untimed', 'e5']);
	},
);
