import { ledgerKey, LedgerUnavailableError } from '../../../lib/ledger';
import { SESSION_MS } from '../../../lib/ledger/common/store';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { Session } from '../../../lib/ledger/session';
import { MemoryLedger } from './memoryLedger';
import { useStoppedClock } from './stoppedClock';

const KEY = ledgerKey('workflow', 'event');
const RETENTION_MS = 1_000_000_000;
const BEGINNING = { run: 'run', acknowledge: 'stored', retentionMs: RETENTION_MS } as const;

describe('the ledger of a process', () => {
	useStoppedClock();
	let ledger: MemoryLedger;
	let other: MemoryLedger;

	beforeEach(() => {
		ledger = new MemoryLedger();
		other = new MemoryLedger(ledger.store);
	});

	async function claimed(by = ledger) {
		const answer = await by.claim(KEY);
		if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
		return answer.claim;
	}

	it('needs one write for its session, and one call of the store for each step', async () => {
		const claim = await claimed();
		expect(ledger.store.trips).toBe(2);
		await ledger.commit([claim], RETENTION_MS);
		await ledger.begin([KEY], BEGINNING);
		await ledger.end('run', 'succeeded');
		expect(ledger.store.trips).toBe(5);
	});

	it('holds nothing without a session that lives', async () => {
		ledger.failing = true;
		await expect(ledger.claim(KEY)).rejects.toThrow(LedgerUnavailableError);
		await expect(ledger.begin([KEY], BEGINNING)).rejects.toThrow(LedgerUnavailableError);
		expect(ledger.store.trips).toBe(2);
	});

	it('does not begin what another process took over while this one was paused', async () => {
		const { store } = ledger;
		let pausedMs = 0;
		const clock = () => performance.now() + pausedMs;
		const session = new Session(store, { onLost: () => undefined, clock });
		const change = store.change.bind(store);
		jest.spyOn(store, 'change').mockImplementationOnce(async (...asked) => {
			const result = await change(...asked);
			store.put(KEY, 'done');
			pausedMs = SESSION_MS;
			return result;
		});
		const paused = new EventLedger({ store, session });
		expect(await paused.begin([KEY], BEGINNING)).toEqual([false]);
		expect(paused.isRunning).toBe(false);
	});

	it('rejects a key that ledgerKey did not create, and changes nothing', async () => {
		const claim = await claimed();
		const wrong = { ...claim, key: `${KEY}x` };
		const calls = [
			() => ledger.look('whevt_1'),
			() => ledger.claim('whevt_1'),
			() => ledger.commit([claim, wrong], 1),
			() => ledger.begin([KEY, wrong.key], BEGINNING),
			() => ledger.giveBack([KEY, wrong.key], 'run'),
		];
		for (const call of calls) await expect(call()).rejects.toThrow(TypeError);
		expect(ledger.stateOf(KEY)).toBe('pending');
	});

	it('keeps a claim for a day, and an event for the retention', async () => {
		const expiresIn = () => (ledger.entries.get(KEY)?.expires ?? 0) - Date.now();
		const claim = await claimed();
		expect(expiresIn()).toBe(24 * 60 * 60_000);
		await ledger.commit([claim], RETENTION_MS);
		expect(expiresIn()).toBe(RETENTION_MS);
		await ledger.begin([KEY], { ...BEGINNING, retentionMs: 2 * RETENTION_MS });
		expect(expiresIn()).toBe(2 * RETENTION_MS);
		await ledger.reopen([KEY], 1, 3 * RETENTION_MS);
		expect(expiresIn()).toBe(2 * RETENTION_MS);
		await ledger.end('run', 'succeeded');
		await ledger.reopen([KEY], 1, 3 * RETENTION_MS);
		expect(expiresIn()).toBe(3 * RETENTION_MS);
	});

	it('begins, ends and gives back many events together, each as if by itself', async () => {
		const keys = ['1', '2', '3'].map((id) => ledgerKey('workflow', id));
		const states = () => keys.map((key) => ledger.stateOf(key));
		expect(await other.begin(keys.slice(0, 1), { ...BEGINNING, run: 'first' })).toEqual([true]);
		expect(await ledger.begin(keys, BEGINNING)).toEqual([false, true, true]);
		await ledger.end('run', 'failed');
		expect([states(), ledger.isRunning]).toEqual([['running', 'failed', 'failed'], false]);
		await ledger.reopen(keys, 7, RETENTION_MS);
		expect(states()).toEqual(['running', 'overdue', 'overdue']);
		const again = { ...BEGINNING, run: 'again' };
		expect(await ledger.begin(keys, again)).toEqual([false, true, true]);
		expect(await ledger.begin(keys, again)).toEqual([false, true, true]);
		expect(await ledger.giveBack(keys, 'again')).toEqual([true, true, true]);
		expect([states(), ledger.isRunning]).toEqual([['running', 'overdue', 'overdue'], false]);
	});

	it('gives back its own hand-over, and not one that came after it', async () => {
		const claim = await claimed();
		expect(await ledger.giveBack([KEY], 'run')).toEqual([false]);
		await ledger.release([claim]);
		const next = await other.claim(KEY);
		if (next.state !== 'claimed') throw new Error(next.state);
		await other.commit([next.claim], RETENTION_MS);
		expect(await ledger.giveBack([KEY], 'run')).toEqual([true]);
		expect(ledger.stateOf(KEY)).toBe('stored');
		expect(await ledger.giveBack([KEY], 'run')).toEqual([true]);
		expect(ledger.stateOf(KEY)).toBe('overdue');
	});

	it('reports the events that began although it did not know them', async () => {
		const unknown: number[] = [];
		const onUnknown = (events: number) => unknown.push(events);
		const asking = new EventLedger({ store: ledger.store, onUnknown });
		await claimed();
		await asking.begin([KEY], BEGINNING);
		expect(unknown).toEqual([]);
		await asking.begin([KEY, ledgerKey('w', '2'), ledgerKey('w', '3')], { ...BEGINNING, run: '2' });
		await asking.begin([ledgerKey('w', '4')], { ...BEGINNING, run: 'silent', reportsEnd: false });
		expect(unknown).toEqual([2]);
	});

	it('says at once that what it holds is free when it closes, and claims under another name', async () => {
		const claim = await claimed();
		await ledger.close();
		expect(ledger.stateOf(KEY)).toBe('free');
		expect((await other.claim(KEY)).state).toBe('claimed');
		await ledger.release([claim]);
		expect(await ledger.claim(KEY)).toEqual({ state: 'pending' });
	});

	it('releases a claim in the background if its response was lost', async () => {
		await ledger.look(KEY);
		ledger.losing = true;
		await expect(ledger.claim(KEY)).rejects.toThrow('The response was lost');
		expect(ledger.stateOf(KEY)).toBe('free');
		ledger.losing = false;
		await jest.advanceTimersByTimeAsync(2_000);
		expect((await other.claim(KEY)).state).toBe('claimed');
	});

	it('keeps what it runs while it closes, and continues its session until the end is written', async () => {
		await ledger.begin([KEY], BEGINNING);
		await ledger.close();
		await jest.advanceTimersByTimeAsync(10 * SESSION_MS);
		expect([ledger.isRunning, ledger.stateOf(KEY)]).toEqual([true, 'running']);
		ledger.failing = true;
		await expect(ledger.end('run', 'failed')).rejects.toThrow(LedgerUnavailableError);
		expect(ledger.isRunning).toBe(true);
		ledger.failing = false;
		await ledger.end('run', 'failed');
		expect([ledger.isRunning, ledger.stateOf(KEY)]).toEqual([false, 'failed']);
	});

	it('keeps its session while it asks to begin, and not when it has begun nothing or reports no end', async () => {
		await ledger.look(KEY);
		ledger.store.delayMs = 1_000;
		const begins = ledger.begin([KEY], BEGINNING);
		await jest.advanceTimersByTimeAsync(500);
		expect(ledger.isRunning).toBe(true);
		await jest.advanceTimersByTimeAsync(500);
		expect(await begins).toEqual([true]);
		ledger.store.delayMs = 0;
		await other.begin([KEY], { ...BEGINNING, run: 'another' });
		await other.begin([ledgerKey('w', '2')], { ...BEGINNING, run: 'silent', reportsEnd: false });
		expect(other.isRunning).toBe(false);
		await other.close();
		expect(ledger.stateOf(KEY)).toBe('running');
	});

	it('learns nothing from the end of an attempt that has begun nothing here', async () => {
		await ledger.begin([KEY], BEGINNING);
		await other.end('run', 'failed');
		expect([other.store.trips, ledger.stateOf(KEY)]).toEqual([2, 'running']);
	});

	it('does not settle with the end of an execution what a user has replayed since', async () => {
		await ledger.begin([KEY], BEGINNING);
		ledger.put(KEY, 'interrupted', { run: 'run' });
		await other.reopen([KEY], 5, RETENTION_MS);
		await ledger.end('run', 'succeeded');
		expect(await other.look(KEY)).toEqual({ state: 'overdue', attempts: 0, reopenedAt: 5 });
	});

	it('says when an execution ended, and what is known of one that was reopened', async () => {
		const now = Date.now();
		await ledger.begin([KEY], { ...BEGINNING, acknowledge: 'succeeded' });
		await ledger.end('run', 'failed');
		const known = { state: 'failed', attempts: 1, run: 'run', endedAt: now, dueInMs: 60_000 };
		expect(await other.look(KEY)).toEqual(known);
		expect(await other.reopen([KEY], 5, RETENTION_MS)).toEqual([known]);
	});

	describe('waits for an event to begin', () => {
		async function waits(ms = 10_000): Promise<{ isOver: boolean }> {
			const wait = { isOver: false };
			void ledger.untilBegun(await claimed(), ms).then(() => (wait.isOver = true));
			await jest.advanceTimersByTimeAsync(1_000);
			expect(wait.isOver).toBe(false);
			return wait;
		}

		it('and learns at once that it has begun in this process', async () => {
			const wait = await waits();
			await ledger.begin([KEY], BEGINNING);
			await jest.advanceTimersByTimeAsync(0);
			expect(wait.isOver).toBe(true);
		});

		it.each([
			['has begun in another', () => other.begin([KEY], BEGINNING)],
			[
				'is not pending any more',
				async () => {
					ledger.put(KEY, 'stored');
				},
			],
		])('and learns within a quarter of a second that it %s', async (_what, happen) => {
			const wait = await waits();
			await happen();
			await jest.advanceTimersByTimeAsync(250);
			expect(wait.isOver).toBe(true);
		});

		it('and learns nothing from a ledger that has lost its data, nor from the claim of another since', async () => {
			const wait = await waits();
			ledger.entries.clear();
			await jest.advanceTimersByTimeAsync(1_000);
			expect(wait.isOver).toBe(false);
			const theirs = await claimed(other);
			await jest.advanceTimersByTimeAsync(1_000);
			await other.commit([theirs], RETENTION_MS);
			await jest.advanceTimersByTimeAsync(1_000);
			expect(wait.isOver).toBe(false);
			await other.begin([KEY], BEGINNING);
			await jest.advanceTimersByTimeAsync(250);
			expect(wait.isOver).toBe(true);
		});

		it('no longer than it may, also while the ledger is down', async () => {
			const wait = await waits();
			ledger.failing = true;
			await jest.advanceTimersByTimeAsync(8_900);
			expect(wait.isOver).toBe(false);
			await jest.advanceTimersByTimeAsync(400);
			expect(wait.isOver).toBe(true);
			await jest.advanceTimersByTimeAsync(0);
		});
	});
});
