/** A kill of the process and a power cut at every step between a claim and its end, on the disk of the simulation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as sqlite from 'node:sqlite';
import { ledgerKey } from '../../../../lib/ledger';
import { EventLedger } from '../../../../lib/ledger/eventLedger';
import { Session } from '../../../../lib/ledger/session';
import { LedgerDatabase } from '../../../../lib/ledger/sqlite/database';
import { LedgerFile, type LedgerRequest } from '../../../../lib/ledger/sqlite/ledgerFile';
import { SqliteStore } from '../../../../lib/ledger/sqlite/store';
import type { Claim } from '../../../../lib/ledger/types';
import { Clock, type Owner } from '../../../simulation/clock';
import { Disk } from '../../../simulation/disk';
import { Random } from '../../../simulation/random';
import { claimed, RETENTION_MS } from './world';

/** The texts of an entry in their order, and whether the step to it has to be durable. */
const STEPS = [
	...[{ text: 'claimed' }, { text: 'committed', isDurable: true }],
	...[
		{ text: 'begun', isDurable: true },
		{ text: 'ended' },
		{ text: 'ended for good', isDurable: true },
	],
];
/** Longer than a sync, and shorter than until the system writes by itself. */
const SYNCED_MS = 1_000;
/** Just before a session lapses, and how often: until what was cut off can start again. */
const RENEWED_AFTER_MS = 58_000;
const RENEWALS = 6;

