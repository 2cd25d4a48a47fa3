import { type ClaimHold, claimOrWait } from '../../../lib/ledger';
import { Leases } from '../../../lib/ledger/leases';
import { MemoryLedger } from './memoryLedger';
import { useStoppedClock } from './stoppedClock';

const KEY = 'event';
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('a claim that is held until an execution has succeeded', () => {
	useStoppedClock();
	let ledger: MemoryLedger;
	let leases: Leases;
	let hold: ClaimHold;

	beforeEach(async () => {
		ledger = new MemoryLedger();
		leases = new Leases();
		hold = await claimed(KEY);
	});

	async function claimed(key: string): Promise<ClaimHold> {
		const answer = await claimOrWait(ledger, key, { leases, acknowledge: 'succeeded' });
		if (answer.outcome !== 'claimed') throw new Error(`The event is ${answer.outcome}`);
		return answer.hold;
	}

	const stateOf = (key = KEY) => ledger.stateOf(key);

	/** The execution of the event starts, under the token that its items carry. */
	async function begin(run = 'run', { token } = hold, key = KEY): Promise<boolean> {
		const [continues = false] = await ledger.begin([key], run, RETENTION_MS, [token]);
		return continues;
	}

	it('has a token under which its execution begins, which one that need only be stored has not', async () => {
		expect(hold.token).toEqual(expect.any(String));
		expect(await begin()).toBe(true);
		expect(stateOf()).toBe('running');
		const other = await claimOrWait(ledger, 'other', { leases });
		expect(other).toMatchObject({ outcome: 'claimed', hold: { token: undefined } });
	});

	it('is renewed while its execution runs, however long', async () => {
		await begin();
		await jest.advanceTimersByTimeAsync(5 * HOUR_MS);
		expect(stateOf()).toBe('running');
		expect(await hold.commit(RETENTION_MS)).toBe('committed');
	});

	it('makes the event done by its commit, and is not renewed any more', async () => {
		await begin();
		expect(await hold.commit(RETENTION_MS)).toBe('committed');
		expect(stateOf()).toBe('done');
		expect(jest.getTimerCount()).toBe(0);
	});

	it.each(['done', 'begun'] as const)(
		'is committed when the event is %s by another',
		async (state) => {
			ledger.put(KEY, state);
			expect(await hold.commit(RETENTION_MS)).toBe('committed');
			expect(stateOf()).toBe(state);
		},
	);

	it.each(['pending', 'stored', 'failed', 'free'] as const)(
		'is lost when its execution ends and the event is %s: it did not run',
		async (state) => {
			ledger.put(KEY, state);
			expect(await hold.commit(RETENTION_MS)).toBe('lost');
			expect(stateOf()).toBe(state);
			expect(jest.getTimerCount()).toBe(0);
		},
	);

	it('is lost for its sender after 2 s, and made done once the ledger is back', async () => {
		await begin();
		ledger.failing = true;
		const commit = hold.commit(RETENTION_MS);
		await jest.advanceTimersByTimeAsync(2_000);
		expect(await commit).toBe('lost');
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(1_500);
		expect(stateOf()).toBe('done');
		expect(await hold.commit(RETENTION_MS)).toBe('committed');
		expect(jest.getTimerCount()).toBe(0);
	});

	it('keeps its event running while a commit cannot be written and renewals can', async () => {
		await begin();
		const finish = jest.spyOn(ledger, 'finishAll').mockRejectedValue(new Error('No space'));
		void hold.commit(RETENTION_MS);
		await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
		expect(stateOf()).toBe('running');
		finish.mockRestore();
		await jest.advanceTimersByTimeAsync(1_500);
		expect(stateOf()).toBe('done');
	});

	it('has failed when it is released after its execution began, and is not renewed any more', async () => {
		await begin();
		await hold.release();
		expect(stateOf()).toBe('failed');
		expect(jest.getTimerCount()).toBe(0);
		expect(await claimOrWait(ledger, KEY, { leases })).toMatchObject({
			outcome: 'claimed',
			attempts: 1,
		});
	});

	it('is free when it is released before its execution began, which may not begin then', async () => {
		await hold.release();
		expect(stateOf()).toBe('free');
		expect(await begin()).toBe(false);
	});

	it('is not taken back by a release after its commit', async () => {
		await begin();
		await hold.commit(RETENTION_MS);
		await hold.release();
		expect(stateOf()).toBe('done');
		expect(ledger.count('giveBack')).toBe(0);
		expect(ledger.count('release')).toBe(0);
	});

	it('is not taken back by a release while its commit cannot be written', async () => {
		await begin();
		ledger.failing = true;
		void hold.commit(RETENTION_MS);
		await hold.release();
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(1_500);
		expect(stateOf()).toBe('done');
	});

	it('that has lapsed is taken again under the same token, so that its execution may begin', async () => {
		ledger.entries.clear();
		expect(await begin()).toBe(false);
		await jest.advanceTimersByTimeAsync(20_000);
		expect(stateOf()).toBe('pending');
		expect(await begin()).toBe(true);
		expect(await hold.commit(RETENTION_MS)).toBe('committed');
	});

	it('whose execution has not begun within an hour is given up, not before', async () => {
		await jest.advanceTimersByTimeAsync(HOUR_MS - MINUTE_MS);
		expect(stateOf()).toBe('pending');
		await jest.advanceTimersByTimeAsync(2 * MINUTE_MS);
		expect(stateOf()).toBe('free');
		expect(jest.getTimerCount()).toBe(0);
		expect(await begin()).toBe(false);
		expect(await hold.commit(RETENTION_MS)).toBe('lost');
	});

	it('is not given up while the commit of an execution that ended is being written', async () => {
		jest.spyOn(ledger, 'finishAll').mockRejectedValue(new Error('No space'));
		await jest.advanceTimersByTimeAsync(HOUR_MS - MINUTE_MS);
		void hold.commit(RETENTION_MS);
		await jest.advanceTimersByTimeAsync(5 * MINUTE_MS);
		expect(ledger.count('release')).toBe(0);
	});

	it('is committed with others, each with its own outcome, in their order', async () => {
		const others = [await claimed('lost'), await claimed('done'), await claimed('too')];
		await begin();
		await begin('run', others[2], 'too');
		ledger.put('done', 'done');
		expect(await hold.commitWith(others, RETENTION_MS)).toEqual([
			'committed',
			'lost',
			'committed',
			'committed',
		]);
		expect(ledger.count('finishAll')).toBe(1);
		expect([KEY, 'lost', 'done', 'too'].map(stateOf)).toEqual(['done', 'pending', 'done', 'done']);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('is tried again by itself when the commit with others failed', async () => {
		const other = await claimed('lost');
		await begin();
		jest.spyOn(ledger, 'finishAll').mockRejectedValueOnce(new Error('away'));
		const committed = hold.commitWith([other], RETENTION_MS);
		await jest.advanceTimersByTimeAsync(200);
		expect(await committed).toEqual(['committed', 'lost']);
		expect(stateOf()).toBe('done');
	});
});
