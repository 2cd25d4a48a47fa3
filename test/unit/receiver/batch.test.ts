import { BUSY, isOpen, RETENTION_MS, runOf, stateOf, STORED, take, useTurns, world } from './turns';

const MOST_BYTES = 4 * 1024 * 1024;

useTurns();

describe('the turn of an event', () => {
	it('comes at once if no one else waits, event after event', async () => {
		for (const id of ['1', '2']) {
			const run = await runOf((await take(id)).turn);
			expect(run.ids).toEqual([id]);
			expect(await run.hold.commit(RETENTION_MS)).toBe('committed');
			expect(stateOf(id)).toBe('stored');
		}
		expect(world.ledger.count('commitAll')).toBe(0);
	});

	it('comes for all collected events after the response to the previous hand-over, oldest first', async () => {
		const first = await runOf((await take('1')).turn);
		const day = (n: number) => ({ createdAt: `2026-01-0${n}T00:00:00Z` });
		const { turn: leads } = await take('4', day(4));
		const others = [await take('2', day(2)), await take('3', day(3))];
		expect(await isOpen(leads)).toBe(true);
		await first.hold.commit(RETENTION_MS);
		const run = await runOf(leads);
		expect(run.ids).toEqual(['2', '3', '4']);
		for (const { turn } of others) expect(await isOpen(turn)).toBe(true);

		const { turn: next } = await take('5');
		expect(await isOpen(next)).toBe(true);
		expect(await run.hold.commit(RETENTION_MS)).toBe('committed');
		for (const { turn } of others) expect(await turn).toEqual(STORED);
		for (const id of ['2', '3', '4']) expect(stateOf(id)).toBe('stored');
		expect(world.ledger.count('commitAll')).toBe(1);
	});

	it('keeps the order of arrival if an event has no time', async () => {
		const first = await runOf((await take('1')).turn);
		const { turn } = await take('3', { createdAt: '2026-01-03T00:00:00Z' });
		await take('2');
		await first.hold.commit(RETENTION_MS);
		expect((await runOf(turn)).ids).toEqual(['3', '2']);
	});

	it('comes for each by itself when n8n could not store the run', async () => {
		const first = await runOf((await take('1')).turn);
		const { turn: leads } = await take('2');
		const { turn: third } = await take('3');
		const { turn: fourth } = await take('4');
		await first.hold.commit(RETENTION_MS);
		await (await runOf(leads)).hold.release();
		expect(stateOf('2')).toBe('free');

		const singles = [await runOf(third), await runOf(fourth)];
		expect(singles.map(({ ids }) => ids)).toEqual([['3'], ['4']]);
		for (const id of ['3', '4']) expect(stateOf(id)).toBe('pending');
		const { turn: next } = await take('5');
		await singles[0]?.hold.commit(RETENTION_MS);
		expect(await isOpen(next)).toBe(true);
		await singles[1]?.hold.release();
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
		await first.hold.commit(RETENTION_MS);
		await (await runOf(leads)).hold.commit(RETENTION_MS);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('ends for no event before the commit is written', async () => {
		const first = await runOf((await take('1')).turn);
		const { turn: leads } = await take('2');
		const { turn: other } = await take('3');
		await first.hold.commit(RETENTION_MS);
		world.ledger.delayMs = 500;
		const committing = (await runOf(leads)).hold.commit(RETENTION_MS);
		await jest.advanceTimersByTimeAsync(400);
		expect(stateOf('3')).toBe('pending');
		expect(await isOpen(other)).toBe(true);
		await jest.advanceTimersByTimeAsync(1_000);
		await committing;
		expect(stateOf('3')).toBe('stored');
		expect(await other).toEqual(STORED);
	});

	it('belongs to only one node', async () => {
		await runOf((await take('1')).turn);
		world.node = 'another';
		expect((await runOf((await take('2')).turn)).ids).toEqual(['2']);
	});

	it('commits each by itself when the ledger cannot commit them together', async () => {
		const first = await runOf((await take('1')).turn);
		const { turn: leads } = await take('2');
		const { turn: other } = await take('3');
		await first.hold.commit(RETENTION_MS);
		jest.spyOn(world.ledger, 'commitAll').mockRejectedValue(new Error('away'));
		const committing = (await runOf(leads)).hold.commit(RETENTION_MS);
		await jest.advanceTimersByTimeAsync(1_000);
		await committing;
		expect(await other).toEqual(STORED);
		for (const id of ['2', '3']) expect(stateOf(id)).toBe('stored');
	});
});

describe('in an execution that must succeed', () => {
	let run: Awaited<ReturnType<typeof runOf>>;
	let others: Awaited<ReturnType<typeof take>>[];

	beforeEach(async () => {
		world.acknowledge = 'succeeded';
		const first = await runOf((await take('1')).turn);
		const { turn: leads } = await take('2');
		others = [await take('3'), await take('4')];
		await first.hold.release();
		run = await runOf(leads);
		expect(run.ids).toEqual(['2', '3', '4']);
	});

	it('counts as stored once the execution has succeeded with it, and is busy without it', async () => {
		const begun = ['2', '4'];
		await world.ledger.begin(begun, 'run', RETENTION_MS, [run.tokens[0], run.tokens[2]]);
		expect(await run.hold.commit(RETENTION_MS)).toBe('committed');
		expect(await others[0]?.turn).toEqual(BUSY);
		expect(await others[1]?.turn).toEqual(STORED);
		expect(['2', '3', '4'].map(stateOf)).toEqual(['done', 'pending', 'done']);
	});

	it('is free for its next copy when the execution has failed, and starts no other one', async () => {
		await run.hold.release();
		for (const { turn } of others) expect(await turn).toEqual(BUSY);
		expect(['2', '3', '4'].map(stateOf)).toEqual(['free', 'free', 'free']);
		expect((await runOf((await take('5')).turn)).ids).toEqual(['5']);
	});
});
