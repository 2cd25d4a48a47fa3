import { claimOrWait, ledgerKey, LedgerUnavailableError } from '../../../lib/ledger';
import { SESSION_MS } from '../../../lib/ledger/common/store';
import { MemoryLedger } from './memoryLedger';
import { useStoppedClock } from './stoppedClock';

const KEY = ledgerKey('workflow', 'event');
const RETENTION_MS = 1_000_000;
const BEGINNING = { run: 'run', acknowledge: 'stored', retentionMs: RETENTION_MS } as const;

type Outcome = Awaited<ReturnType<typeof claimOrWait>>;

describe('claimOrWait', () => {
	useStoppedClock();
	let ledger: MemoryLedger;

	beforeEach(() => {
		ledger = new MemoryLedger();
	});

	async function held() {
		const answer = await claimOrWait(ledger, KEY);
		if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
		return answer.claim;
	}

	it('claims a new event', async () => {
		const outcome = await claimOrWait(ledger, KEY);
		expect(outcome).toMatchObject({ state: 'claimed', attempts: 0, claim: { key: KEY } });
		expect(ledger.calls).toEqual(['claim']);
	});

	it('returns committed at once for an event that is stored', async () => {
		await ledger.commit([await held()], RETENTION_MS);
		expect(await claimOrWait(ledger, KEY)).toEqual({ state: 'committed' });
	});

	it('returns at once for an event that is due again later, with the time', async () => {
		ledger.put(KEY, 'failed', { repeats: true });
		expect(await claimOrWait(ledger, KEY)).toEqual({ state: 'pending', retryAfterMs: 60_000 });
		expect(ledger.calls).toEqual(['claim']);
	});

	it('waits while a delivery is handed over, and returns committed when it is stored', async () => {
		const claim = await held();
		const redelivery = claimOrWait(ledger, KEY);
		await jest.advanceTimersByTimeAsync(10_000);
		await ledger.commit([claim], RETENTION_MS);
		await jest.advanceTimersByTimeAsync(250);
		expect(await redelivery).toEqual({ state: 'committed' });
	});

	it('takes over when the delivery before it is released', async () => {
		const claim = await held();
		const redelivery = claimOrWait(ledger, KEY);
		await jest.advanceTimersByTimeAsync(5_000);
		await ledger.release([claim]);
		await jest.advanceTimersByTimeAsync(250);
		expect(await redelivery).toMatchObject({ state: 'claimed' });
	});

	it('takes over when the process that has it dies', async () => {
		// So long that this process can take others for dead.
		await ledger.claim(ledgerKey('workflow', 'another'));
		await jest.advanceTimersByTimeAsync(2 * SESSION_MS);
		ledger.put(KEY, 'pending', { holder: 'dying' });
		ledger.store.sessions.set('dying', Date.now() + 8_000);
		const redelivery = claimOrWait(ledger, KEY);
		await jest.advanceTimersByTimeAsync(8_250);
		expect(await redelivery).toMatchObject({ state: 'claimed' });
	});

	it('returns pending after 20 s, not before', async () => {
		await held();
		let outcome: Outcome | undefined;
		void claimOrWait(ledger, KEY).then((answer) => (outcome = answer));
		await jest.advanceTimersByTimeAsync(19_990);
		expect(outcome).toBeUndefined();
		await jest.advanceTimersByTimeAsync(20);
		expect(outcome).toEqual({ state: 'pending' });
	});

	it('looks quickly at first and every quarter of a second or so later', async () => {
		ledger.put(KEY, 'pending');
		const redelivery = claimOrWait(ledger, KEY);
		await jest.advanceTimersByTimeAsync(100);
		expect(ledger.count('claim')).toBeGreaterThanOrEqual(3);
		await jest.advanceTimersByTimeAsync(19_910);
		expect(await redelivery).toEqual({ state: 'pending' });
		expect(ledger.count('claim')).toBeLessThan(20_000 / 125 + 10);
	});

	it('throws when the ledger fails at the first look', async () => {
		ledger.failing = true;
		await expect(claimOrWait(ledger, KEY)).rejects.toThrow(LedgerUnavailableError);
	});

	describe('for many deliveries', () => {
		const deliveries = (count: number) =>
			Array.from({ length: count }, () => claimOrWait(ledger, KEY));

		/** The outcomes so far, in order of arrival. */
		function collect(waits: readonly Promise<Outcome>[]): (string | undefined)[] {
			const outcomes: (string | undefined)[] = waits.map(() => undefined);
			for (const [n, wait] of waits.entries()) void wait.then(({ state }) => (outcomes[n] = state));
			return outcomes;
		}

		it('asks the ledger no more often than for one', async () => {
			ledger.put(KEY, 'pending');
			const waits = deliveries(100);
			await jest.advanceTimersByTimeAsync(10_000);
			waits.push(...deliveries(100));
			await jest.advanceTimersByTimeAsync(21_000);
			expect((await Promise.all(waits)).every(({ state }) => state === 'pending')).toBe(true);
			expect(ledger.count('claim')).toBeLessThan(30_000 / 125 + 10);
		});

		it('asks for one that came later when the time of the first is over, until its own is', async () => {
			const claim = await held();
			const first = deliveries(1);
			await jest.advanceTimersByTimeAsync(15_000);
			const outcomes = collect([...first, ...deliveries(2)]);
			await jest.advanceTimersByTimeAsync(5_010);
			expect(outcomes).toEqual(['pending', undefined, undefined]);
			await jest.advanceTimersByTimeAsync(10_000);
			await ledger.release([claim]);
			await jest.advanceTimersByTimeAsync(250);
			expect(outcomes).toEqual(['pending', 'claimed', undefined]);
			await jest.advanceTimersByTimeAsync(5_000);
			expect(outcomes).toEqual(['pending', 'claimed', 'pending']);
		});

		it('gives the claim to one, and waits for its outcome with the others', async () => {
			const claim = await held();
			const outcomes = collect(deliveries(5));
			await ledger.release([claim]);
			await jest.advanceTimersByTimeAsync(250);
			expect(outcomes).toEqual(['claimed', ...Array<undefined>(4)]);
			await ledger.begin([KEY], BEGINNING);
			await jest.advanceTimersByTimeAsync(250);
			expect(outcomes).toEqual(['claimed', ...Array<string>(4).fill('committed')]);
		});

		it('claims the event for one of those that came at the same moment, at its first look', async () => {
			const outcomes = collect(deliveries(5));
			await jest.advanceTimersByTimeAsync(0);
			expect(outcomes).toEqual(['claimed', ...Array<undefined>(4)]);
		});

		it('fails for all of them when the ledger fails, and asks again for the next one', async () => {
			await held();
			const failed = deliveries(5).map((wait) =>
				expect(wait).rejects.toThrow(LedgerUnavailableError),
			);
			ledger.failing = true;
			await jest.advanceTimersByTimeAsync(250);
			await Promise.all(failed);
			ledger.failing = false;
			await ledger.begin([KEY], BEGINNING);
			expect(await claimOrWait(ledger, KEY)).toEqual({ state: 'committed' });
		});

		it('keeps nothing of an event that nobody waits for, and mixes up neither events nor ledgers', async () => {
			const [another, key] = [new MemoryLedger(), ledgerKey('workflow', 'another event')];
			ledger.put(KEY, 'pending');
			const waits = claimOrWait(ledger, KEY);
			expect(await claimOrWait(ledger, key)).toMatchObject({ state: 'claimed' });
			expect(await claimOrWait(another, KEY)).toMatchObject({ state: 'claimed' });
			await jest.advanceTimersByTimeAsync(21_000);
			expect(await waits).toEqual({ state: 'pending' });
			ledger.entries.clear();
			expect(await claimOrWait(ledger, KEY)).toMatchObject({ state: 'claimed' });
		});
	});
});
