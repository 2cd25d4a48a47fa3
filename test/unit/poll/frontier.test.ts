/** Events that hold the frontier back: no event that has not begun may fall behind it. */
import { downFrom, eventAt, eventsAt, MINUTE, type PollWorld, pollWorld, START } from './pollWorld';

/** Events of 5 hours, the newest first, far more than a look-back of ten minutes. */
const MINUTES = downFrom(300, 1).filter((minute) => minute % 10 === 0);
const IDS = MINUTES.toReversed().map((minute) => `e${minute}`);

function worldOfFiveHours(...options: Parameters<typeof pollWorld>): PollWorld {
	const world = pollWorld(...options);
	world.list = eventsAt(...MINUTES);
	world.now = START + 301 * MINUTE;
	return world;
}

it('moves to the newest event when all have begun, and the next poll reads one page', async () => {
	const world = worldOfFiveHours();
	await world.poll();
	expect(world.started()).toEqual(IDS);
	expect(world.state().frontier).toBe(START + 300 * MINUTE);
	await world.poll();
	expect(world.requests).toStrictEqual([undefined]);
	expect(world.started()).toEqual(IDS);
});

it('waits for an event that n8n fails to store only seconds later', async () => {
	const world = worldOfFiveHours();
	const { promise: later, reject } = Promise.withResolvers<'succeeded'>();
	world.fate = (ids) => (ids.includes('e50') ? later : Promise.resolve('succeeded'));
	await world.poll();
	expect(world.started()).not.toContain('e50');
	expect(world.state().frontier).toBe(START + 50 * MINUTE);
	reject(new Error('database is locked'));
	await later.catch(() => undefined);
	world.fate = async () => 'succeeded';
	await world.poll();
	expect(world.started().filter((id) => id === 'e50')).toHaveLength(1);
});

it('does not wait for the end of a slow execution that has begun, and polls on meanwhile', async () => {
	const world = worldOfFiveHours();
	world.fate = async (ids) => {
		await world.begin(ids);
		return ids.includes('e50') ? await new Promise<never>(() => undefined) : 'stored';
	};
	await world.poll();
	expect(world.started()).toEqual(IDS.filter((id) => id !== 'e50'));
	expect(world.state().frontier).toBe(START + 300 * MINUTE);
});

it.each([false, true])(
	'of events of the same second, each that n8n has lost starts again, in few requests (oldest first: %s)',
	async (isOldestFirst) => {
		const world = pollWorld({ pageSize: 3 });
		const same = Array.from({ length: 9 }, (_unused, n) => eventAt(50, `same${n}`));
		const lost = ['same1', 'same4', 'same8'];
		const list = [...eventsAt(...downFrom(70, 51)), ...same, ...eventsAt(...downFrom(49, 1))];
		world.list = isOldestFirst ? list.toReversed() : list;
		world.now = START + 71 * MINUTE;
		// A delivery has handed them over.
		for (const id of lost) world.ledger.put(world.entry(id), 'stored');
		for (let n = 0; n < 3; n++) await world.poll();
		const before = world.started();
		for (const id of lost) world.ledger.put(world.entry(id), 'overdue');
		await world.poll();
		expect(world.started().slice(before.length).toSorted()).toEqual(lost);
		expect(world.requests.length).toBeLessThan(12);
	},
);

it('waits for an execution that n8n has stored and not begun, and starts the event once it is overdue', async () => {
	const world = worldOfFiveHours();
	world.fate = async (ids) => (ids.includes('e50') ? 'stored' : 'succeeded');
	await world.poll();
	expect(world.state().frontier).toBe(START + 50 * MINUTE);
	world.fate = async () => 'succeeded';
	await world.poll();
	expect(world.started().filter((id) => id === 'e50')).toHaveLength(1);
	world.ledger.put(world.entry('e50'), 'overdue');
	await world.poll();
	expect(world.started().filter((id) => id === 'e50')).toHaveLength(2);
});

it.each(['pending', 'stored'] as const)(
	'waits for an event that a webhook brought and that is %s, however far back it is',
	async (entryState) => {
		const world = worldOfFiveHours();
		world.ledger.put(world.entry('e50'), entryState);
		await world.poll();
		expect(world.started()).toEqual(IDS.filter((id) => id !== 'e50'));
		expect(world.state().frontier).toBe(START + 50 * MINUTE);
		// Its holder died, or its run was lost.
		world.ledger.put(world.entry('e50'), 'overdue');
		await world.poll();
		expect(world.started().at(-1)).toBe('e50');
	},
);

it('starts all events of the same time that are overdue, though the list is read from one of them', async () => {
	const world = worldOfFiveHours();
	const same = ['newest', 'next', 'e50'];
	world.list.splice(MINUTES.indexOf(50), 0, eventAt(50, 'newest'), eventAt(50, 'next'));
	for (const id of same) world.ledger.put(world.entry(id), 'stored');
	await world.poll();
	expect(world.started()).toHaveLength(IDS.length - 1);
	for (const id of same) world.ledger.put(world.entry(id), 'overdue');
	await world.poll();
	expect(world.started().slice(IDS.length - 1)).toEqual(expect.arrayContaining(same));
});

it('starts the other events of a batch when somebody else has claimed one in the meantime', async () => {
	const world = worldOfFiveHours({ batchSize: 4 });
	const claim = world.ledger.claim.bind(world.ledger);
	jest.spyOn(world.ledger, 'claim').mockImplementation(async (key) => {
		if (key === world.entry('e20')) await world.begin(['e20']);
		return await claim(key);
	});
	await world.poll();
	expect(world.runs[0]).toEqual(['e10', 'e30', 'e40']);
	expect(world.started()).toEqual(IDS.filter((id) => id !== 'e20'));
});

it('waits for an event that has to be repeated, however far back it is', async () => {
	const world = worldOfFiveHours({ acknowledge: 'succeeded' });
	world.list.push(eventAt(-3 * 24 * 60, 'old'));
	world.fate = async (ids) => (ids.includes('old') ? 'failed' : 'succeeded');
	await world.poll();
	expect(world.started()).toEqual(['old', ...IDS]);
	world.fate = async () => 'running';
	world.ledger.put(world.entry('old'), 'failed', { repeats: true, at: 1 });
	await world.poll();
	expect(world.started()).toEqual(['old', ...IDS, 'old']);
	// Its process dies.
	world.ledger.put(world.entry('old'), 'interrupted', { repeats: true, at: 1, attempts: 2 });
	world.fate = async () => 'succeeded';
	await world.poll();
	expect(world.started()).toEqual(['old', ...IDS, 'old', 'old']);
	await world.poll();
	expect(world.requests).toStrictEqual([undefined]);
});

it('is not moved by an event that is dated a day ahead', async () => {
	const world = worldOfFiveHours();
	world.list.unshift(eventAt(300 + 24 * 60));
	await world.poll();
	expect(world.started()).toHaveLength(IDS.length + 1);
	expect(world.state().frontier).toBe(START + 300 * MINUTE);
	world.list.splice(2, 0, eventAt(295));
	await world.poll();
	expect(world.started().at(-1)).toBe('e295');
});
