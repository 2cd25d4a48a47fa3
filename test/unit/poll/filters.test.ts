/** Other types or conditions: what a poll has read and left out starts no more; what no poll has read starts by the new ones. */
import fc from 'fast-check';
import { casesOf } from '../../support/cases';
import { downFrom, eventAt, eventsAt, MINUTE, pollWorld, START } from './pollWorld';

const NONE = { isWanted: () => false };
const EVEN = { isWanted: ({ id }: { id: string }) => Number(id.slice(1)) % 2 === 0 };
const ALL = { wanted: 'all' };
const idsOf = (minutes: readonly number[]) => minutes.map((minute) => `e${minute}`).sort();
const even = (minutes: readonly number[]) => minutes.filter((minute) => minute % 2 === 0);

/** How many lists are tried. */
const RUNS = casesOf({ few: 4, all: 30 });

describe.each(['newest', 'oldest'])('in a list that begins with the %s event', (first) => {
	/** Events of each minute up to the given one, now. Each request takes a millisecond of a poll's budget. */
	function worldAt(minute: number) {
		const world = pollWorld({ clock: () => world.requests.length });
		const listTo = (newest: number, ...late: ReturnType<typeof eventAt>[]) => {
			const events = [...late, ...eventsAt(...downFrom(newest, 1))];
			events.sort((a, b) => Date.parse(b.createdAt ?? '') - Date.parse(a.createdAt ?? ''));
			world.list = first === 'newest' ? events : events.reverse();
			world.now = START + newest * MINUTE;
		};
		listTo(minute);
		/** Polls until the looks back have read everything again. */
		const pollOn = async () => {
			for (const minutes of [0, 1, 61, 25 * 60, 1]) {
				world.now += minutes * MINUTE;
				for (let n = 0; n < 3; n++) await world.poll(ALL);
			}
		};
		return Object.assign(world, { listTo, pollOn });
	}

	it.each(['pending', 'stored', 'free'] as const)(
		'nothing that was left out starts while an event that is %s holds the frontier back',
		async (state) => {
			const world = worldAt(30);
			if (state === 'free') world.fate = async ([id]) => (id === 'e10' ? 'unstored' : 'succeeded');
			else world.ledger.put(world.entry('e10'), state);
			await world.poll(EVEN);
			expect(world.state().frontier).toBe(START + 10 * MINUTE);
			world.fate = async () => 'succeeded';
			if (state !== 'free') world.ledger.put(world.entry('e10'), 'overdue');
			world.listTo(33);
			await world.pollOn();
			expect(world.started().sort()).toEqual(idsOf([...even(downFrom(30, 1)), 31, 32, 33]));
		},
	);

	it('what was unread starts by the new ones, and nothing that was left out above or below it', async () => {
		const world = worldAt(30);
		await world.poll(NONE);
		world.listTo(90);
		await world.poll({ ...NONE, budgetMs: 1 });
		expect(world.requests).toHaveLength(2);
		await world.pollOn();
		const unread = first === 'newest' ? downFrom(70, 31) : downFrom(90, 51);
		expect(world.started().sort()).toEqual(idsOf(unread));
	});

	it('an event that n8n could not store starts, though a poll did not come as far', async () => {
		const world = worldAt(60);
		world.fate = async ([id]) => (id === 'e10' ? 'unstored' : 'succeeded');
		await world.poll(EVEN);
		world.fate = async () => 'succeeded';
		world.listTo(100);
		await world.poll({ ...EVEN, budgetMs: 1 });
		expect(world.started()).not.toContain('e10');
		await world.pollOn();
		expect(world.started()).toContain('e10');
	});

	it('more of them than are remembered one by one start, too', async () => {
		const world = worldAt(600);
		world.fate = async () => 'unstored';
		await world.poll(EVEN);
		world.fate = async () => 'succeeded';
		await world.pollOn();
		const ids = new Set(world.started());
		expect(idsOf(even(downFrom(600, 1))).filter((id) => !ids.has(id))).toEqual([]);
	});

	it('one that is listed late starts only if it was created after the change', async () => {
		const world = worldAt(60);
		world.ledger.put(world.entry('e10'), 'stored');
		await world.poll(EVEN);
		world.listTo(70);
		await world.poll(ALL);
		world.listTo(70, eventAt(59.5, 'before'), eventAt(60.5, 'after'));
		await world.pollOn();
		expect(world.started().filter((id) => !id.startsWith('e'))).toEqual(['after']);
	});

	it('whatever polls did before: any list, budgets and events that n8n could not store', async () => {
		const step = fc.record({
			minutes: fc.integer({ min: 1, max: 60 }),
			budgetMs: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constant(1_000)),
		});
		const unstored = fc.uniqueArray(fc.integer({ min: 1, max: 200 }));
		const steps = fc.tuple(
			fc.array(step, { maxLength: 4 }),
			fc.array(step, { maxLength: 4 }),
			unstored,
		);
		await fc.assert(
			fc.asyncProperty(steps, async ([before, after, unstored]) => {
				const world = worldAt(30);
				const refused = new Set(idsOf(unstored));
				world.fate = async ([id = '']) => (refused.delete(id) ? 'unstored' : 'succeeded');
				const read = new Set<string>();
				const isWanted = (event: { id: string }) => {
					read.add(event.id);
					return EVEN.isWanted(event);
				};
				let newest = 30;
				let gaps = 0;
				await world.poll({ isWanted });
				for (const { minutes, budgetMs, filter } of [
					...before.map((one) => ({ ...one, filter: { isWanted } })),
					...after.map((one) => ({ ...one, filter: ALL })),
				]) {
					world.listTo((newest += minutes));
					await world.poll({ ...filter, budgetMs });
					const { stretches } = world.state().position;
					gaps += Number(stretches.some(({ kind }) => kind === 'unread'));
				}
				await world.pollOn();
				await world.pollOn();
				const all = idsOf(downFrom(newest, 1));
				const started = world.started();
				expect(new Set(started).size).toBe(started.length);
				const due = all.filter((id) => !read.has(id) || EVEN.isWanted({ id }));
				expect(due.filter((id) => !started.includes(id))).toEqual([]);
				// Gaps that touch are one, with what was read between them.
				if (gaps < 2) expect([...started].sort()).toEqual(due);
			}),
			{ numRuns: RUNS },
		);
	});
});
