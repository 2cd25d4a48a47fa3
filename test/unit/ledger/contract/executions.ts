/** Tests of the contract: which execution continues with an event, and how it ends. */
import { ledgerKey } from '../../../../lib/ledger';
import { FIRST_GRACE_MS } from '../../../../lib/ledger/life/states';
import type { Outcome } from '../../../../lib/ledger/life/steps';
import {
	beginning,
	claimed,
	type LedgerScene,
	MARGIN_MS,
	MINUTE_MS,
	RETENTION_MS,
	stateOf,
	stored,
} from './scene';

const REPEATS = { acknowledge: 'succeeded' } as const;

export function itBeginsExecutions(scene: () => LedgerScene): void {
	it('are one of many that ask at once', async () => {
		const { ledger, other, key } = scene();
		const answers = await Promise.all(
			Array.from({ length: 40 }, (_unused, n) =>
				(n % 2 ? ledger : other).begin([key], beginning(`run ${n}`)),
			),
		);
		expect(answers.flat().filter((continues) => continues)).toHaveLength(1);
	});

	it('ask for many events at once, and get the results in their order', async () => {
		const { ledger, other } = scene();
		const keys = Array.from({ length: 100 }, (_unused, n) => ledgerKey('workflow', `batched ${n}`));
		const taken = keys.filter((_key, n) => n % 3 === 0);
		expect(await other.begin(taken, beginning('run 1'))).toEqual(taken.map(() => true));
		expect(await ledger.begin(keys, beginning('run 2'))).toEqual(
			keys.map((_key, n) => n % 3 !== 0),
		);
		expect(await ledger.begin([], beginning('run 3'))).toEqual([]);
	});

	it('for the same events share them, none twice', async () => {
		const { ledger, other } = scene();
		const keys = Array.from({ length: 30 }, (_unused, n) => ledgerKey('workflow', `shared ${n}`));
		const [first, second] = await Promise.all([
			ledger.begin(keys, beginning('run 1')),
			other.begin([...keys].reverse(), beginning('run 2')),
		]);
		const reversed = [...second].reverse();
		expect(keys.map((_key, n) => first[n] !== reversed[n])).toEqual(keys.map(() => true));
	});

	it('may name an event twice, and ask again', async () => {
		const { ledger, key } = scene();
		expect(await ledger.begin([key, key], beginning('run 1'))).toEqual([true, true]);
		expect(await ledger.begin([key], beginning('run 1'))).toEqual([true]);
		expect(await ledger.look(key)).toEqual({ state: 'running', attempts: 1, run: 'run 1' });
	});

	it('report the events that were free, which the ledger should have known', async () => {
		const { processes, ledger, key } = scene();
		const unknown: number[] = [];
		const { ledger: other } = await processes.start((events) => unknown.push(events));
		await stored(ledger, key);
		await other.begin([key], beginning('run 1'));
		await other.begin([key], beginning('run 2'));
		expect(unknown).toEqual([]);
		const [second, third] = [ledgerKey('workflow', '2'), ledgerKey('workflow', '3')];
		await other.begin([key, second, third], beginning('run 3'));
		expect(unknown).toEqual([2]);
	});

	it.each([
		['succeeded', 'done'],
		['failed', 'failed'],
		['canceled', 'failed'],
		['asleep', 'asleep'],
		['lost', 'interrupted'],
	] satisfies [Outcome, string][])('that are %s are %s for everybody', async (outcome, state) => {
		const { ledger, other, key } = scene();
		const second = ledgerKey('workflow', '2');
		await ledger.begin([key, second], beginning('run 1'));
		expect(ledger.isRunning).toBe(true);
		await other.end('run 1', outcome);
		expect(await stateOf(other, key)).toBe('running');
		await ledger.end('run 1', outcome);
		await ledger.end('run 1', 'failed');
		expect(ledger.isRunning).toBe(false);
		expect([await stateOf(other, key), await stateOf(other, second)]).toEqual([state, state]);
		expect(await other.claim(key)).toEqual({ state: 'committed' });
	});

	it('begin again when they are due, and count their attempts', async () => {
		const { processes, ledger, other, key } = scene();
		await ledger.begin([key], beginning('run 1', REPEATS));
		expect(await other.claim(key)).toEqual({ state: 'pending' });
		await ledger.end('run 1', 'failed');
		const { dueInMs = 0 } = await other.look(key);
		expect(Math.abs(dueInMs - MINUTE_MS)).toBeLessThan(MARGIN_MS);
		expect(await other.claim(key)).toHaveProperty('retryAfterMs');
		await processes.pass(MINUTE_MS + MARGIN_MS);
		expect(await other.claim(key)).toMatchObject({ state: 'claimed', attempts: 1 });
		expect(await other.begin([key], beginning('run 2', REPEATS))).toEqual([true]);
		await other.end('run 2', 'succeeded');
		expect(await ledger.look(key)).toMatchObject({ state: 'done', attempts: 2, run: 'run 2' });
	});

	it.each([
		['stored', 'committed'],
		['succeeded', 'claimed'],
	] as const)(
		'in a process that died are interrupted, and with `acknowledge` %s the event is %s',
		async (acknowledge, state) => {
			const { processes, process, ledger, other, key } = scene();
			await ledger.begin([key], beginning('run 1', { acknowledge }));
			await processes.pass(10 * MINUTE_MS);
			expect(await stateOf(other, key)).toBe('running');
			await processes.pause(process);
			expect(await stateOf(other, key)).toBe('interrupted');
			expect(await other.claim(key)).toMatchObject({ state });
			await processes.resume(process);
			await ledger.end('run 1', 'succeeded');
			expect(await stateOf(other, key)).toBe('done');
		},
	);

	it('are not interrupted by a process that stops in order while they run', async () => {
		const { ledger, other, key } = scene();
		await ledger.begin([key], beginning('run 1'));
		await ledger.closeSession();
		expect(await stateOf(other, key)).toBe('running');
		await ledger.end('run 1', 'succeeded');
		await ledger.closeSession();
		expect(await stateOf(other, key)).toBe('done');
	});

	it('give back what they began, or what is stored, and the next delivery starts it at once', async () => {
		const { ledger, other, key } = scene();
		const held = ledgerKey('workflow', 'stored');
		await ledger.begin([key], beginning('run 1'));
		await stored(other, held);
		await ledger.giveBack([key, held], 'run 1', true);
		expect([await stateOf(other, key), await stateOf(other, held)]).toEqual(['overdue', 'stored']);
		await ledger.giveBack([key, held], 'run 1');
		expect(ledger.isRunning).toBe(false);
		for (const each of [key, held]) {
			await claimed(other, each);
			expect(await ledger.begin([each], beginning('next run'))).toEqual([true]);
		}
	});

	it('start again for a user, who learns what there was', async () => {
		const { ledger, other, key } = scene();
		const held = ledgerKey('workflow', 'held');
		await claimed(ledger, held);
		await ledger.begin([key], beginning('run 1'));
		await ledger.end('run 1', 'succeeded');
		expect(await other.reopen([held, key], 7, RETENTION_MS)).toMatchObject([
			{ state: 'pending', attempts: 0 },
			{ state: 'done', attempts: 1, run: 'run 1' },
		]);
		expect(await ledger.look(key)).toEqual({ state: 'overdue', attempts: 0, reopenedAt: 7 });
		expect(await ledger.claim(key)).toMatchObject({ state: 'claimed', attempts: 0, reopenedAt: 7 });
	});
}

