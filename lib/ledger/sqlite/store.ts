/** The ledger in an SQLite file: what the processes of one host agree on, with nothing to set up. */
import { checkKey } from '../key';
import { newToken } from '../token';
import type { Claim, ClaimAnswer, Ledger } from '../types';
import { LedgerDatabase, loadSqlite } from './database';
import { isBusy, sqliteUnavailable } from './errors';
import { retryWhileBusy } from './retry';
import { Sweeper } from './sweeper';

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

	async look(key: string): Promise<'free' | 'pending' | 'committed'> {
		const id = keyBytes(key);
		return this.#run((database) => this.#look(database, id));
	}

	async claim(key: string, leaseMs: number): Promise<ClaimAnswer> {
		const id = keyBytes(key);
		const token = this.#createToken();
		return this.#run((database) => {
			// A look costs no lock: the answer to a duplicate does not wait for other writers.
			const before = this.#look(database, id);
			if (before !== 'free') return { state: before };
			const now = this.#now();
			database.setDurability('NORMAL');
			const { changes } = database.statements.claim.run(id, now + leaseMs, token, now);
			if (changes === 0) {
				// Another process came in between; a copy that finds it gone again comes back for it.
				const after = this.#look(database, id);
				return { state: after === 'free' ? 'pending' : after };
			}
			this.#sweep(database, now);
			return { state: 'claimed', claim: { key, token } };
		});
	}

	async renew({ key, token }: Claim, leaseMs: number): Promise<boolean> {
		const id = keyBytes(key);
		return this.#run((database) => {
			const now = this.#now();
			database.setDurability('NORMAL');
			return database.statements.renew.run(now + leaseMs, id, token, now).changes !== 0;
		});
	}

	async commit({ key, token }: Claim, retentionMs: number): Promise<boolean> {
		const id = keyBytes(key);
		return this.#run((database) => {
			const now = this.#now();
			database.setDurability('FULL');
			const { commit, commitAnyway } = database.statements;
			if (commit.run(now + retentionMs, id, token, now).changes !== 0) return true;
			commitAnyway.run(id, now + retentionMs);
			return false;
		});
	}

	async release({ key, token }: Claim): Promise<boolean> {
		const id = keyBytes(key);
		return this.#run((database) => {
			database.setDurability('NORMAL');
			return database.statements.release.run(id, token, this.#now()).changes !== 0;
		});
	}

	async readRecord(key: string): Promise<string | undefined> {
		return this.#run((database) => {
			const value = database.statements.readRecord.get(key)?.['value'];
			return typeof value === 'string' ? value : undefined;
		});
	}

	async swapRecord(
		key: string,
		expected: string | undefined,
		next: string | undefined,
	): Promise<boolean> {
		return this.#run((database) => {
			const { readRecord, addRecord, replaceRecord, removeRecord } = database.statements;
			database.setDurability('FULL');
			if (expected === undefined) {
				if (next === undefined) return readRecord.get(key) === undefined;
				return addRecord.run(key, next).changes !== 0;
			}
			const changed =
				next === undefined
					? removeRecord.run(key, expected)
					: replaceRecord.run(next, key, expected);
			return changed.changes !== 0;
		});
	}

	async close(): Promise<void> {
		this.#forget();
	}

	#look(database: LedgerDatabase, id: Uint8Array): 'free' | 'pending' | 'committed' {
		const row = database.statements.find.get(id);
		if (row === undefined || Number(row['expires']) <= this.#now()) return 'free';
		return row['token'] === null ? 'committed' : 'pending';
	}

	#sweep(database: LedgerDatabase, now: number): void {
		try {
			this.#sweeper.claimed(database.statements, now);
		} catch {
			// The claim stands; what has expired is removed along with another one.
		}
	}

	/** Each attempt is synchronous and short; a lock is waited for between them. */
	async #run<T>(work: (database: LedgerDatabase) => T): Promise<T> {
		try {
			return await retryWhileBusy(() => work(this.#open()));
		} catch (error) {
			// Whatever it was (a disk, a file), the next call looks at it afresh.
			if (!isBusy(error)) this.#forget();
			throw sqliteUnavailable(this.#path, error);
		}
	}

	#open(): LedgerDatabase {
		if (this.#database && !this.#database.isCurrent()) this.#forget();
		return (this.#database ??= this.#openDatabase(this.#path));
	}

	#forget(): void {
		const database = this.#database;
		this.#database = undefined;
		try {
			database?.close();
		} catch {
			// A file that fails to close is given up all the same.
		}
	}
}

function keyBytes(key: string): Uint8Array {
	checkKey(key);
	return Buffer.from(key, 'base64url');
}
