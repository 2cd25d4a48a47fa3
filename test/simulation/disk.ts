/**
 * The disk with the event ledger, in memory: the real SQLite on real files, with the failures and the syncs of a disk.
 *
 * Facts: what was written and not synced is lost when the power fails, unless the system has written it after some 30 s. A sync takes
 * a while, in which its process has the lock and its thread does nothing else, and it may fail: then nobody sees the transaction.
 * While another one holds the lock, SQLite says so at once. A killed process leaves its unfinished transaction to nobody. A deleted file
 * stays usable for those who have it open.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { asText } from '../../lib/shared/values';
import type { Clock, Owner } from './clock';
import type { Random } from './random';

/** Where the event ledger is, and what can happen to it. */
export interface Storage {
	/** It does not respond, or is broken. */
	failure: 'locked' | 'broken' | undefined;
	/** A share of the writes that fail, or whose responses are lost, from 0 to 1. */
	syncFailures: number;
	/** The longest time of a write, in milliseconds. */
	longestSyncMs: number;
	/** Someone deletes the ledger's data, or puts a copy in its place. */
	replaceWith(copy: (() => void) | undefined): void;
	/** A copy of the data as it is, to put back. */
	backUp(): () => void;
	/** Call before all processes are killed; returns what puts the storage into its state after the power cut. */
	powerCut(): () => void;
	/** The process is over: nothing of it stays open. */
	forget(owner: Owner): void;
}

/** Called when an entry of the ledger was replaced, with its key and its text before and after; empty for none. */
type OnEntry = (key: string, from: string, to: string) => void;

export interface Listeners {
	readonly onEntry: OnEntry;
	/** Called when a record was written, with its key and its text. */
	readonly onRecord: (key: string, text: string) => void;
}

interface Files {
	readonly databases: Set<DatabaseSync>;
	readonly open: Set<number>;
}

const WRITTEN_BACK_AFTER_MS = 30_000;

export class Disk implements Storage {
	readonly path: string;
	/** Another program holds the lock, or the disk fails. */
	failure: 'locked' | 'broken' | undefined;
	syncFailures = 0;
	longestSyncMs = 8;
	readonly #folder: string;
	readonly #clock: Clock;
	readonly #random: Random;
	/** How much of the log survives a power cut. */
	#syncedBytes = 0;
	/** Which log that is: what was synced of one says nothing of the next. */
	#log = 0;
	/** Of SQLite. */
	#writes = 0;
	/** The sync that is under way, and who has the lock until it is over. */
	#syncing: { readonly owner: Owner; readonly until: number } | undefined;
	#isFresh = true;
	readonly #files = new Map<Owner, Files>();
	/** Until a file may be another one. */
	readonly #stats = new Map<string, fs.Stats | null>();

	constructor(folder: string, clock: Clock, random: Random) {
		this.#folder = folder;
		this.#clock = clock;
		this.#random = random;
		this.path = join(folder, 'ledger.sqlite');
		fs.mkdirSync(folder, { recursive: true });
		this.#writeBack(0);
	}