describe('the ledger in SQLite', () => {
	let folder: string;
	let clock: Clock;
	let disk: Disk;
	let sessions: Session[];

	beforeEach(() => {
		sessions = [];
		folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		clock = new Clock(Date.now());
		disk = new Disk(folder, clock, new Random(1));
	});

	afterEach(async () => {
		for (const session of sessions) await session.close();
		disk.clear();
		rmSync(folder, { recursive: true, force: true });
	});

	function startProcess(boot = 'boot') {
		const owner: Owner = { isAlive: true, held: undefined };
		const options = {
			path: disk.path,
			clock: { now: () => clock.now, monotonic: () => clock.now, boot },
			openDatabase: (path: string) =>
				new LedgerDatabase(
					path,
					disk.sqliteFor(owner, {
						onEntry: () => undefined,
						onRecord: () => undefined,
					}) as typeof sqlite,
				),
		};
		const kill = () => {
			owner.isAlive = false;
			disk.forget(owner);
		};
		const openLedger = () => {
			const store = new SqliteStore(options);
			const session = new Session(store, { onLost: () => undefined, clock: () => clock.now });
			sessions.push(session);
			return { ledger: new EventLedger({ store, session }), session };
		};
		const file = new LedgerFile(options);
		return { ask: (...requests: LedgerRequest[]) => file.run(requests).results, kill, openLedger };
	}
	const swap = (event: string, step: number): LedgerRequest => ({
		op: 'swap',
		key: ledgerKey('workflow', event),
		expected: STEPS[step - 1]?.text,
		next: STEPS[step]?.text,
		keepMs: 1e9,
		isDurable: STEPS[step]?.isDurable === true,
	});
	const read = (event: string): LedgerRequest => ({
		op: 'read',
		key: ledgerKey('workflow', event),
	});
	const done = { value: true };

	const cuts = STEPS.flatMap(({ text }, step) => [
		{ step, text, isAnswered: false },
		{ step, text, isAnswered: true },
	]);

	it.each(cuts)(
		'keeps what it has answered when the power fails at "$text", answered: $isAnswered',
		async ({ step, isAnswered }) => {
			const { ask, kill } = startProcess();
			// Another event goes the same way in the same transactions, and a third one is done.
			for (let n = 0; n < STEPS.length; n++) expect(ask(swap('done', n))).toEqual([done]);
			await clock.runUntil(clock.now + SYNCED_MS);
			for (let n = 0; n <= step; n++) {
				expect(ask(swap('a', n), swap('b', n))).toEqual([done, done]);
				if (n < step || isAnswered) await clock.runUntil(clock.now + SYNCED_MS);
			}
			const restore = disk.powerCut();
			kill();
			restore();
			const answered = STEPS.slice(0, isAnswered ? step + 1 : step);
			const least = answered.findLastIndex(({ isDurable }) => isDurable === true);
			const next = startProcess();
			const found = next.ask(read('a'), read('b'), read('done'));
			expect(found[2]).toEqual({ value: STEPS.at(-1)?.text });
			for (const each of found.slice(0, 2)) {
				const text = 'value' in each ? each.value : each;
				const index = STEPS.findIndex((known) => known.text === text);
				expect(text === undefined || index >= 0).toBe(true);
				expect(index).toBeGreaterThanOrEqual(least);
				expect(index).toBeLessThanOrEqual(step);
			}
			// What was written with what is durable is as durable as that.
			expect(found[0]).toEqual(found[1]);
			next.kill();
		},
	);

	it.each(cuts)(
		'keeps everything when its process is killed at "$text", answered: $isAnswered',
		async ({ step, text, isAnswered }) => {
			const { ask, kill } = startProcess();
			for (let n = 0; n <= step; n++) {
				expect(ask(swap('a', n))).toEqual([done]);
				if (n < step || isAnswered) await clock.runUntil(clock.now + SYNCED_MS);
			}
			kill();
			const next = startProcess();
			expect(next.ask(read('a'))).toEqual([{ value: text }]);
			next.kill();
		},
	);

	it('keeps nothing that could not be synced, and what comes after it', async () => {
		const { ask, kill } = startProcess();
		expect(ask(swap('a', 0))).toEqual([done]);
		disk.syncFailures = 1;
		expect(ask(swap('a', 1))).toEqual([{ isBusy: false, error: expect.anything() as unknown }]);
		expect(ask(read('a'))).toEqual([{ isBusy: false, error: expect.anything() as unknown }]);
		disk.syncFailures = 0;
		expect(ask(read('a'))).toEqual([{ value: 'claimed' }]);
		expect(ask(swap('a', 1), swap('b', 0))).toEqual([done, done]);
		await clock.runUntil(clock.now + SYNCED_MS);
		const restore = disk.powerCut();
		kill();
		restore();
		const next = startProcess();
		expect(next.ask(read('a'), read('b'))).toEqual([{ value: 'committed' }, { value: 'claimed' }]);
		next.kill();
	});

	const falls = (['stored', 'succeeded'] as const).flatMap((acknowledge) =>
		['the claim', 'the commit', 'the begin', 'the end'].flatMap((name, step) =>
			[true, false].flatMap((isAnswered) =>
				[true, false].map((isPowerCut) => ({ acknowledge, name, step, isAnswered, isPowerCut })),
			),
		),
	);

	it.each(falls)(
		'loses nothing and lets nothing run twice that falls at $name, acknowledge: $acknowledge, answered: $isAnswered, power cut: $isPowerCut',
		async ({ acknowledge, step, isAnswered, isPowerCut }) => {
			const key = ledgerKey('workflow', 'event');
			const beginning = { acknowledge, retentionMs: RETENTION_MS } as const;
			const first = startProcess();
			const { ledger } = first.openLedger();
			let claim: Claim | undefined;
			const life = [
				async () => {
					claim = await claimed(ledger, key);
				},
				async () => {
					if (claim) await ledger.commit([claim], RETENTION_MS);
				},
				async () => {
					expect(await ledger.begin([key], { ...beginning, run: 'first' })).toEqual([true]);
				},
				async () => {
					await ledger.end('first', 'succeeded');
				},
			];
			for (const [n, next] of life.slice(0, step + 1).entries()) {
				await next();
				if (n < step || isAnswered) await clock.runUntil(clock.now + SYNCED_MS);
			}
			const restore = isPowerCut ? disk.powerCut() : undefined;
			first.kill();
			restore?.();

			const second = startProcess(isPowerCut ? 'next boot' : 'boot');
			const { ledger: next, session } = second.openLedger();
			await session.open();
			for (let renewals = 0; renewals < RENEWALS; renewals++) {
				await clock.runUntil(clock.now + RENEWED_AFTER_MS);
				await session.open();
			}
			const known = isAnswered ? step : step - 1;
			const { state } = await next.claim(key);
			// What is known to be stored starts by n8n, what is known to be done is over, and the rest may start by the next delivery.
			if (step === 1 && isAnswered) expect(state).toBe('committed');
			if (step === 0) expect(state).toBe('claimed');
			const begun: boolean[] = [];
			for (const run of ['second', 'third'])
				begun.push(...(await next.begin([key], { ...beginning, run })));
			const continued = begun.filter(Boolean).length;
			const hasBegun = known >= 2;
			if (step < 2) expect(continued).toBe(1);
			if (hasBegun && acknowledge === 'stored') expect(continued).toBe(0);
			if (known === 3) expect(continued).toBe(0);
			// Cut off with Start Again, it starts again, unless its end has survived.
			if (step === 2 && acknowledge === 'succeeded') expect(continued).toBe(1);
			expect(continued).toBeLessThanOrEqual(1);
			second.kill();
		},
	);
});
