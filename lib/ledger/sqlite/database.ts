/** The open SQLite file: creates, opens and sets it up, and checks whether it is still the one at its path. */
import type { DatabaseSync } from 'node:sqlite';
import { LedgerUnavailableError } from '../common/store';
import { closeToOthers, createFile, identityOf, logOf } from './files';
import { prepareSchema, prepareStatements, type Statements, transaction } from './schema';

/** Holds the inner pages of ten million IDs; allocated only as needed. */
const CACHE_KIB = 16_000;

/**
 * Without a sync, a power cut leaves the file valid but without its last writes, which does not matter for claims, because the
 * process dies with them. What has to be durable is synced with the transaction, and with it all that was written before.
 */
export class LedgerDatabase {
	readonly statements: Statements;
	/** The row of the clock when it was opened. */
	readonly clock: { readonly wall?: unknown; readonly time?: unknown };
	readonly #db: DatabaseSync;
	readonly #path: string;
	readonly #log: string;
	readonly #identity: string | undefined;
	#logIdentity: string | undefined;

	/**
	 * Opens the file. Creates the file and its folder if missing, readable only by the owner. `busyMs`: how long it blocks while
	 * another connection has the lock.
	 */
	constructor(path: string, sqlite: Sqlite | undefined, busyMs = 0) {
		if (!sqlite) {
			throw new LedgerUnavailableError(
				`The event ledger is not available. This Node.js (${process.version}) has no SQLite: run n8n on Node.js 22.16 or newer, or set ASSET_SERVICE_LEDGER=redis and ASSET_SERVICE_LEDGER_REDIS_URL.`,
			);
		}
		createFile(path);
		// Read before opening, to detect a file that replaces it in between.
		this.#identity = identityOf(path);
		[this.#path, this.#log] = [path, logOf(path)];
		this.#db = new sqlite.DatabaseSync(path);
		try {
			this.#db.exec(`PRAGMA busy_timeout = ${busyMs}`);
			prepareSchema(this.#db, path);
			closeToOthers(path);
			this.#db.exec('PRAGMA journal_mode = WAL');
			this.#db.exec('PRAGMA synchronous = NORMAL');
			this.#db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
			// On macOS, an ordinary fsync returns before the disk has written.
			this.#db.exec('PRAGMA fullfsync = ON');
			this.statements = prepareStatements(this.#db);
			this.clock = this.statements.readClock.get() ?? {};
		} catch (error) {
			this.#db.close();
			throw error;
		}
	}

	/** Whether the files at the path are still the open ones: one of them may have been deleted or replaced. */
	isCurrent(): boolean {
		const log = identityOf(this.#log);
		// The first write makes it, and SQLite keeps it as long as any process has the database open.
		this.#logIdentity ??= log;
		return identityOf(this.#path) === this.#identity && log === this.#logIdentity;
	}

	/** Runs `work` as one transaction, which survives a power cut if it is durable and has written anything. */
	transaction<T>(work: () => T, isDurable: boolean): T {
		this.#db.exec(`PRAGMA synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
		return transaction(this.#db, work);
	}

	close(): void {
		this.#db.close();
	}
}

type Sqlite = typeof import('node:sqlite');

/** Node's own SQLite; undefined if Node has none. Node 22 warns that it is experimental: nothing of a thread, or of an exit, is in n8n's log. */
export function loadSqlite(): Sqlite | undefined {
	// Node before 22.3, and 20 before 20.16, cannot even look for it.
	const found: Partial<Pick<NodeJS.Process, 'getBuiltinModule'>> = process;
	return found.getBuiltinModule?.('node:sqlite');
}
