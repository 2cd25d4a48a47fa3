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

	it('claims a new event', async () => {
		expect(await claimOrWait(ledger, KEY)).toMatchObject({ outcome: 'claimed' });
		expect(ledger.calls).toEqual(['claim']);
	});

	it('returns duplicate at once for a committed event', async () => {
		await (await held()).commit(RETENTION_MS);
		expect(await claimOrWait(ledger, KEY)).toEqual({ outcome: 'duplicate' });
	});

	it('waits while a copy is pending, and returns duplicate when it is committed', async () => {
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

	it('returns busy after 20 s, not before', async () => {
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

	describe('of many copies', () => {
		type Outcome = Awaited<ReturnType<typeof claimOrWait>>['outcome'];
		const LEASE_MS = 10 * 60_000;

		/** The outcomes so far, by the order of the copies. */
		function collect(copies: readonly ReturnType<typeof claimOrWait>[]): (Outcome | undefined)[] {
			const outcomes: (Outcome | undefined)[] = copies.map(() => undefined);
			for (const [n, copy] of copies.entries()) {
				void copy.then(({ outcome }) => (outcomes[n] = outcome));
			}
			return outcomes;
		}
		const copiesOf = (count: number) =>
			Array.from({ length: count }, () => claimOrWait(ledger, KEY));

		it('asks the ledger no more often than for one', async () => {
			await ledger.claim(KEY, LEASE_MS);
			const copies = copiesOf(100);
			await jest.advanceTimersByTimeAsync(10_000);
			copies.push(...copiesOf(100));
			await jest.advanceTimersByTimeAsync(21_000);
			expect((await Promise.all(copies)).every(({ outcome }) => outcome === 'busy')).toBe(true);
			expect(ledger.count('claim')).toBeLessThan(30_000 / 125 + 10);
		});

		it('asks for one that came later when the first one’s time is over, until its own is', async () => {
			const held = await ledger.claim(KEY, LEASE_MS);
			const copies = copiesOf(1);
			await jest.advanceTimersByTimeAsync(15_000);
			const outcomes = collect([...copies, ...copiesOf(2)]);
			await jest.advanceTimersByTimeAsync(5_010);
			expect(outcomes).toEqual(['busy', undefined, undefined]);
			await jest.advanceTimersByTimeAsync(10_000);
			if (held.state === 'claimed') await ledger.release(held.claim);
			await jest.advanceTimersByTimeAsync(250);
			expect(outcomes).toEqual(['busy', 'claimed', undefined]);
			await jest.advanceTimersByTimeAsync(5_000);
			expect(outcomes).toEqual(['busy', 'claimed', 'busy']);
		});

		it('gives the claim to one, and waits for its outcome with the others', async () => {
			const first = await held();
			const outcomes = collect(copiesOf(5));
			await first.release();
			await jest.advanceTimersByTimeAsync(250);
			expect(outcomes).toEqual(['claimed', ...Array<undefined>(4)]);
			expect(ledger.entries.get(KEY)?.state).toBe('pending');
			await ledger.begin([KEY], 'run', RETENTION_MS);
			await jest.advanceTimersByTimeAsync(250);
			expect(outcomes).toEqual(['claimed', ...Array<string>(4).fill('duplicate')]);
		});

		it('claims the event for one of those that came at the same moment, at its first look', async () => {
			const outcomes = collect(copiesOf(5));
			await jest.advanceTimersByTimeAsync(0);
			expect(outcomes).toEqual(['claimed', ...Array<undefined>(4)]);
		});

		it('fails for all of them when the ledger fails, and asks again for the next one', async () => {
			await held();
			const failed = copiesOf(5).map((copy) =>
				expect(copy).rejects.toThrow(LedgerUnavailableError),
			);
			ledger.failing = true;
			await jest.advanceTimersByTimeAsync(250);
			await Promise.all(failed);
			ledger.failing = false;
			await ledger.begin([KEY], 'run', RETENTION_MS);
			expect(await claimOrWait(ledger, KEY)).toEqual({ outcome: 'duplicate' });
		});

		it('keeps no count of an event without waiting copies, and mixes up neither events nor ledgers', async () => {
			const another = new MemoryLedger();
			await ledger.claim(KEY, LEASE_MS);
			const waits = claimOrWait(ledger, KEY);
			expect(await claimOrWait(ledger, 'another event')).toMatchObject({ outcome: 'claimed' });
			expect(await claimOrWait(another, KEY)).toMatchObject({ outcome: 'claimed' });
			await jest.advanceTimersByTimeAsync(21_000);
			expect(await waits).toEqual({ outcome: 'busy' });
			ledger.entries.clear();
			expect(await claimOrWait(ledger, KEY)).toMatchObject({ outcome: 'claimed' });
		});
	});
});
