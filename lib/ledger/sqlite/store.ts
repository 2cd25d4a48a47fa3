/** The ledger in an SQLite file: what the processes of one host agree on, with nothing to set up. */
import { LedgerUnavailableError } from '../errors';
import { checkKey } from '../key';
import { newToken } from '../token';
import type { Claim, ClaimAnswer, EntryState, Ledger } from '../types';
import { LedgerDatabase, loadSqlite } from './database';
import { isBusy, sqliteUnavailable } from './errors';
import { progressAt } from './files';
import { retryWhileBusy } from './retry';
import { BEGUN, STORED } from './statements';
import { Sweeper } from './sweeper';

/** How often a write is made when the file is replaced under it. */
const WRITES_AT_MOST = 3;

export interface SqliteLedgerOptions {
	/** The file; made with its folder when it is missing. */
	readonly path: string;
	/** Milliseconds of unix time: the processes of a host share its clock. Default `Date.now`. */
	readonly now?: () => number;
	/** Makes the token of a claim; default 128 random bits. */
	readonly createToken?: () => string;
	/** Opens the file; default Node's own SQLite. */
	readonly openDatabase?: (path: string) => LedgerDatabase;
}

export class SqliteLedger implements Ledger {
	readonly name = 'sqlite';
	readonly #path: string;
	readonly #now: () => number;
	readonly #createToken: () => string;
	readonly #openDatabase: (path: string) => LedgerDatabase;
	readonly #sweeper = new Sweeper();
	#database: LedgerDatabase | undefined;

	constructor(options: SqliteLedgerOptions) {
		this.#path = options.path;
		this.#now = options.now ?? Date.now;
		this.#createToken = options.createToken ?? newToken;
		this.#openDatabase = options.openDatabase ?? ((path) => new LedgerDatabase(path, loadSqlite()));
	}

	async look(key: string): Promise<EntryState> {
		const id = keyBytes(key);
		return this.#run((database) => this.#look(database, id));
	}

