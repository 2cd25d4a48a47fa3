import { claimOrWait, type Hold, LedgerUnavailableError } from '../../../lib/ledger';
import { MemoryLedger } from './memoryLedger';
import { useStoppedClock } from './stoppedClock';

const KEY = 'event';
const RETENTION_MS = 1_000_000;

describe('claimOrWait', () => {
	useStoppedClock();
	let ledger: MemoryLedger;

	beforeEach(() => {
		ledger = new MemoryLedger();
	});

	async function held(): Promise<Hold> {
		const answer = await claimOrWait(ledger, KEY);
		if (answer.outcome !== 'claimed') throw new Error(`The event is ${answer.outcome}`);
		return answer.hold;
	}

	it('claims an event that nobody has seen', async () => {
		expect(await claimOrWait(ledger, KEY)).toMatchObject({ outcome: 'claimed' });
		expect(ledger.calls).toEqual(['claim']);
	});

	it('answers duplicate at once for an event that is committed', async () => {
		await (await held()).commit(RETENTION_MS);
		expect(await claimOrWait(ledger, KEY)).toEqual({ outcome: 'duplicate' });
	});

	it('waits while a copy is pending, and answers duplicate when it is committed', async () => {
		const hold = await held();
		const copy = claimOrWait(ledger, KEY);
		await jest.advanceTimersByTimeAsync(10_000);
		await hold.commit(RETENTION_MS);
		await jest.advanceTimersByTimeAsync(250);
		expect(await copy).toEqual({ outcome: 'duplicate' });
	});

	it('takes over when the pending copy is released', async () => {
		const hold = await held();
		const copy = claimOrWait(ledger, KEY);
		await jest.advanceTimersByTimeAsync(5_000);
		await hold.release();
		await jest.advanceTimersByTimeAsync(250);
		expect(await copy).toMatchObject({ outcome: 'claimed' });
	});

	it('takes over when the holder has died and its lease is over', async () => {
		await ledger.claim(KEY, 8_000);
		const copy = claimOrWait(ledger, KEY);
		await jest.advanceTimersByTimeAsync(8_250);
		expect(await copy).toMatchObject({ outcome: 'claimed' });
	});

	it('gives an event that is released to exactly one of many who wait', async () => {
		const hold = await held();
		const copies = Array.from({ length: 20 }, () => claimOrWait(ledger, KEY));
		await jest.advanceTimersByTimeAsync(1_000);
		await hold.release();
		await jest.advanceTimersByTimeAsync(20_000);
		const outcomes = (await Promise.all(copies)).map(({ outcome }) => outcome);
		expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
		expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(19);
	});

	it('answers busy after 20 s, not before', async () => {
		await held();
		let outcome: string | undefined;
		void claimOrWait(ledger, KEY).then((answer) => {
			outcome = answer.outcome;
		});
		await jest.advanceTimersByTimeAsync(19_990);
		expect(outcome).toBeUndefined();
		await jest.advanceTimersByTimeAsync(20);
		expect(outcome).toBe('busy');
	});

	it('looks quickly at first and every quarter of a second or so later', async () => {
		await ledger.claim(KEY, 60_000);
		const copy = claimOrWait(ledger, KEY);
		await jest.advanceTimersByTimeAsync(100);
		expect(ledger.count('claim')).toBeGreaterThanOrEqual(3);
		await jest.advanceTimersByTimeAsync(19_910);
		expect(await copy).toEqual({ outcome: 'busy' });
		expect(ledger.count('claim')).toBeLessThan(20_000 / 125 + 10);
	});

	it('throws when the ledger fails at the first look', async () => {
		ledger.failing = true;
		await expect(claimOrWait(ledger, KEY)).rejects.toThrow(LedgerUnavailableError);
	});

	it('throws when the ledger fails while a copy waits', async () => {
		await held();
		const copy = claimOrWait(ledger, KEY);
		const failed = expect(copy).rejects.toThrow(LedgerUnavailableError);
		await jest.advanceTimersByTimeAsync(1_000);
		ledger.failing = true;
		await jest.advanceTimersByTimeAsync(250);
		await failed;
	});
});
