/** The open SQLite file: creates, opens, sets up and syncs it, and checks whether it is still the one at its path. */
import type { DatabaseSync } from 'node:sqlite';
import { LedgerUnavailableError } from '../common/store';
import { checkpoint, Gate, GroupSync } from './checkpoint';
import { busyError, isBusy, LedgerFiles, openSyncedFile, type SyncedFile } from './files';
import { prepareSchema, prepareStatements, transaction } from './schema';

/** Holds the inner pages of ten million IDs; allocated only as needed. */
const CACHE_KIB = 16_000;
/** Some megabytes of log: rare enough to cost nothing, frequent enough to keep the log short. */
const WRITES_PER_CHECKPOINT = 1_000;
/** A longer text counts as several writes. In characters: a page of the file. */
const CHARACTERS_PER_WRITE = 4_096;

/**
 * SQLite never syncs here once the file is open, since that would block n8n: `durable` syncs the write-ahead log in
 * Node's thread pool, and checkpoints run in a separate thread. Without a sync, a power cut leaves the file valid but
 * without its last writes, which does not matter for claims, because the process dies with them.
 */
export class LedgerDatabase {
	readonly statements: ReturnType<typeof prepareStatements>;
	readonly #db: DatabaseSync;
	readonly #path: string;
	readonly #files: LedgerFiles;
	readonly #identity: string | undefined;
	readonly #sqlite: Sqlite;
	readonly #openLog: (path: string) => SyncedFile;
	readonly #sync = new GroupSync(() => this.#syncLog());
	#log: SyncedFile | undefined;
	/** While the file is open. */
	#logIdentity: string | undefined;
	readonly #gate = new Gate();
	#writes = 0;
	#checkpoint: Promise<void> | undefined;