	async claim(key: string, leaseMs: number): Promise<ClaimAnswer> {
		const id = keyBytes(key);
		const token = this.#createToken();
		return this.#run((database) => {
			// A look costs no lock: the answer to a duplicate does not wait for other writers.
			const before = this.#look(database, id);
			if (before === 'pending') return { state: 'pending' };
			if (before === 'stored' || before === 'begun') return { state: 'committed' };
			database.beforeWrite();
			const now = this.#now();
			const { changes } = database.statements.claim.run({
				key: id,
				token,
				now,
				leaseEnd: now + leaseMs,
			});
			if (changes === 0) {
				// Another process came in between; a copy that finds it gone again comes back for it.
				const after = this.#look(database, id);
				return { state: after === 'stored' || after === 'begun' ? 'committed' : 'pending' };
			}
			this.#sweep(database, now);
			return { state: 'claimed', claim: { key, token } };
		});
	}

	async renew({ key, token }: Claim, leaseMs: number): Promise<boolean> {
		const id = keyBytes(key);
		return this.#run((database) => {
			database.beforeWrite();
			const now = this.#now();
			const claim = { key: id, token, now, leaseEnd: now + leaseMs };
			return database.statements.renew.run(claim).changes !== 0;
		});
	}

	async commit({ key, token }: Claim, retentionMs: number): Promise<boolean> {
		const id = keyBytes(key);
		return this.#runDurably((database) => {
			const now = this.#now();
			const until = now + retentionMs;
			const { commit, commitAnyway } = database.statements;
			if (commit.run({ key: id, token, now, until }).changes !== 0) return true;
			commitAnyway.run({ key: id, now, until });
			return false;
		});
	}

	async release({ key, token }: Claim): Promise<boolean> {
		const claim = { key: keyBytes(key), token };
		return this.#run((database) => {
			database.beforeWrite();
			const now = this.#now();
			const { releaseNew, releaseStored } = database.statements;
			if (releaseNew.run({ ...claim, now }).changes !== 0) return true;
			return releaseStored.run({ ...claim, now }).changes !== 0;
		});
	}

	async begin(keys: readonly string[], run: string, retentionMs: number): Promise<boolean[]> {
		const ids = keys.map(keyBytes);
		return this.#runDurably((database) => {
			const now = this.#now();
			const begin = (key: Uint8Array) =>
				database.statements.begin.run({ key, run, now, until: now + retentionMs }).changes !== 0;
			return ids.length === 1 ? ids.map(begin) : database.transaction(() => ids.map(begin));
		});
	}

	async readRecord(key: string): Promise<string | undefined> {
		return this.#run((database) => {
			const value = database.statements.readRecord.get({ key })?.['value'];
			return typeof value === 'string' ? value : undefined;
		});
	}

	async swapRecord(
		key: string,
		expected: string | undefined,
		next: string | undefined,
	): Promise<boolean> {
		return this.#runDurably((database) => {
			const { readRecord, addRecord, replaceRecord, removeRecord } = database.statements;
			if (expected === undefined) {
				if (next === undefined) return readRecord.get({ key }) === undefined;
				return addRecord.run({ key, next }).changes !== 0;
			}
			const changed =
				next === undefined
					? removeRecord.run({ key, expected })
					: replaceRecord.run({ key, expected, next });
			return changed.changes !== 0;
		});
	}

	async close(): Promise<void> {
		await this.#forget();
	}

	#look(database: LedgerDatabase, key: Uint8Array): EntryState {
		const row = database.statements.find.get({ key });
		const now = this.#now();
		if (row === undefined || Number(row['expires']) <= now) return 'free';
		if (row['state'] === BEGUN) return 'begun';
		// Also a claim that ran out, on an event that was stored before.
		if (Number(row['due']) <= now) return 'overdue';
		return row['state'] === STORED ? 'stored' : 'pending';
	}

	#sweep(database: LedgerDatabase, now: number): void {
		try {
			this.#sweeper.claimed(database.statements, now);
		} catch {
			// The claim stands; what has expired is removed along with another one.
		}
	}

	/** As `#run`, and answers when what was written survives a power cut. */
	async #runDurably<T>(work: (database: LedgerDatabase) => T): Promise<T> {
		for (let attempt = 0; attempt < WRITES_AT_MOST; attempt++) {
			const { answer, database } = await this.#try(() => {
				// Whether it is still the file at the path is asked once, after the sync.
				const used = this.#database ?? this.#open();
				used.beforeWrite();
				return { answer: work(used), database: used };
			});
			try {
				await database.durable();
			} catch (error) {
				const isReplaced = !database.isCurrent();
				if (database === this.#database) void this.#forget();
				if (!isReplaced) throw sqliteUnavailable(this.#path, error);
			}
			// A file that was replaced meanwhile knows nothing of it: it is written to the new one as well.
			if (database.isCurrent()) return answer;
			if (database === this.#database) void this.#forget();
		}
		throw new LedgerUnavailableError(
			`The ledger is not available. ${this.#path} is replaced again and again: look for what does so.`,
		);
	}

	async #run<T>(work: (database: LedgerDatabase) => T): Promise<T> {
		return this.#try(() => work(this.#open()));
	}

	/** Each attempt is synchronous and short; a lock is waited for between them. */
	async #try<T>(work: () => T): Promise<T> {
		try {
			return await retryWhileBusy(work, () => this.#database?.progress() ?? progressAt(this.#path));
		} catch (error) {
			// Whatever it was (a disk, a file), the next call looks at it afresh.
			if (!isBusy(error)) void this.#forget();
			throw sqliteUnavailable(this.#path, error);
		}
	}

	#open(): LedgerDatabase {
		if (this.#database && !this.#database.isCurrent()) void this.#forget();
		return (this.#database ??= this.#openDatabase(this.#path));
	}

	async #forget(): Promise<void> {
		const database = this.#database;
		this.#database = undefined;
		// A file that fails to close is given up all the same.
		await database?.close().catch(() => undefined);
	}
}

function keyBytes(key: string): Uint8Array {
	checkKey(key);
	return Buffer.from(key, 'base64url');
}
