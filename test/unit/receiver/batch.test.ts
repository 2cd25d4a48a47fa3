import { type ClaimHold, claimOrWait } from '../../../lib/ledger';
import { Leases } from '../../../lib/ledger/leases';
import { takeTurn } from '../../../lib/receiver/batch';
import { MemoryLedger } from '../ledger/memoryLedger';
import { useStoppedClock } from '../ledger/stoppedClock';

const RETENTION_MS = 60 * 60_000;
const MOST_BYTES = 4 * 1024 * 1024;

describe('the turn of an event', () => {
	useStoppedClock();
	let ledger: MemoryLedger;
	let leases: Leases;
	let nodes = 0;
	let node: string;

	beforeEach(() => {
		ledger = new MemoryLedger();
		leases = new Leases();
		node = `node-${++nodes}`;
	});

	const hold = async (id: string): Promise<ClaimHold> => {
		const claim = await claimOrWait(ledger, id, { leases });
		if (claim.outcome !== 'claimed') throw new Error(`The event is ${claim.outcome}`);
		return claim.hold;
	};
	const take = async (id: string, { most = 100, bytes = 1, createdAt = '' } = {}) => {
		const item = { id, ...(createdAt !== '' && { createdAt }) };
		return { turn: takeTurn(node, { item, hold: await hold(id), bytes }, most) };
	};
	/** The run that the turn starts. */
	const runOf = async (turn: ReturnType<typeof takeTurn>) => {
		const run = await turn;
		if (!run.start) throw new Error('The event went with another one');
		return { ids: run.items.map(({ id }) => id), hold: run.hold };
	};
	const isOpen = async (turn: Promise<unknown>) => {
		const open = Symbol('open');
		return (await Promise.race([turn, Promise.resolve(open)])) === open;
	};

	it('comes at once when nobody else waits, event after event', async () => {
		for (const id of ['1', '2']) {
			const run = await runOf((await take(id)).turn);
			expect(run.ids).toEqual([id]);
			expect(await run.hold.commit(RETENTION_MS)).toBe('committed');
			expect(ledger.entries.get(id)?.state).toBe('stored');
		}
		expect(ledger.count('commitAll')).toBe(0);
	});

	it('comes for all that gathered when the hand-over before is answered, oldest first', async () => {
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
		for (const { turn } of others) expect(await turn).toEqual({ start: false });
		for (const id of ['2', '3', '4']) expect(ledger.entries.get(id)?.state).toBe('stored');
		expect(ledger.count('commitAll')).toBe(1);
	});

	it('keeps the order of arrival when an event tells no time', async () => {
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
		expect(ledger.entries.get('2')).toBeUndefined();

		const singles = [await runOf(third), await runOf(fourth)];
		expect(singles.map(({ ids }) => ids)).toEqual([['3'], ['4']]);
		const { turn: next } = await take('5');
		await singles[0]?.hold.commit(RETENTION_MS);
		expect(await isOpen(next)).toBe(true);
		await singles[1]?.hold.release();
		expect(ledger.entries.get('3')?.state).toBe('stored');
		expect(ledger.entries.get('4')).toBeUndefined();
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

	it('comes without the answer when that takes over 10 s, so that no sender gives up', async () => {
		await jest.advanceTimersByTimeAsync(60_000);
		await runOf((await take('1')).turn);
		const { turn } = await take('2');
		await jest.advanceTimersByTimeAsync(9_000);
		await take('3');
		expect(await isOpen(turn)).toBe(true);
		await jest.advanceTimersByTimeAsync(2_000);
		await take('4');
		expect((await runOf(turn)).ids).toEqual(['2', '3', '4']);
	});

	it('is that of one node alone', async () => {
		await runOf((await take('1')).turn);
		node = 'another';
		expect((await runOf((await take('2')).turn)).ids).toEqual(['2']);
	});

	it('commits each by itself when the ledger cannot commit them together', async () => {
		const first = await runOf((await take('1')).turn);
		const { turn: leads } = await take('2');
		const { turn: other } = await take('3');
		await first.hold.commit(RETENTION_MS);
		jest.spyOn(ledger, 'commitAll').mockRejectedValue(new Error('away'));
		const committing = (await runOf(leads)).hold.commit(RETENTION_MS);
		await jest.advanceTimersByTimeAsync(1_000);
		await committing;
		expect(await other).toEqual({ start: false });
		for (const id of ['2', '3']) expect(ledger.entries.get(id)?.state).toBe('stored');
	});
});
