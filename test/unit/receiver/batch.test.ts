import {
	ACCEPTED,
	BUSY,
	isOpen,
	keyOf,
	runOf,
	runs,
	stateOf,
	take,
	timersLeft,
	useTurns,
	world,
} from './turns';

const MOST_BYTES = 4 * 1024 * 1024;

useTurns();

describe('the turn of an event', () => {
	it('comes at once if no one else waits, event after event', async () => {
		for (const id of ['1', '2']) {
			const run = await runOf((await take(id)).turn);
			expect(run.ids).toEqual([id]);
			expect(await run.settle(true)).toBe('accepted');
			expect(stateOf(id)).toBe('stored');
		}
		expect(world.ledger.count('commit')).toBe(2);
	});

	it('comes for all collected events after the response to the previous hand-over, oldest first', async () => {
		const first = await runOf((await take('1')).turn);
		const day = (n: number) => ({ createdAt: `2026-01-0${n}T00:00:00Z` });
		const { turn: leads } = await take('4', day(4));
		const others = [await take('2', day(2)), await take('3', day(3))];
		expect(await isOpen(leads)).toBe(true);
		await first.settle(true);
		const run = await runOf(leads);
		expect(run.ids).toEqual(['2', '3', '4']);
		for (const { turn } of others) expect(await isOpen(turn)).toBe(true);

		const { turn: next } = await take('5');
		expect(await isOpen(next)).toBe(true);
		expect(await run.settle(true)).toBe('accepted');
		for (const { turn } of others) expect(await turn).toEqual(ACCEPTED);
		for (const id of ['2', '3', '4']) expect(stateOf(id)).toBe('stored');
		expect(world.ledger.count('commit')).toBe(2);
	});

	it('keeps the order of arrival if an event has no time', async () => {
		const first = await runOf((await take('1')).turn);
		const { turn } = await take('3', { createdAt: '2026-01-03T00:00:00Z' });
		await take('2');
		await first.settle(true);
		expect((await runOf(turn)).ids).toEqual(['3', '2']);
	});

	it('comes for each by itself when n8n could not store the execution', async () => {
		const first = await runOf((await take('1')).turn);
		const { turn: leads } = await take('2');
		const { turn: third } = await take('3');
		const { turn: fourth } = await take('4');
		await first.settle(true);
		await (await runOf(leads)).settle(false);
		expect(stateOf('2')).toBe('free');

		const singles = [await runOf(third), await runOf(fourth)];
		expect(singles.map(({ ids }) => ids)).toEqual([['3'], ['4']]);
		for (const id of ['3', '4']) expect(stateOf(id)).toBe('pending');
		const { turn: next } = await take('5');
		await singles[0]?.settle(true);
		expect(await isOpen(next)).toBe(true);
		await singles[1]?.settle(false);
		expect(stateOf('3')).toBe('stored');
		expect(stateOf('4')).toBe('free');
		// Answered, all of them.
		expect((await runOf(next)).ids).toEqual(['5']);
	});

	it('comes early for a batch that is full', async () => {
		await runOf((await take('1', { most: 2 })).turn);
		const { turn } = await take('2', { most: 2 });
		expect(await isOpen(turn)).toBe(true);
		await take('3', { most: 2 });
		expect((await runOf(turn)).ids).toEqual(['2', '3']);
	});

	it('comes early when another event would make a batch of over 4 MB', async () => {
		await runOf((await take('1')).turn);
		const { turn } = await take('2', { bytes: MOST_BYTES - 1 });
		await take('3');
		expect(await isOpen(turn)).toBe(true);
		const { turn: next } = await take('4', { bytes: MOST_BYTES + 1 });
		expect((await runOf(turn)).ids).toEqual(['2', '3']);
		expect(await isOpen(next)).toBe(true);
	});

	it('leaves no timer behind', async () => {
		const first = await runOf((await take('1')).turn);
		const { turn: leads } = await take('2');
		await take('3');
		await first.settle(true);
		await (await runOf(leads)).settle(true);
		expect(timersLeft()).toBe(0);
	});

	it('ends for no event before the commit is written', async () => {
		const first = await runOf((await take('1')).turn);
		const { turn: leads } = await take('2');
		const { turn: other } = await take('3');
		await first.settle(true);
		world.ledger.delayMs = 500;
		const committing = (await runOf(leads)).settle(true);
		await jest.advanceTimersByTimeAsync(400);
		expect(stateOf('3')).toBe('pending');
		expect(await isOpen(other)).toBe(true);
		await jest.advanceTimersByTimeAsync(1_000);
		await committing;
		expect(stateOf('3')).toBe('stored');
		expect(await other).toEqual(ACCEPTED);
	});

	it('belongs to only one node', async () => {
		await runOf((await take('1')).turn);
		world.node = 'another';
		expect((await runOf((await take('2')).turn)).ids).toEqual(['2']);
	});
});

