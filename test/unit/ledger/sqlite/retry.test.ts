import { LedgerUnavailableError } from '../../../../lib/ledger';
import { LedgerDatabase } from '../../../../lib/ledger/sqlite/database';
import { busyError } from '../../../../lib/ledger/sqlite/files';
import { LedgerFile } from '../../../../lib/ledger/sqlite/ledgerFile';
import { SqliteWorld } from './world';

describe('work that finds the file locked', () => {
	let world: SqliteWorld;
	let file: LedgerFile;
	let attempts: number;
	/** From when on the lock is free, in milliseconds from the start. */
	let freeAt: number;
	let startedAt: number;

	beforeEach(async () => {
		world = new SqliteWorld();
		file = new LedgerFile(world.path);
		await file.run(() => undefined);
		jest.useFakeTimers();
		attempts = 0;
		// The process has run for longer than any wait.
		jest.advanceTimersByTime(60_000);
		startedAt = performance.now();
	});

	afterEach(async () => {
		jest.useRealTimers();
		jest.restoreAllMocks();
		await file.close();
		await world.remove();
	});

	const elapsed = () => performance.now() - startedAt;

	function work(): string {
		attempts += 1;
		if (elapsed() < freeAt) throw busyError();
		return 'done';
	}

	/** Its result, and the time it took. */
	async function outcome(progress: () => string): Promise<{ is: string; afterMs: number }> {
		jest.spyOn(LedgerDatabase.prototype, 'progress').mockImplementation(progress);
		const settled = file.run(work).then(
			(is) => ({ is, afterMs: elapsed() }),
			() => ({ is: 'given up', afterMs: elapsed() }),
		);
		await jest.advanceTimersByTimeAsync(10_000);
		return settled;
	}

	const never = () => 'same';
	const fiveTimesASecond = () => String(Math.floor(elapsed() / 200));
	const forASecond = () => String(Math.min(elapsed(), 1_000));
	const always = () => String(elapsed());

	it.each([
		['done at once if there is no lock', 0, never, 'done', 0, 0],
		['done within 20 ms of the end of a short lock', 200, never, 'done', 200, 220],
		['given up after 250 ms of standstill', 10_000, never, 'given up', 250, 270],
		['done although others write', 3_000, fiveTimesASecond, 'done', 3_000, 3_020],
		[
			'given up 250 ms after the last write of others',
			10_000,
			forASecond,
			'given up',
			1_250,
			1_290,
		],
		['given up after 5 s whatever others write', 10_000, always, 'given up', 5_000, 5_020],
	] as const)('is %s', async (_what, freeFrom, progress, expected, least, most) => {
		freeAt = freeFrom;
		const { is, afterMs } = await outcome(progress);
		expect(is).toBe(expected);
		expect(afterMs).toBeGreaterThanOrEqual(least);
		expect(afterMs).toBeLessThanOrEqual(most);
	});

	it('is tried often, and not in a tight loop', async () => {
		freeAt = 10_000;
		await outcome(never);
		expect(attempts).toBeGreaterThan(10);
		expect(attempts).toBeLessThan(50);
	});

	it('throws other errors at once', async () => {
		const broken = () => {
			attempts += 1;
			throw new LedgerUnavailableError('The disk is full');
		};
		await expect(file.run(broken)).rejects.toThrow('The disk is full');
		expect(attempts).toBe(1);
	});
});
