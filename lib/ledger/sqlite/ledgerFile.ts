/** The file at the ledger's path: opened on first use, and again when it has failed or another has taken its place. */
import { printable } from '../../shared/printable';
import { LedgerUnavailableError } from '../common/errors';
import { LedgerDatabase, loadSqlite } from './database';
import { isBusy, sqliteUnavailableError } from './errors';
import { progressAt } from './files';
import { retryWhileBusy } from './retry';

/** How often a write is made when the file is replaced under it. */
const MOST_WRITES = 3;

export class LedgerFile {
	readonly #path: string;
	readonly #openDatabase: (path: string) => LedgerDatabase;
	#database: LedgerDatabase | undefined;
	/** Whether the last sync failed, so that the disk may lack what was written. */
	#isUnsynced = false;

	constructor(
		path: string,
		openDatabase = (file: string) => new LedgerDatabase(file, loadSqlite()),
	) {
		this.#path = path;
		this.#openDatabase = openDatabase;
	}

	/** Answers what `work` answers. What it throws becomes a `LedgerUnavailableError`. */
	async run<T>(work: (database: LedgerDatabase) => T): Promise<T> {
		return this.#try(() => work(this.#current()));
	}

	/** As `run`, and answers when what was written survives a power cut. */
	async runDurably<T>(work: (database: LedgerDatabase) => T): Promise<T> {
		for (let write = 0; write < MOST_WRITES; write++) {
			const { answer, database } = await this.#try(() => {
				// Whether it is still the file at the path is asked once, after the sync.
				const used = this.#database ?? this.#current();
				used.beforeWrite();
				return { answer: work(used), database: used };
			});
			try {
				await database.durable();
				this.#isUnsynced = false;
			} catch (error) {
				this.#isUnsynced = true;
				const isReplaced = !database.isCurrent();
				if (database === this.#database) void this.close();
				if (!isReplaced) throw sqliteUnavailableError(this.#path, error);
			}
			// A file that was replaced meanwhile may lack it: it is written to the new one as well.
			if (database.isCurrent()) return answer;
			if (database === this.#database) void this.close();
		}
		throw new LedgerUnavailableError(
			`The event ledger is not available. ${printable(this.#path, 500)} keeps being replaced: find out what replaces it.`,
		);
	}

	/** After a sync that failed, throws until one has succeeded: what is claimed meanwhile could not be committed. */
	async untilSynced(): Promise<void> {
		if (this.#isUnsynced) await this.runDurably(() => undefined);
	}

	/** The next work opens the file again. A file that fails to close is given up all the same. */
	async close(): Promise<void> {
		const database = this.#database;
		this.#database = undefined;
		await database?.close().catch(() => undefined);
	}

	/** Each attempt is synchronous and short; a lock is waited for between them. */
	async #try<T>(work: () => T): Promise<T> {
		try {
			return await retryWhileBusy(work, () => this.#database?.progress() ?? progressAt(this.#path));
		} catch (error) {
			// Whatever it was (a disk, a file), the next call looks at it afresh.
			if (!isBusy(error)) void this.close();
			throw sqliteUnavailableError(this.#path, error);
		}
	}

	#current(): LedgerDatabase {
		if (this.#database && !this.#database.isCurrent()) void this.close();
		return (this.#database ??= this.#openDatabase(this.#path));
	}
}