/** An event that starts by itself, and three that wait for it and then start together. */
async function batchOfThree() {
	const first = await runOf((await take('1')).turn);
	const { turn: leads } = await take('2');
	const others = [(await take('3')).turn, (await take('4')).turn];
	await first.settle(false);
	const batch = await runOf(leads);
	expect(batch.ids).toEqual(['2', '3', '4']);
	return { batch, others, states: () => ['2', '3', '4'].map(stateOf) };
}

describe('a batch that must succeed', () => {
	beforeEach(() => {
		world.acknowledge = 'succeeded';
		world.isEarly = false;
	});

	it('gets for each event what the ledger knows, however n8n responds', async () => {
		const { batch, others, states } = await batchOfThree();
		await runs(['2', '4'], 'succeeded');
		expect(await batch.settle(true)).toBe('accepted');
		expect(await others[0]).toEqual(BUSY);
		expect(await others[1]).toEqual(ACCEPTED);
		// n8n may have the execution with the event in its queue.
		expect(states()).toEqual(['done', 'stored', 'done']);
	});

	it.each([
		['has failed', true, 'failed'],
		['was never stored', false, 'free'],
	])(
		'asks for all its events again when it %s, and starts none of them by itself',
		async (...how) => {
			const [, hasBegun, state] = how;
			const { batch, others, states } = await batchOfThree();
			if (hasBegun) await runs(batch.ids, 'failed');
			expect(await batch.settle(false)).toBe('failed');
			for (const turn of others) expect(await turn).toEqual(BUSY);
			expect(states()).toEqual([state, state, state]);
			expect((await runOf((await take('5')).turn)).ids).toEqual(['5']);
		},
	);

	it('responds for all its events when an execution that still runs has ended', async () => {
		const { batch, others } = await batchOfThree();
		await runs(batch.ids);
		const settled = batch.settle(false);
		await jest.advanceTimersByTimeAsync(5_000);
		expect(await isOpen(settled)).toBe(true);
		await world.ledger.end(batch.ids.join(), 'succeeded');
		await jest.advanceTimersByTimeAsync(1_000);
		expect(await settled).toBe('accepted');
		for (const turn of others) expect(await turn).toEqual(ACCEPTED);
	});
});

describe.each([true, false])('a batch that must be stored (early response: %s)', (isEarly) => {
	beforeEach(() => {
		world.isEarly = isEarly;
	});

	it('is one execution, also if it has begun and n8n reports its failure', async () => {
		const { batch, others, states } = await batchOfThree();
		await runs(batch.ids, 'failed');
		expect(await batch.settle(false)).toBe('accepted');
		for (const turn of others) expect(await turn).toEqual(ACCEPTED);
		expect(states()).toEqual(['failed', 'failed', 'failed']);
	});
});

describe('the claims of a batch are settled once each', () => {
	/** The keys of all claims that are settled from now on. */
	const settledKeys = () => {
		const calls = (['commit', 'release'] as const).map((name) => jest.spyOn(world.ledger, name));
		return () =>
			calls.flatMap(({ mock }) => mock.calls.flatMap(([claims]) => claims.map(({ key }) => key)));
	};

	it.each([
		...(['stored', 'succeeded'] as const).flatMap((acknowledge) =>
			[true, false].flatMap((isEarly) =>
				[true, false].flatMap((isOk) =>
					[0, 15_000].map((hungUpMs) => ({ acknowledge, isEarly, isOk, hungUpMs })),
				),
			),
		),
	])('with %j', async ({ acknowledge, isEarly, isOk, hungUpMs }) => {
		Object.assign(world, { acknowledge, isEarly });
		const { batch, others } = await batchOfThree();
		const keys = settledKeys();
		await jest.advanceTimersByTimeAsync(hungUpMs);
		await batch.settle(isOk);
		for (const turn of others) {
			const own = await turn;
			if (own.start) await own.settle(isOk);
		}
		expect(keys().sort()).toEqual(['2', '3', '4'].map(keyOf).sort());
		expect(timersLeft()).toBe(0);
	});
});
