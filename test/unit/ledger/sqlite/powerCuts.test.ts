/** A kill of the process and a power cut at every step between a claim and its end, on the disk of the simulation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as sqlite from 'node:sqlite';
import { ledgerKey } from '../../../../lib/ledger';
import { LedgerDatabase } from '../../../../lib/ledger/sqlite/database';
import { LedgerFile, type LedgerRequest } from '../../../../lib/ledger/sqlite/ledgerFile';
import { Clock, type Owner } from '../../../simulation/clock';
import { Disk } from '../../../simulation/disk';
import { Random } from '../../../simulation/random';

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

describe('the ledger in SQLite', () => {
	let folder: string;
	let clock: Clock;
	let disk: Disk;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		clock = new Clock(Date.now());
		disk = new Disk(folder, clock, new Random(1));
	});

	afterEach(() => {
		disk.clear();
		rmSync(folder, { recursive: true, force: true });
	});

	function startProcess() {
		const owner: Owner = { isAlive: true, held: undefined };
		const file = new LedgerFile({
			path: disk.path,
			clock: { now: () => clock.now, monotonic: () => clock.now, boot: 'boot' },
			openDatabase: (path) =>
				new LedgerDatabase(
					path,
					disk.sqliteFor(owner, {
						onEntry: () => undefined,
						onRecord: () => undefined,
					}) as typeof sqlite,
				),
		});
		const kill = () => {
			owner.isAlive = false;
			disk.forget(owner);
		};
		return { ask: (...requests: LedgerRequest[]) => file.run(requests).results, kill };
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
});
