import { claimOrWait, type Hold } from '../../../lib/ledger';
import { Leases } from '../../../lib/ledger/leases';
import { MemoryLedger } from './memoryLedger';
import { useStoppedClock } from './stoppedClock';

const KEY = 'event';
const RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;

describe('a claim that is held', () => {
	useStoppedClock();
	let ledger: MemoryLedger;
	let leases: Leases;
	let hold: Hold;

	beforeEach(async () => {
		ledger = new MemoryLedger();
		leases = new Leases();
		const answer = await claimOrWait(ledger, KEY, { leases });
		if (answer.outcome !== 'claimed') throw new Error(`The event is ${answer.outcome}`);
		({ hold } = answer);
	});

	const state = () => ledger.stateOf(KEY);

	it('is given back when it is released after its commit: the next copy can be claimed at once', async () => {
		await hold.commit(RETENTION_MS);
		await hold.release();
		expect(state()).toBe('overdue');
		expect(ledger.count('release')).toBe(0);
		expect(jest.getTimerCount()).toBe(0);
		expect(await claimOrWait(ledger, KEY, { leases })).toMatchObject({ outcome: 'claimed' });
	});

	it('stays begun when it is released after its commit and its run has begun', async () => {
		await hold.commit(RETENTION_MS);
		await ledger.begin([KEY], 'run', RETENTION_MS);
		await hold.release();
		expect(state()).toBe('begun');
	});

	it('is given back once its commit is written if the ledger fails in the meantime, and keeps no caller waiting for over 2 s', async () => {
		ledger.failing = true;
		void hold.commit(RETENTION_MS);
		let released = false;
		void hold.release().then(() => {
			released = true;
		});
		await jest.advanceTimersByTimeAsync(2_000);
		expect(released).toBe(true);
		await jest.advanceTimersByTimeAsync(5 * 60_000);
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(10_000);
		expect(state()).toBe('overdue');
	});
});
