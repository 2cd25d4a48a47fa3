/** The open SQLite file: how it is made, opened, set up and synced, and whether it is still the one at its path. */
import type { DatabaseSync } from 'node:sqlite';
import { LedgerUnavailableError } from '../common/errors';
import { checkpoint, Gate } from './checkpoint';
import { busyError } from './errors';
import {
	closeToOthers,
	createFile,
	identityOf,
	logOf,
	openSyncedFile,
	progressAt,
	type SyncedFile,
	withoutLinks,
} from './files';
import { GroupSync } from './groupSync';
import { prepareSchema } from './schema';
import { prepareStatements, type Statements } from './statements';

/** Holds the inner pages of ten million ids; used as far as needed. */
const CACHE_KIB = 16_000;
/** Some megabytes of log: rare enough to cost nothing, often enough to keep the log short. */
const WRITES_PER_CHECKPOINT = 1_000;

type Sqlite = typeof import('node:sqlite');

/**
 * Node's own SQLite; undefined where Node has none.
 * Node 22 warns as it loads it that it is experimental; that warning alone, and only then, is kept from n8n's log.
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
		return process.getBuiltinModule('node:sqlite');
	} finally {
		if (emitWarning) Object.defineProperty(process, 'emitWarning', emitWarning);
	}
}

/**
 * SQLite never syncs here once the file is open, since that would hold up n8n: `durable` syncs the write-ahead log
 * in Node's thread pool, and checkpoints run in a thread of their own. Without a sync the file stays sound at a
 * power cut and loses its last moments, which costs nothing where the process dies with them (claims).
 */
export class LedgerDatabase {
	readonly statements: Statements;
	readonly #db: DatabaseSync;
	readonly #path: string;
	/** Without links: SQLite puts its other files beside this one. */
	readonly #file: string;
	readonly #identity: string | undefined;
	readonly #openLog: (path: string) => SyncedFile;
	readonly #sync = new GroupSync(() => this.#syncLog());
	#log: SyncedFile | undefined;
	readonly #gate = new Gate();
	#writes = 0;
	#checkpoint: Promise<void> | undefined;

	/** Opens the file, making it and its folder when they are missing, readable by the owner alone. */
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
		createFile(path);
		this.#path = path;
		this.#file = withoutLinks(path);
		this.#openLog = openLog;
		// Read before opening: a file that takes its place in between is then told from it.
		this.#identity = identityOf(path);
		this.#db = new sqlite.DatabaseSync(path);
		try {
			// SQLite would wait for a lock by holding up the event loop; the store waits instead.
			this.#db.exec('PRAGMA busy_timeout = 0');
			prepareSchema(this.#db, path);
			closeToOthers(this.#file);
			this.#db.exec('PRAGMA journal_mode = WAL');
			this.#db.exec('PRAGMA synchronous = NORMAL');
			this.#db.exec('PRAGMA wal_autocheckpoint = 0');
			this.#db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
			// macOS answers an ordinary fsync before the disk has written.
			this.#db.exec('PRAGMA fullfsync = ON');
			this.statements = prepareStatements(this.#db);
		} catch (error) {
			this.#db.close();
			throw error;
		}
		try {
			// Kept open: SQLite keeps this file as long as any process has the database open.
			this.#log = openLog(logOf(this.#file));
		} catch {
			// Reading needs none; the first sync says what is wrong.
		}
	}

	/** Whether the file at the path is still the one that is open here: it may have been deleted or replaced. */
	isCurrent(): boolean {
		return this.#identity === identityOf(this.#path);
	}

	/** Runs `work` as one transaction. */
	transaction<T>(work: () => T): T {
		this.#db.exec('BEGIN IMMEDIATE');
		try {
			const answer = work();
			this.#db.exec('COMMIT');
			return answer;
		} catch (error) {
			if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
			throw error;
		}
	}

	/** To be called before each write; throws as for a lock while a checkpoint comes to its end. */
	beforeWrite(): void {
		if (this.#gate.isShut()) throw busyError();
		this.#writes += 1;
		if (this.#writes < WRITES_PER_CHECKPOINT || this.#checkpoint !== undefined) return;
		this.#writes = 0;
		this.#checkpoint = checkpoint(this.#file, this.#gate).finally(() => {
			this.#checkpoint = undefined;
		});
	}

	/** Resolves when everything written so far survives a power cut. */
	async durable(): Promise<void> {
		await this.#sync.reached();
	}

	/** Changes whenever somebody writes to the file: a lock that is held meanwhile will be free in a moment. */
	progress(): string {
		return this.#checkpoint === undefined ? progressAt(this.#file) : String(performance.now());
	}

	/** Closes at once; what waits for a sync still gets it. Resolves when nothing here uses the files any more. */
	async close(): Promise<void> {
		try {
			this.#db.close();
		} finally {
			await this.#sync.idle();
			this.#log?.close();
			this.#log = undefined;
			await this.#checkpoint;
		}
	}

	async #syncLog(): Promise<void> {
		this.#log ??= this.#openLog(logOf(this.#file));
		await this.#log.datasync();
	}
}
