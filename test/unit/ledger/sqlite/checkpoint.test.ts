import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerKey } from '../../../../lib/ledger';
import { checkpoint, Gate } from '../../../../lib/ledger/sqlite/checkpoint';
import { waitFor } from '../../../support/wait';
import { claimed, SqliteWorld } from './world';

const SLOW_MS = 120_000;

describe('the write-ahead log of the ledger in SQLite', () => {
	let world: SqliteWorld;
	let folder: string;
	let path: string;
	let ledger: SqliteWorld['ledger'];
	let events: number;

	beforeEach(async () => {
		world = new SqliteWorld();
		({ folder, path, ledger } = world);
		events = 0;
		await write();
	});

	afterEach(() => world.remove());

	async function write(): Promise<void> {
		await claimed(ledger, ledgerKey('workflow', String(events++)));
	}

	/** Its head has new numbers each time the log starts over. */
	function head(): string {
		const bytes = Buffer.alloc(32);
		const log = openSync(`${path}-wal`, 'r');
		readSync(log, bytes, 0, bytes.length, 0);
		closeSync(log);
		return bytes.toString('hex');
	}

	it(
		'starts over regularly even if the process never stops writing, and so stays short',
		async () => {
			const heads = new Set<string>();
			await waitFor(
				async () => {
					for (let n = 0; n < 100; n++) await write();
					heads.add(head());
					return heads.size > 3 ? true : undefined;
				},
				{
					what: 'the log to begin again three times',
					everyMs: 1,
					timeoutMs: SLOW_MS / 2,
					detail: () => `${heads.size} heads after ${events} writes`,
				},
			);
			// Not for each write either: a checkpoint costs some syncs.
			expect(events).toBeGreaterThan(3_000);
		},
		SLOW_MS,
	);

	it('is no longer used once the ledger is closed, even in the middle of a checkpoint', async () => {
		for (let time = 0; time < 3; time++) {
			// More than enough for a checkpoint to have begun.
			for (let n = 0; n < 1_100; n++) await write();
			await ledger.close();
			expect(readdirSync(folder)).toEqual(['ledger.sqlite']);
		}
	});

	it('starts over with one checkpoint if there are no writes, and leaves the gate open', async () => {
		const before = head();
		const gate = new Gate();
		await checkpoint(path, gate);
		expect(head()).not.toBe(before);
		expect(gate.isShut()).toBe(false);
	});

	it('leaves the gate open when the checkpoint fails', async () => {
		const gate = new Gate();
		Atomics.store(gate.shared, 0, 1);
		await checkpoint(join(folder, 'missing', 'ledger.sqlite'), gate);
		expect(gate.isShut()).toBe(false);
	});
});