	/** Opens the file. Creates the file and its folder if missing, readable only by the owner. */
	constructor(
		path: string,
		sqlite: Sqlite | undefined,
		openLog: (path: string) => SyncedFile = openSyncedFile,
	) {
		if (!sqlite) {
			throw new LedgerUnavailableError(
				`The event ledger is not available. This Node.js (${process.version}) has no SQLite: run n8n on Node.js 22.16 or newer, or set ASSET_SERVICE_LEDGER=redis and ASSET_SERVICE_LEDGER_REDIS_URL.`,
			);
		}
		this.#files = LedgerFiles.create(path);
		this.#sqlite = sqlite;
		this.#path = path;
		this.#openLog = openLog;
		// Read before opening, to detect a file that replaces it in between.
		this.#identity = this.#files.identity();
		this.#db = new sqlite.DatabaseSync(path);
		try {
			// SQLite would block the event loop to wait for a lock; the store waits instead.
			this.#db.exec('PRAGMA busy_timeout = 0');
			prepareSchema(this.#db, path);
			this.#files.closeToOthers();
			this.#db.exec('PRAGMA journal_mode = WAL');
			this.#db.exec('PRAGMA synchronous = NORMAL');
			this.#db.exec('PRAGMA wal_autocheckpoint = 0');
			this.#db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
			// On macOS, an ordinary fsync returns before the disk has written.
			this.#db.exec('PRAGMA fullfsync = ON');
			this.statements = prepareStatements(this.#db);
		} catch (error) {
			this.#db.close();
			throw error;
		}
		try {
			// Kept open: SQLite keeps this file as long as any process has the database open.
			this.#log = this.#openLogFile();
		} catch {
			// Reading does not need it; the first sync reports the error.
		}
	}

	/** Whether the files at the path are still the open ones: one of them may have been deleted or replaced. */
	isCurrent(): boolean {
		return this.#identity === this.#files.identity() && !this.#isLogReplaced();
	}

	/**
	 * Writes a deleted log again, so that nothing in it is lost: the other processes still have its index. Blocks for a sync. Throws
	 * like a lock while another process or a checkpoint writes.
	 */
	saveLog(): void {
		if (this.#log === undefined || !this.#isLogReplaced()) return;
		// Its thread has the deleted log open as well.
		if (this.#checkpoint !== undefined) throw busyError();
		if (this.#identity !== this.#files.identity() || this.#files.hasLog()) return;
		try {
			this.#db.exec('BEGIN IMMEDIATE');
			try {
				this.#files.restoreLog(this.#log.read());
			} finally {
				this.#db.exec('ROLLBACK');
			}
		} catch (error) {
			if (isBusy(error)) throw error;
			// The disk failed: if no other process has the file open, SQLite saves the log when it closes it.
		}
	}

	/** Runs `work` as one transaction, or as a part of the one that runs. */
	transaction<T>(work: () => T): T {
		return transaction(this.#db, work);
	}

	/** Call before each write, with the length of its text; throws like a lock while a checkpoint is finishing. */
	beforeWrite(characters = 0): void {
		if (this.#gate.isShut()) throw busyError();
		this.#writes += 1 + Math.floor(characters / CHARACTERS_PER_WRITE);
		if (this.#writes < WRITES_PER_CHECKPOINT || this.#checkpoint !== undefined) return;
		this.#writes = 0;
		this.#checkpoint = checkpoint(this.#files.resolved, this.#gate).finally(() => {
			this.#checkpoint = undefined;
		});
	}

	/** Resolves when all writes so far survive a power cut. */
	async durable(): Promise<void> {
		await this.#sync.reached();
	}

	/** Changes whenever a process writes to the file: a lock that is held at the same time will be free in a moment. */
	progress(): string {
		return this.#checkpoint === undefined ? this.#files.progress() : String(performance.now());
	}

	/** Closes at once; pending syncs are still completed. Resolves when nothing here uses the files any more. */
	async close(): Promise<void> {
		try {
			this.#closeDatabase();
		} finally {
			await this.#sync.idle();
			this.#log?.close();
			this.#log = undefined;
			await this.#checkpoint;
		}
	}

	/**
	 * SQLite moves the log into the file when the last connection closes. If the log was deleted, and there is a new one, that would
	 * write old pages over new ones: another connection stays open meanwhile.
	 */
	#closeDatabase(): void {
		let other: DatabaseSync | undefined;
		try {
			if (this.#isLogReplaced() && this.#files.hasLog()) {
				other = new this.#sqlite.DatabaseSync(this.#path);
				other.exec('PRAGMA user_version');
			}
		} catch {
			// Another file is at the path by now.
		}
		try {
			this.#db.close();
		} finally {
			other?.close();
			// SQLite may have deleted the log itself.
			this.#logIdentity = undefined;
		}
	}

	#isLogReplaced(): boolean {
		return this.#logIdentity !== undefined && this.#logIdentity !== this.#files.logIdentity();
	}

	#openLogFile(): SyncedFile {
		const log = this.#openLog(this.#files.log);
		this.#logIdentity = this.#files.logIdentity();
		return log;
	}

	async #syncLog(): Promise<void> {
		this.#log ??= this.#openLogFile();
		await this.#log.datasync();
	}
}

type Sqlite = typeof import('node:sqlite');

/**
 * Node's own SQLite; undefined if Node has none.
 * Node 22 warns on loading that it is experimental; only that warning is kept out of n8n's log, and only during loading.
 */
export function loadSqlite(): Sqlite | undefined {
	const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning');
	const emit = process.emitWarning.bind(process) as (...warning: unknown[]) => void;
	process.emitWarning = (...warning: unknown[]) => {
		const [text, type] = warning;
		const isKnown = type === 'ExperimentalWarning' && String(text).startsWith('SQLite ');
		if (!isKnown) emit(...warning);
	};
	try {
		// Node before 22.3, and 20 before 20.16, cannot even look for it.
		const found: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> = process;
		return found.getBuiltinModule?.('node:sqlite');
	} finally {
		if (emitWarning) Object.defineProperty(process, 'emitWarning', emitWarning);
	}
}