/** Tests of the contract: how long events are stored, and when they are forgotten. */
export function itRemembersEvents(scene: () => LedgerScene): void {
	it('until they are overdue after 15 minutes, not before', async () => {
		const { processes, ledger, other, key } = scene();
		await stored(ledger, key);
		await processes.pass(FIRST_GRACE_MS - MARGIN_MS);
		expect(await stateOf(other, key)).toBe('stored');
		await processes.pass(2 * MARGIN_MS);
		expect(await stateOf(other, key)).toBe('overdue');
		await claimed(other, key);
	});

	it.each(['stored', 'running', 'done', 'reopened'])(
		'that are %s until the retention is over, not before',
		async (state) => {
			const { world, process, ledger, other, key } = scene();
			await stored(ledger, key);
			if (state !== 'stored') await ledger.begin([key], beginning('run 1'));
			if (state === 'done' || state === 'reopened') await ledger.end('run 1', 'succeeded');
			if (state === 'reopened') await other.reopen([key], 1, 1_000);
			await world.advance(RETENTION_MS - MARGIN_MS);
			await process.renew();
			expect(await stateOf(other, key)).not.toBe('free');
			await world.advance(2 * MARGIN_MS);
			expect(await other.look(key)).toEqual({ state: 'free', attempts: 0 });
			expect(await ledger.begin([key], beginning('run 2'))).toEqual([true]);
		},
	);

	it('for the longer of two retentions', async () => {
		const { world, ledger, other, key } = scene();
		const claim = await claimed(ledger, key);
		await ledger.commit([claim], RETENTION_MS);
		await ledger.begin([key], beginning('run 1', { retentionMs: 1_000 }));
		await world.advance(RETENTION_MS - MARGIN_MS);
		expect(await stateOf(other, key)).toBe('interrupted');
		await other.reopen([key], 1, 2 * RETENTION_MS);
		await world.advance(RETENTION_MS);
		expect(await stateOf(other, key)).toBe('overdue');
	});

	it('that nobody stored for a day', async () => {
		const { world, process, ledger, key } = scene();
		await claimed(ledger, key);
		await world.advance(24 * 60 * MINUTE_MS - MARGIN_MS);
		await process.renew();
		expect(await ledger.claim(key)).toEqual({ state: 'pending' });
		await world.advance(2 * MARGIN_MS);
		expect((await ledger.claim(key)).state).toBe('claimed');
	});
}
