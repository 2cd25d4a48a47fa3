import { beginOrWait, ledgerKey, LedgerUnavailableError } from '../../../lib/ledger';
import { MemoryLedger } from './memoryLedger';
import { useStoppedClock } from './stoppedClock';

const [ONE, TWO] = [ledgerKey('w', '1'), ledgerKey('w', '2')];
const KEYS = [ONE, TWO];
const RETENTION_MS = 1_000_000_000;
const beginning = (run: string) =>
	({ run, acknowledge: 'stored', retentionMs: RETENTION_MS }) as const;

describe('beginOrWait', () => {
	let ledger: MemoryLedger;

	/** What is still to be written would be tried by the next test. */
	afterEach(async () => {
		[ledger.failing, ledger.losing] = [false, false];
		await jest.advanceTimersByTimeAsync(10_000);
	});
	useStoppedClock();

	beforeEach(() => {
		ledger = new MemoryLedger();
	});

	const open = async () => ledger;
	const states = () => KEYS.map((key) => ledger.stateOf(key));

	/** Its result, once there is one. */
	function watch(begin: Promise<boolean[]>): { outcome: boolean[] | string | undefined } {
		const watched: { outcome: boolean[] | string | undefined } = { outcome: undefined };
		begin.then(
			(answers) => (watched.outcome = answers),
			(error: unknown) => (watched.outcome = String(error)),
		);
		return watched;
	}

	const start = (options = {}) => watch(beginOrWait(open, KEYS, beginning('run'), options));

	it('returns the result of the ledger, with one call', async () => {
		ledger.put(TWO, 'running');
		expect(await beginOrWait(open, KEYS, beginning('run'))).toEqual([true, false]);
		expect(ledger.calls).toEqual(['begin']);
		expect(await ledger.look(ONE)).toEqual({
			state: 'running',
			attempts: 1,
			run: 'run',
			runningMs: 0,
		});
	});

	it('retries while the ledger is down, and continues within half a second of its return', async () => {
		ledger.failing = true;
		const begin = start();
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
		const begin = start();
		await jest.advanceTimersByTimeAsync(29_000);
		expect(begin.outcome).toBeUndefined();
		await jest.advanceTimersByTimeAsync(1_000);
		expect(begin.outcome).toBe('LedgerUnavailableError: The disk is full');
		expect(ledger.entries.size).toBe(0);
	});

	it('gives back events that it began and cannot use, and stored ones, once the ledger works', async () => {
		ledger.put(TWO, 'stored');
		await ledger.begin([ledgerKey('w', '3')], beginning('another'));
		ledger.losing = true;
		const begin = watch(beginOrWait(open, [ONE], beginning('run'), { waitMs: 0 }));
		await jest.advanceTimersByTimeAsync(0);
		ledger.failing = true;
		const late = watch(beginOrWait(open, [TWO], beginning('late run'), { waitMs: 0 }));
		await jest.advanceTimersByTimeAsync(10_000);
		for (const { outcome } of [begin, late]) expect(outcome).toMatch(/LedgerUnavailableError/);
		[ledger.failing, ledger.losing] = [false, false];
		await jest.advanceTimersByTimeAsync(5_000);
		expect(states()).toEqual(['overdue', 'overdue']);
	});

	it('gives back again an event that a late begin marks after the attempt gave up, not one stored since', async () => {
		const begin = ledger.begin.bind(ledger);
		const lost = new LedgerUnavailableError('The response was lost');
		jest.spyOn(ledger, 'begin').mockRejectedValue(lost);
		start({ waitMs: 0 });
		await jest.advanceTimersByTimeAsync(1_000);
		await begin([ONE], beginning('run'));
		ledger.put(TWO, 'stored');
		expect(states()).toEqual(['running', 'stored']);
		await jest.advanceTimersByTimeAsync(3_000);
		expect(states()).toEqual(['overdue', 'stored']);
		expect(ledger.count('giveBack')).toBe(2 * KEYS.length);
	});

	it('gives back an event whose commit is written after the attempt gave up', async () => {
		const answer = await ledger.claim(ONE);
		if (answer.state !== 'claimed') throw new Error(answer.state);
		ledger.failing = true;
		start({ waitMs: 0 });
		await jest.advanceTimersByTimeAsync(1_000);
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(20_000);
		expect(ledger.stateOf(ONE)).toBe('pending');
		await ledger.commit([answer.claim], RETENTION_MS);
		await jest.advanceTimersByTimeAsync(2_000);
		expect(ledger.stateOf(ONE)).toBe('overdue');
	});

	it('gives back each event once, even if another one cannot be written for long', async () => {
		const change = ledger.store.change.bind(ledger.store);
		let isDown = true;
		jest.spyOn(ledger.store, 'change').mockImplementation(async (keys, ...rest) => {
			if (isDown && keys.some(({ key }) => key === TWO)) throw new LedgerUnavailableError('Down');
			return await change(keys, ...rest);
		});
		for (const key of KEYS) ledger.put(key, 'stored');
		start({ waitMs: 0 });
		await jest.advanceTimersByTimeAsync(2_000);
		expect(states()).toEqual(['overdue', 'stored']);
		ledger.put(ONE, 'stored');
		await jest.advanceTimersByTimeAsync(5_000);
		isDown = false;
		await jest.advanceTimersByTimeAsync(5_000);
		expect(states()).toEqual(['stored', 'overdue']);
	});

	it('counts the time that a slow ledger takes', async () => {
		ledger.failing = true;
		ledger.store.delayMs = 10_000;
		const begin = start({ waitMs: 15_000 });
		await jest.advanceTimersByTimeAsync(21_000);
		ledger.store.delayMs = 0;
		expect(begin.outcome).toMatch(/The disk is full/);
		expect(ledger.count('begin')).toBe(2);
	});

	it('does not count the time in which the process had no core, between two tries or within one', async () => {
		ledger.failing = true;
		const begin = start();
		await jest.advanceTimersByTimeAsync(1_000);
		// No turn of the event loop in between: the next try comes a minute late.
		jest.advanceTimersByTime(60_000);
		await jest.advanceTimersByTimeAsync(1_000);
		expect(begin.outcome).toBeUndefined();
		ledger.store.delayMs = 60_000;
		const tries = ledger.count('begin');
		// No pause is longer: by then one more try has begun, and it is the only one that is held up.
		await jest.advanceTimersByTimeAsync(500);
		expect(ledger.count('begin')).toBe(tries + 1);
		ledger.store.delayMs = 0;
		await jest.advanceTimersByTimeAsync(60_000);
		expect(begin.outcome).toBeUndefined();
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(500);
		expect(begin.outcome).toEqual([true, true]);
	});

	it('asks again while the ledger cannot be opened', async () => {
		let isOpen = false;
		const openLater = async () => {
			if (isOpen) return ledger;
			throw new LedgerUnavailableError('The setting is wrong');
		};
		const begin = watch(beginOrWait(openLater, KEYS, beginning('run')));
		await jest.advanceTimersByTimeAsync(25_000);
		expect(begin.outcome).toBeUndefined();
		isOpen = true;
		await jest.advanceTimersByTimeAsync(500);
		expect(begin.outcome).toEqual([true, true]);
	});

	it('throws any other error at once: nothing was wrong with the ledger, so there is nothing to undo', async () => {
		const wrong = beginOrWait(open, ['no key'], beginning('run'));
		await expect(wrong).rejects.toThrow('A ledger key comes from ledgerKey()');
		expect(ledger.calls).toEqual(['begin']);
	});

	it('can ask again if a response was lost', async () => {
		await ledger.look(ONE);
		ledger.losing = true;
		const begin = start();
		await jest.advanceTimersByTimeAsync(0);
		expect(states()).toEqual(['running', 'running']);
		ledger.losing = false;
		await jest.advanceTimersByTimeAsync(500);
		expect(begin.outcome).toEqual([true, true]);
	});

	it('stops with the reason of the signal, asks no more, and gives the events back', async () => {
		ledger.failing = true;
		const abort = new AbortController();
		const begin = start({ signal: abort.signal });
		await jest.advanceTimersByTimeAsync(1_000);
		abort.abort(new Error('The execution was cancelled'));
		await jest.advanceTimersByTimeAsync(0);
		expect(begin.outcome).toBe('Error: The execution was cancelled');
		const asked = ledger.count('begin');
		ledger.failing = false;
		await jest.advanceTimersByTimeAsync(30_000);
		expect(ledger.count('begin')).toBe(asked);
		expect(ledger.count('giveBack')).toBeGreaterThanOrEqual(2);
	});

	it('asks nothing for a signal that has been given already', async () => {
		const signal = AbortSignal.abort(new Error('The execution was cancelled'));
		const begin = beginOrWait(open, KEYS, beginning('run'), { signal });
		await expect(begin).rejects.toThrow('The execution was cancelled');
		expect(ledger.count('begin')).toBe(0);
	});
});
