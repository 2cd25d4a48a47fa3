/** A ledger file as a power cut would leave it: only the data that had reached the disk by then. */
import { execFileSync } from 'node:child_process';
import {
	closeSync,
	fdatasync,
	fstatSync,
	mkdtempSync,
	openSync,
	readSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EventLedger } from '../../../../lib/ledger/eventLedger';
import { LedgerDatabase, loadSqlite } from '../../../../lib/ledger/sqlite/database';
import type { SyncedFile } from '../../../../lib/ledger/sqlite/files';
import { openSqlite } from './world';

export class Disk {
	readonly folder = mkdtempSync(join(tmpdir(), 'ledger-disk-'));
	readonly path = join(this.folder, 'ledger.sqlite');
	/** How often the log was synced. */
	syncs = 0;
	/** Is called once, before the next sync of the log. */
	beforeSync: (() => Promise<void>) | undefined;
	#file: Buffer = Buffer.alloc(0);
	#log: Buffer = Buffer.alloc(0);

	/** A ledger whose syncs this disk sees. */
	open(): EventLedger {
		return openSqlite(this.path, {
			openDatabase: (path) => new LedgerDatabase(path, loadSqlite(), (log) => this.#openLog(log)),
		});
	}

	/** The log as the last sync left it: a moment that a power cut can be gone back to. */
	get log(): Buffer {
		return this.#log;
	}

	/** To be called when a checkpoint has ended: SQLite has synced the file, and the whole log before that. */
	async checkpointed(): Promise<void> {
		this.#file = readOutside(this.path);
		this.#log = readOutside(`${this.path}-wal`);
	}

	/** Opens the remaining data, as on a machine that has just started; `log` is the data of the log on the disk. */
	async afterPowerCut<T>(
		look: (ledger: EventLedger) => Promise<T>,
		log: Buffer = this.#log,
	): Promise<T> {
		const folder = mkdtempSync(join(tmpdir(), 'ledger-restarted-'));
		const path = join(folder, 'ledger.sqlite');
		writeFileSync(path, this.#file);
		writeFileSync(`${path}-wal`, log);
		const ledger = openSqlite(path);
		try {
			return await look(ledger);
		} finally {
			await ledger.close();
			rmSync(folder, { recursive: true });
		}
	}

	remove(): void {
		rmSync(this.folder, { recursive: true });
	}

	#openLog(path: string): SyncedFile {
		const file = openSync(path, 'r+');
		// SQLite has synced the file when it made it; from then on only checkpoints write to it.
		this.#file = readOutside(this.path);
		return {
			datasync: async () => {
				const beforeSync = this.beforeSync;
				this.beforeSync = undefined;
				await beforeSync?.();
				// Data written while the disk is syncing may be missing.
				const log = read(file);
				await promisify(fdatasync)(file);
				this.#log = log;
				this.syncs += 1;
			},
			read: () => read(file),
			close: () => {
				closeSync(file);
			},
		};
	}
}

function read(file: number): Buffer {
	const bytes = Buffer.alloc(fstatSync(file).size);
	readSync(file, bytes, 0, bytes.length, 0);
	return bytes;
}

/** By another process: closing a file that SQLite has open in this one would drop its locks. */
function readOutside(path: string): Buffer {
	return execFileSync('cat', [path], { maxBuffer: 1024 * 1024 * 1024 });
}