	/** The system writes by itself what is old. */
	#writeBack(size: number): void {
		this.#clock.after(WRITTEN_BACK_AFTER_MS, () => {
			const now = this.#logSize();
			this.#syncedBytes = Math.max(this.#syncedBytes, Math.min(size, now));
			this.#writeBack(now);
		});
	}

	/** Node's own module for this process. */
	fsFor(owner: Owner): typeof fs {
		const { open } = this.#filesOf(owner);
		const openSync: typeof fs.openSync = (...asked) => {
			this.#stats.clear();
			const file = fs.openSync(...asked);
			open.add(file);
			return file;
		};
		const closeSync: typeof fs.closeSync = (file) => {
			// Its process is over, or it was closed before.
			if (open.delete(file)) fs.closeSync(file);
		};
		const statSync = (path: string): unknown => {
			let stats: fs.Stats | null | undefined = this.#stats.get(path);
			if (stats === undefined) {
				stats = fs.statSync(path, { throwIfNoEntry: false }) ?? null;
				this.#stats.set(path, stats);
			}
			return stats ?? undefined;
		};
		const realpathSync = (path: string) => path;
		return {
			...fs,
			openSync,
			closeSync,
			statSync,
			realpathSync,
		} as unknown as typeof fs;
	}

	/** `node:sqlite` for this process. */
	sqliteFor(owner: Owner, { onEntry, onRecord }: Listeners): unknown {
		const { databases } = this.#filesOf(owner);
		// eslint-disable-next-line @typescript-eslint/no-this-alias
		const disk = this;
		const recordNote =
			({ key, text }: Record<string, SQLInputValue>) =>
			() => {
				onRecord(asText(key), asText(text));
			};
		const entryNote =
			({ key, text = '' }: Record<string, SQLInputValue>, from: unknown) =>
			() => {
				onEntry(Buffer.from(key as Uint8Array).toString('base64url'), asText(from), asText(text));
			};
		return {
			// Node keeps a database, and what it refers to, as long as something refers to its statements. So it must not refer to them.
			DatabaseSync: class {
				readonly #database: DatabaseSync;
				#pending: (() => void)[] = [];
				#isSynced = false;

				constructor(path: string) {
					disk.#check();
					this.#database = new DatabaseSync(within(path));
					// SQLite's own syncs would take the time of the host, and its checkpoints would not be seen here.
					this.#database.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
					databases.add(this.#database);
					disk.#stats.clear();
				}

				get isTransaction(): boolean {
					return this.#database.isTransaction;
				}

				exec(sql: string): void {
					disk.#check();
					if (sql.startsWith('PRAGMA synchronous')) {
						this.#isSynced = sql.endsWith('FULL');
						return;
					}
					if (sql === 'BEGIN IMMEDIATE') disk.#checkLock(owner);
					const failure = sql === 'COMMIT' && this.#isSynced ? disk.#sync(owner) : undefined;
					// What could not be synced is not seen by anybody.
					this.#database.exec(failure === undefined ? sql : 'ROLLBACK');
					if (sql === 'COMMIT' && failure === undefined) {
						if (this.#isSynced) disk.#syncedLater(owner);
						for (const note of this.#pending.splice(0)) note();
						if (disk.#logSize() > CHECKPOINT_BYTES) disk.#checkpoint();
					} else if (sql === 'COMMIT' || sql === 'ROLLBACK') this.#pending = [];
					if (failure !== undefined) throw failure;
				}

				close(): void {
					databases.delete(this.#database);
					disk.#stats.clear();
					this.#database.close();
					disk.#closed();
				}

				prepare(sql: string): Pick<StatementSync, 'get' | 'run'> {
					const statement = this.#database.prepare(sql);
					const isEntry = /^(INSERT INTO|DELETE FROM) entry/.test(sql) && !sql.includes('$after');
					const isRecord = sql.startsWith('INSERT INTO record');
					const before = isEntry
						? this.#database.prepare('SELECT text FROM entry WHERE key = ?')
						: undefined;
					const get = (...given: [Record<string, SQLInputValue>]) => {
						disk.#check();
						return statement.get(...given);
					};
					const run = (...given: [Record<string, SQLInputValue>]) => {
						disk.#check();
						if (!this.isTransaction) disk.#checkLock(owner);
						const from = before?.get(given[0]['key'] ?? null)?.['text'];
						const result = statement.run(...given);
						// The first one makes the log.
						if ((disk.#writes += 1) % 100 === 1 || disk.#isFresh) disk.#stats.clear();
						disk.#isFresh = false;
						if ((isEntry || isRecord) && result.changes !== 0) {
							const note = isRecord ? recordNote(given[0]) : entryNote(given[0], from ?? '');
							if (this.isTransaction) this.#pending.push(note);
							else note();
						}
						return result;
					};
					return { get, run } as Pick<StatementSync, 'get' | 'run'>;
				}
			},
		};
	}

	/** How long the sync of this process still takes, in milliseconds. */
	syncingMs(owner: Owner): number {
		const { until = 0 } = this.#syncing?.owner === owner ? this.#syncing : {};
		return Math.max(0, until - this.#clock.now);
	}

	/** The error, if it fails. */
	#sync(owner: Owner): Error | undefined {
		const ms = this.#random.spread('sync', 1, this.longestSyncMs);
		this.#syncing = { owner, until: this.#clock.now + ms };
		return this.#random.chance('sync fails', this.syncFailures) ? errorOf(IO_ERROR) : undefined;
	}

	/** All that is in the log now is on the disk when the sync is over. */
	#syncedLater(owner: Owner): void {
		const size = this.#logSize();
		const log = this.#log;
		const synced = () => {
			if (log === this.#log) this.#syncedBytes = Math.max(this.#syncedBytes, size);
		};
		this.#clock.after(this.syncingMs(owner), synced, owner);
	}

	/** The last one moves the log into the file. */
	#closed(): void {
		if (this.#logSize() === 0) this.#newLog();
	}

	#newLog(): void {
		this.#syncedBytes = 0;
		this.#log += 1;
	}

	/** As SQLite does it by itself. */
	#checkpoint(): void {
		this.#changed();
		const database = new DatabaseSync(within(this.path));
		try {
			database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
			this.#newLog();
		} finally {
			database.close();
		}
	}

	forget(owner: Owner): void {
		const { databases, open } = this.#filesOf(owner);
		for (const database of databases) {
			try {
				database.close();
			} catch {
				// Its file is gone.
			}
		}
		for (const file of open) fs.closeSync(file);
		open.clear();
		databases.clear();
		this.#files.delete(owner);
		this.#changed();
		this.#closed();
		if (this.#syncing?.owner === owner) this.#syncing = undefined;
	}

	powerCut(): () => void {
		const log = `${this.path}-wal`;
		if (!fs.existsSync(this.path)) return () => undefined;
		const file = fs.readFileSync(this.path);
		const kept = fs.existsSync(log)
			? fs.readFileSync(log).subarray(0, this.#syncedBytes)
			: Buffer.alloc(0);
		return () => {
			this.#remove();
			fs.writeFileSync(this.path, file);
			fs.writeFileSync(log, kept);
			this.#newLog();
			this.#syncedBytes = kept.length;
			this.#changed();
		};
	}

	replaceWith(copy: (() => void) | undefined): void {
		this.#remove();
		this.#newLog();
		copy?.();
		this.#changed();
	}

	backUp(): () => void {
		const from = [this.path, `${this.path}-wal`].filter((path) => fs.existsSync(path));
		const contents = from.map((path) => [path, fs.readFileSync(path)] as const);
		return () => {
			for (const [path, content] of contents) fs.writeFileSync(path, content);
		};
	}

	/** The simulation is over. */
	clear(): void {
		for (const owner of this.#files.keys()) this.forget(owner);
		fs.rmSync(this.#folder, { recursive: true, force: true });
	}

	#filesOf(owner: Owner): Files {
		const files = this.#files.get(owner) ?? { databases: new Set(), open: new Set() };
		this.#files.set(owner, files);
		return files;
	}

	#remove(): void {
		for (const end of ['', '-wal', '-shm']) fs.rmSync(`${this.path}${end}`, { force: true });
	}

	#changed(): void {
		this.#stats.clear();
		this.#isFresh = true;
	}

	#logSize(): number {
		return fs.statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
	}

	#check(): void {
		if (this.failure === 'broken') throw errorOf(IO_ERROR);
	}

	/** Reading needs no lock. While a process syncs, it has it. */
	#checkLock(owner: Owner): void {
		const { owner: by, until } = this.#syncing ?? { until: 0 };
		const isSyncing = by !== owner && until > this.#clock.now;
		if (isSyncing || this.failure === 'locked') throw errorOf(BUSY);
	}
}

/** SQLite's result codes. */
const BUSY = 5;
const IO_ERROR = 10;
/** A log of a thousand pages is moved into the file. */
const CHECKPOINT_BYTES = 4_120_000;

function errorOf(errcode: number): Error {
	return Object.assign(new Error(`SQLite error ${errcode}`), {
		code: 'ERR_SQLITE_ERROR',
		errcode,
	});
}

/** All processes are in one here, so SQLite needs no locks of the host between its connections, which cost most of its time. */
function within(path: string): string {
	return `file:${path}?vfs=unix-excl`;
}
