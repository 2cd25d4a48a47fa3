/** The file at the ledger's path: opened on first use, and again if it failed or was replaced. */
import { setImmediate } from 'node:timers/promises';
import { jittered, sleep } from '../../shared/pace';
import { printable } from '../../shared/text';
import { LedgerUnavailableError } from '../common/store';
import { LedgerDatabase, loadSqlite } from './database';
import { isBusy, LedgerFiles, sqliteUnavailableError } from './files';

/** How often a write is repeated if the file is replaced during it. */
const MOST_WRITES = 3;

type Work<T> = (database: LedgerDatabase) => T;

export class LedgerFile {
	readonly #path: string;
	readonly #openDatabase: (path: string) => LedgerDatabase;
	readonly #onReplaced: () => void;
	#database: LedgerDatabase | undefined;
	/** Whether the last sync failed, so that writes may be missing on disk. */
	#isUnsynced = false;
	readonly #together = new Together((work) => this.run(work));
	readonly #durably = new Together((work) => this.runDurably(work));

	/** Calls `onReplaced` if the file or its log was deleted or replaced while it was open. */
	constructor(
		path: string,
		openDatabase = (file: string) => new LedgerDatabase(file, loadSqlite()),
		onReplaced = (): void => undefined,
	) {
		this.#path = path;
		this.#openDatabase = openDatabase;
		this.#onReplaced = onReplaced;
	}

	/** Returns the result of `work`. Its errors become a `LedgerUnavailableError`. */
	async run<T>(work: Work<T>): Promise<T> {
		return this.#try(() => work(this.#current()));
	}

	/** Like `run`, but returns when the writes survive a power cut. */
	async runDurably<T>(work: Work<T>): Promise<T> {
		for (let write = 0; write < MOST_WRITES; write++) {
			const { result, database } = await this.#try(() => {
				const used = this.#current();
				return { result: work(used), database: used };
			});
			try {
				await database.durable();
				this.#isUnsynced = false;
			} catch (error) {
				this.#isUnsynced = true;
				if (database.isCurrent()) {
					if (database === this.#database) void this.close();
					throw sqliteUnavailableError(this.#path, error);
				}
			}
			// If the file was replaced in the meantime, the new one may lack the write: it is written to the new one as well.
			if (database.isCurrent()) return result;
		}
		throw new LedgerUnavailableError(
			`The event ledger is not available. ${printable(this.#path, 500)} keeps being replaced: find out what replaces it.`,
		);
	}

	/**
	 * Like `run` or `runDurably`, but with the work of all callers of this moment in one transaction: if one of them throws, all get
	 * the error. Without `isDurable`, throws after a failed sync until one has succeeded: an event claimed in the meantime could not
	 * be committed.
	 */
	async runTogether<T>(work: Work<T>, isDurable: boolean): Promise<T> {
		if (isDurable) return await this.#durably.run(work);
		if (this.#isUnsynced) await this.runDurably(() => undefined);
		return await this.#together.run(work);
	}

	/** The next work opens the file again. A file that fails to close is dropped all the same. */
	async close(): Promise<void> {
		const database = this.#database;
		this.#database = undefined;
		await database?.close().catch(() => undefined);
	}

	/** Each attempt is synchronous and short; it waits for a lock between attempts. */
	async #try<T>(work: () => T): Promise<T> {
		try {
			return await retryWhileBusy(work, () =>
				(this.#database ?? new LedgerFiles(this.#path)).progress(),
			);
		} catch (error) {
			// Whatever the cause (a disk, a file), the next call opens the file again.
			if (!isBusy(error)) void this.close();
			throw sqliteUnavailableError(this.#path, error);
		}
	}

	#current(): LedgerDatabase {
		if (this.#database?.isCurrent() === false) {
			this.#database.saveLog();
			void this.close();
			this.#onReplaced();
		}
		return (this.#database ??= this.#openDatabase(this.#path));
	}
}

const STANDSTILL_MS = 250;
const LONGEST_MS = 5_000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 20;

/**
 * Returns the result of `work`. Throws its error if it is not about a lock, if the lock was held for 250 ms without a
 * change of `progress`, or after 5 s. So it waits for other processes that each write for a moment.
 */
async function retryWhileBusy<T>(work: () => T, progress: () => string): Promise<T> {
	const startedAt = performance.now();
	let seen: string | undefined;
	let seenAt = startedAt;
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
		try {
			return work();
		} catch (error) {
			if (!isBusy(error)) throw error;
			const now = performance.now();
			const seenNow = progress();
			if (seenNow !== seen) [seen, seenAt] = [seenNow, now];
			if (now - seenAt >= STANDSTILL_MS || now - startedAt >= LONGEST_MS) throw error;
		}
		await sleep(jittered(pauseMs));
	}
}

/** A burst costs one lock, one write to the log and one check of the file. */
class Together {
	readonly #run: (work: Work<void>) => Promise<void>;
	#next: { readonly works: Work<void>[]; readonly done: Promise<void> } | undefined;

	/** `run` may call its work several times: the last time counts. */
	constructor(run: (work: Work<void>) => Promise<void>) {
		this.#run = run;
	}

	async run<T>(work: Work<T>): Promise<T> {
		const { works, done } = (this.#next ??= this.#begin());
		const result: { value?: T } = {};
		works.push((database) => {
			result.value = work(database);
		});
		await done;
		return result.value as T;
	}

	#begin() {
		const works: Work<void>[] = [];
		const done = setImmediate().then(async () => {
			this.#next = undefined;
			await this.#run((database) => {
				const all = () => {
					for (const work of works) work(database);
				};
				if (works.length === 1) all();
				else database.transaction(all);
			});
		});
		return { works, done };
	}
}
