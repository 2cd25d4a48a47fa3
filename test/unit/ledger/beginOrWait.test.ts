import { LedgerUnavailableError } from '../../../lib/ledger';
import { beginOrWait, markBegun } from '../../../lib/ledger/beginOrWait';
import { MemoryLedger } from './memoryLedger';
import { useStoppedClock } from './stoppedClock';

const KEYS = ['one', 'two'];
const RETENTION_MS = 1_000_000;

describe('beginOrWait', () => {
	useStoppedClock();
	let ledger: MemoryLedger;

	beforeEach(() => {
		ledger = new MemoryLedger();
	});

	const open = async () => ledger;

	/** Its result, once there is one. */
	function watch(begin: Promise<boolean[]>): { outcome: boolean[] | string | undefined } {
		const watched: { outcome: boolean[] | string | undefined } = { outcome: undefined };
		begin.then(
			(answers) => {
				watched.outcome = answers;
			},
			(error: unknown) => {
				watched.outcome = String(error);
			},
		);
		return watched;
	}

	it('returns the result of the ledger, with one call', async () => {
		await ledger.begin(['two'], 'another run', RETENTION_MS);
		expect(await beginOrWait(open, KEYS, 'run', RETENTION_MS)).toEqual([true, false]);
		expect(ledger.count('begin')).toBe(2);
		expect(ledger.entries.get('one')).toMatchObject({ state: 'begun', run: 'run' });
	});

	it('retries while the ledger is down, and continues within half a second of its return', async () => {
		ledger.failing = true;
		const begin = watch(beginOrWait(open, KEYS, 'run', RETENTION_MS));
		await jest.advanceTimersByTimeAsync(25_000);
		expect(begin.outcome).toBeUndefined();
		expect(ledger.count('begin')).toBeGreaterThanOrEqual(50);
		expect(ledger.count('begin')).toBeLessThanOrEqual(101);
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(500);
		expect(begin.outcome).toEqual([true, true]);
	});

	it('gives up after 30 s with the last error of the ledger, and has begun nothing', async () => {
		ledger.failing = true;
		const begin = watch(beginOrWait(open, KEYS, 'run', RETENTION_MS));
		await jest.advanceTimersByTimeAsync(29_000);
		expect(begin.outcome).toBeUndefined();
		await jest.advanceTimersByTimeAsync(1_000);
		expect(begin.outcome).toBe('LedgerUnavailableError: The disk is full');
		expect(ledger.entries.size).toBe(0);
	});

	it('gives back events that it began and cannot use, and stored ones, once the ledger works', async () => {
		const begin = ledger.begin.bind(ledger);
		jest.spyOn(ledger, 'begin').mockImplementation(async (...asked) => {
			await begin(...asked);
			ledger.failing = true;
			throw new LedgerUnavailableError('The sync failed');
		});
		const claim = await ledger.claim('two', RETENTION_MS);
		if (claim.state === 'claimed') await ledger.commit(claim.claim, RETENTION_MS);
		const failed = watch(beginOrWait(open, ['one'], 'run', RETENTION_MS));
		await jest.advanceTimersByTimeAsync(10_000);
		ledger.failing = false;
		const late = watch(beginOrWait(open, ['two'], 'late run', RETENTION_MS, { waitMs: 0 }));
		await jest.advanceTimersByTimeAsync(30_000);
		expect([failed.outcome, late.outcome]).toEqual([
			expect.stringContaining('LedgerUnavailableError'),
			expect.stringContaining('LedgerUnavailableError'),
		]);
		expect(await ledger.look('one').catch(String)).toContain('The disk is full');
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(5_000);
		expect([(await ledger.look('one')).state, (await ledger.look('two')).state]).toEqual([
			'overdue',
			'overdue',
		]);
	});

	it('gives back events that are committed while it gives up', async () => {
		const claim = await ledger.claim('one', RETENTION_MS);
		if (claim.state !== 'claimed') throw new Error('The event is taken.');
		const lost = new LedgerUnavailableError('The response was lost');
		jest.spyOn(ledger, 'begin').mockRejectedValue(lost);
		watch(beginOrWait(open, ['one'], 'run', RETENTION_MS, { waitMs: 0 }));
		await jest.advanceTimersByTimeAsync(1_000);
		await ledger.commit(claim.claim, RETENTION_MS);
		expect((await ledger.look('one')).state).toBe('overdue');
		await jest.advanceTimersByTimeAsync(3_000);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('gives back again events that a late begin marks after the run gave up', async () => {
		const lost = new LedgerUnavailableError('The response was lost');
		const begin = ledger.begin.bind(ledger);
		jest.spyOn(ledger, 'begin').mockRejectedValue(lost);
		watch(beginOrWait(open, ['one'], 'run', RETENTION_MS, { waitMs: 0 }));
		await jest.advanceTimersByTimeAsync(1_000);
		await begin(['one'], 'run', RETENTION_MS);
		expect((await ledger.look('one')).state).toBe('begun');
		await jest.advanceTimersByTimeAsync(3_000);
		expect((await ledger.look('one')).state).toBe('overdue');
	});

	it('counts the time that a slow ledger takes', async () => {
		ledger.failing = true;
		ledger.delayMs = 10_000;
		const begin = watch(beginOrWait(open, KEYS, 'run', RETENTION_MS, { waitMs: 15_000 }));
		await jest.advanceTimersByTimeAsync(21_000);
		expect(begin.outcome).toMatch(/The disk is full/);
		expect(ledger.count('begin')).toBe(2);
	});

	it('asks again while the ledger cannot be opened', async () => {
		let isOpen = false;
		const openLater = async () => {
			if (isOpen) return ledger;
			throw new LedgerUnavailableError('The setting is wrong');
		};
		const begin = watch(beginOrWait(openLater, KEYS, 'run', RETENTION_MS));
		await jest.advanceTimersByTimeAsync(25_000);
		expect(begin.outcome).toBeUndefined();
		isOpen = true;
		await jest.advanceTimersByTimeAsync(500);
		expect(begin.outcome).toEqual([true, true]);
	});

	it('throws any other error at once', async () => {
		jest.spyOn(ledger, 'begin').mockRejectedValue(new TypeError('No such key'));
		await expect(beginOrWait(open, KEYS, 'run', RETENTION_MS)).rejects.toThrow('No such key');
		expect(jest.getTimerCount()).toBe(0);
		// Nothing was wrong with the ledger, so there is nothing to undo.
		expect(ledger.count('giveBack')).toBe(0);
	});

	it('can ask again if a response was lost', async () => {
		const begin = ledger.begin.bind(ledger);
		jest.spyOn(ledger, 'begin').mockImplementationOnce(async (...asked) => {
			await begin(...asked);
			throw new LedgerUnavailableError('The answer was lost');
		});
		const answer = watch(beginOrWait(open, KEYS, 'run', RETENTION_MS));
		await jest.advanceTimersByTimeAsync(500);
		expect(answer.outcome).toEqual([true, true]);
	});

	it('stops with the reason of the signal, and asks no more', async () => {
		ledger.failing = true;
		const abort = new AbortController();
		const begin = watch(beginOrWait(open, KEYS, 'run', RETENTION_MS, { signal: abort.signal }));
		await jest.advanceTimersByTimeAsync(1_000);
		abort.abort(new Error('The run was cancelled'));
		await jest.advanceTimersByTimeAsync(0);
		expect(begin.outcome).toBe('Error: The run was cancelled');
		const asked = ledger.count('begin');
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(30_000);
		expect(ledger.count('begin')).toBe(asked);
		expect(ledger.count('giveBack')).toBeGreaterThanOrEqual(KEYS.length);
	});

	it('asks nothing for a signal that has been given already', async () => {
		const signal = AbortSignal.abort(new Error('The run was cancelled'));
		await expect(beginOrWait(open, KEYS, 'run', RETENTION_MS, { signal })).rejects.toThrow(
			'The run was cancelled',
		);
		expect(ledger.count('begin')).toBe(0);
	});
});

describe('markBegun', () => {
	useStoppedClock();

	it('does not wait for a ledger that is not available, and marks the events once it is', async () => {
		const ledger = new MemoryLedger();
		ledger.failing = true;
		const marked = markBegun(async () => ledger, KEYS, 'retry', RETENTION_MS);
		await expect(marked).rejects.toThrow('The disk is full');
		await jest.advanceTimersByTimeAsync(60_000);
		expect(ledger.entries.size).toBe(0);
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(6_000);
		expect(await ledger.begin(KEYS, 'copy', RETENTION_MS)).toEqual([false, false]);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('does not retry errors that are not faults of the ledger', async () => {
		const ledger = new MemoryLedger();
		const begin = jest.spyOn(ledger, 'begin').mockRejectedValue(new TypeError('No such key'));
		const marked = markBegun(async () => ledger, KEYS, 'retry', RETENTION_MS);
		await expect(marked).rejects.toThrow('No such key');
		await jest.advanceTimersByTimeAsync(60_000);
		expect(begin).toHaveBeenCalledTimes(1);
	});

	it('leaves events that another run has begun to that run', async () => {
		const ledger = new MemoryLedger();
		await ledger.begin(['one'], 'first', RETENTION_MS);
		await markBegun(async () => ledger, KEYS, 'retry', RETENTION_MS);
		expect(ledger.entries.get('one')).toMatchObject({ run: 'first' });
		expect(ledger.entries.get('two')).toMatchObject({ run: 'retry' });
	});
});
