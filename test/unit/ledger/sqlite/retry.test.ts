import { LedgerUnavailableError } from '../../../../lib/ledger';
import { busyError } from '../../../../lib/ledger/sqlite/files';
import { retryWhileBusy } from '../../../../lib/ledger/sqlite/ledgerFile';

describe('work that finds the file locked', () => {
	let attempts: number;
	/** From when on the lock is free, in milliseconds from the start. */
	let freeAt: number;
	let startedAt: number;

	beforeEach(() => {
		jest.useFakeTimers();
		attempts = 0;
		// The process has run for longer than any wait.
		jest.advanceTimersByTime(60_000);
		startedAt = performance.now();
	});

	afterEach(() => {
		jest.useRealTimers();
	});

	const elapsed = () => performance.now() - startedAt;

	function work(): string {
		attempts += 1;
		if (elapsed() < freeAt) throw busyError();
		return 'done';
	}

	/** Its result, and the time it took. */
	async function outcome(progress: () => string): Promise<{ is: string; afterMs: number }> {
		const settled = retryWhileBusy(work, progress).then(
			(is) => ({ is, afterMs: elapsed() }),
			() => ({ is: 'given up', afterMs: elapsed() }),
		);
		await jest.advanceTimersByTimeAsync(10_000);
		return settled;
	}

	it('is done at once if there is no lock', async () => {
		freeAt = 0;
		expect(await outcome(() => 'same')).toEqual({ is: 'done', afterMs: 0 });
		expect(attempts).toBe(1);
	});

	it('is done within 20 ms of the end of a short lock', async () => {
		freeAt = 200;
		const { is, afterMs } = await outcome(() => 'same');
		expect(is).toBe('done');
		expect(afterMs).toBeLessThanOrEqual(220);
		expect(attempts).toBeGreaterThan(10);
	});

	it('is given up after 250 ms of standstill', async () => {
		freeAt = 10_000;
		const { is, afterMs } = await outcome(() => 'same');
		expect(is).toBe('given up');
		expect(afterMs).toBeGreaterThanOrEqual(250);
		expect(afterMs).toBeLessThanOrEqual(270);
		// Not in a tight loop.
		expect(attempts).toBeLessThan(50);
	});

	it('waits on while others write', async () => {
		freeAt = 3_000;
		expect(await outcome(() => String(Math.floor(elapsed() / 200)))).toMatchObject({ is: 'done' });
	});

	it('counts the standstill from the last write of others', async () => {
		freeAt = 10_000;
		const { is, afterMs } = await outcome(() => String(Math.min(elapsed(), 1_000)));
		expect(is).toBe('given up');
		expect(afterMs).toBeGreaterThanOrEqual(1_250);
		expect(afterMs).toBeLessThanOrEqual(1_290);
	});

	it('is given up after 5 s whatever others write', async () => {
		freeAt = 10_000;
		const { is, afterMs } = await outcome(() => String(elapsed()));
		expect(is).toBe('given up');
		expect(afterMs).toBeGreaterThanOrEqual(5_000);
		expect(afterMs).toBeLessThanOrEqual(5_020);
	});

	it('throws other errors at once', async () => {
		const broken = () => {
			attempts += 1;
			throw new LedgerUnavailableError('The disk is full');
		};
		await expect(retryWhileBusy(broken, () => 'same')).rejects.toThrow('The disk is full');
		expect(attempts).toBe(1);
	});
});
