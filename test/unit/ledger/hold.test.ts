import { claimOrWait, type Hold } from '../../../lib/ledger';
import { Leases } from '../../../lib/ledger/leases';
import { MemoryLedger } from './memoryLedger';
import { useStoppedClock } from './stoppedClock';

const KEY = 'event';
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
const MINUTE_MS = 60_000;

describe('a claim that is held', () => {
	useStoppedClock();
	let ledger: MemoryLedger;
	let leases: Leases;
	let hold: Hold;

	beforeEach(async () => {
		ledger = new MemoryLedger();
		leases = new Leases();
		hold = await claimed(KEY);
	});

	async function claimed(key: string): Promise<Hold> {
		const answer = await claimOrWait(ledger, key, { leases });
		if (answer.outcome !== 'claimed') throw new Error(`The event is ${answer.outcome}`);
		return answer.hold;
	}

	function stateOf(key: string): string {
		const entry = ledger.entries.get(key);
		return entry && entry.expires > Date.now() ? entry.state : 'free';
	}

	it('is renewed every 20 s, so that it outlives its lease by far', async () => {
		await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
		expect(ledger.count('renew')).toBe(30);
		expect(stateOf(KEY)).toBe('pending');
	});

	it('is renewed in time next to one with a slow renewal, which gets no second one in the meantime', async () => {
		const slow = 'slow event';
		await claimed(slow);
		const renewed: string[] = [];
		jest.spyOn(ledger, 'renew').mockImplementation(async ({ key }) => {
			renewed.push(key);
			if (key === slow) await new Promise<never>(() => undefined);
			return true;
		});
		await jest.advanceTimersByTimeAsync(MINUTE_MS);
		expect(renewed).toEqual([KEY, slow, KEY, KEY]);
	});

	it('is not renewed once it is committed', async () => {
		expect(await hold.commit(RETENTION_MS)).toBe('committed');
		expect(jest.getTimerCount()).toBe(0);
		await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
		expect(ledger.count('renew')).toBe(0);
		expect(stateOf(KEY)).toBe('stored');
	});

	it('is not renewed once it is released', async () => {
		await hold.release();
		await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
		expect(ledger.count('renew')).toBe(0);
		expect(stateOf(KEY)).toBe('free');
	});

	it('survives renewals that fail for less than its lease', async () => {
		ledger.failing = true;
		await jest.advanceTimersByTimeAsync(45_000);
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(MINUTE_MS);
		expect(stateOf(KEY)).toBe('pending');
	});

	it('is taken again when the store has lost it, and can be committed and released then', async () => {
		ledger.entries.clear();
		await jest.advanceTimersByTimeAsync(20_000);
		expect(stateOf(KEY)).toBe('pending');
		await hold.release();
		expect(stateOf(KEY)).toBe('free');
	});

	it('is released permanently even while a renewal is taking it again', async () => {
		ledger.entries.clear();
		ledger.delayMs = 100;
		await jest.advanceTimersByTimeAsync(20_150);
		expect(ledger.calls.at(-1)).toBe('claim');
		const release = hold.release();
		await jest.advanceTimersByTimeAsync(1_000);
		await release;
		expect(stateOf(KEY)).toBe('free');
	});

	it('does not touch a claim that another has taken over', async () => {
		ledger.entries.clear();
		await ledger.claim(KEY, 10 * MINUTE_MS);
		await jest.advanceTimersByTimeAsync(MINUTE_MS);
		await hold.release();
		expect(stateOf(KEY)).toBe('pending');
	});

	it('keeps trying to take back a claim that another holds, and commits it then', async () => {
		ledger.entries.clear();
		const other = await ledger.claim(KEY, 10 * MINUTE_MS);
		await jest.advanceTimersByTimeAsync(MINUTE_MS);
		expect(ledger.count('renew')).toBe(3);
		if (other.state === 'claimed') await ledger.release(other.claim);
		expect(stateOf(KEY)).toBe('free');
		await jest.advanceTimersByTimeAsync(20_000);
		expect(stateOf(KEY)).toBe('pending');
		const commit = jest.spyOn(ledger, 'commit');
		expect(await hold.commit(RETENTION_MS)).toBe('committed');
		expect(await commit.mock.results[0]?.value).toBe(true);
		expect(stateOf(KEY)).toBe('stored');
	});

	it('keeps no process alive, neither by its renewals nor by a commit that is tried again', async () => {
		const timers = jest.spyOn(global, 'setTimeout');
		await claimed('another');
		ledger.failing = true;
		void hold.commit(RETENTION_MS);
		await jest.advanceTimersByTimeAsync(MINUTE_MS);
		const made = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
		expect(made.length).toBeGreaterThan(30);
		expect(made.filter((timer) => timer.hasRef())).toEqual([]);
	});

	it('commits although another has taken it over, since the run is stored', async () => {
		ledger.entries.clear();
		await ledger.claim(KEY, 10 * MINUTE_MS);
		expect(await hold.commit(RETENTION_MS)).toBe('committed');
		expect(stateOf(KEY)).toBe('stored');
	});

	it.each(['stored', 'begun'] as const)(
		'stops renewing an event that is %s by now',
		async (state) => {
			ledger.put(KEY, state);
			await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
			expect(ledger.count('renew')).toBe(1);
		},
	);

	it('takes nothing back from a run that has begun before the commit', async () => {
		await ledger.begin([KEY], 'run', RETENTION_MS);
		expect(await hold.commit(RETENTION_MS)).toBe('committed');
		expect(stateOf(KEY)).toBe('begun');
	});

	it('is committed once, however often it is asked', async () => {
		const answers = await Promise.all([hold.commit(RETENTION_MS), hold.commit(RETENTION_MS)]);
		expect(answers).toEqual(['committed', 'committed']);
		expect(ledger.count('commit')).toBe(1);
	});

	it('does not reject a release that cannot be written, and leaves the rest to the lease', async () => {
		ledger.failing = true;
		await hold.release();
		expect(stateOf(KEY)).toBe('pending');
		await jest.advanceTimersByTimeAsync(MINUTE_MS);
		expect(stateOf(KEY)).toBe('free');
	});

	describe('whose commit cannot be written', () => {
		async function answerOf(
			commit: Promise<string>,
			withinMs: number,
		): Promise<{ before: string | undefined; after: string | undefined }> {
			let answer: string | undefined;
			void commit.then((given) => {
				answer = given;
			});
			await jest.advanceTimersByTimeAsync(withinMs - 10);
			const before = answer;
			await jest.advanceTimersByTimeAsync(20);
			return { before, after: answer };
		}

		it.each(['failing', 'hanging'] as const)(
			'returns unwritten after 2 s, with a store that is %s',
			async (broken) => {
				ledger[broken] = true;
				expect(await answerOf(hold.commit(RETENTION_MS), 2_000)).toEqual({
					before: undefined,
					after: 'unwritten',
				});
			},
		);

		it('returns committed if it is written within that time', async () => {
			ledger.failing = true;
			const commit = hold.commit(RETENTION_MS);
			await jest.advanceTimersByTimeAsync(1_000);
			ledger.failing = false;
			await jest.advanceTimersByTimeAsync(1_000);
			expect(await commit).toBe('committed');
		});

		it('is written within a second or so of the return of the store, minutes later', async () => {
			ledger.failing = true;
			const commit = hold.commit(RETENTION_MS);
			await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
			expect(await commit).toBe('unwritten');
			ledger.failing = false;
			await jest.advanceTimersByTimeAsync(1_000);
			expect(stateOf(KEY)).toBe('stored');
		});

		it('keeps its claim as long as renewals can be written', async () => {
			const write = jest.spyOn(ledger, 'commit').mockRejectedValue(new Error('No space'));
			void hold.commit(RETENTION_MS);
			await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
			expect(stateOf(KEY)).toBe('pending');
			write.mockRestore();
			await jest.advanceTimersByTimeAsync(1_000);
			expect(stateOf(KEY)).toBe('stored');
		});

		it('is tried about once a second, not in a tight loop', async () => {
			ledger.failing = true;
			void hold.commit(RETENTION_MS);
			await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
			expect(ledger.count('commit')).toBeGreaterThan(600);
			expect(ledger.count('commit')).toBeLessThan(1_250);
		});

		it.each([
			['after an hour, renewals included', RETENTION_MS, 61],
			['when the event would be forgotten by then', 5 * MINUTE_MS, 6],
		])('is given up %s', async (_when, retentionMs, minutes) => {
			ledger.failing = true;
			void hold.commit(retentionMs);
			await jest.advanceTimersByTimeAsync(minutes * MINUTE_MS);
			const calls = ledger.calls.length;
			await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);
			expect(await hold.commit(retentionMs)).toBe('unwritten');
			expect(ledger.calls).toHaveLength(calls);
			expect(jest.getTimerCount()).toBe(0);
		});
	});
});
