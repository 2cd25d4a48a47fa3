/** The ledger in an SQLite file, shared by the processes of one host, with nothing to set up. */
import { checkKey } from '../common/key';
import { newToken } from '../common/token';
import type { Claim, ClaimAnswer, Entry, EntryState, Ledger } from '../common/types';
import type { LedgerDatabase } from './database';
import { LedgerFile } from './ledgerFile';
import { BEGUN, DONE, FAILED, RUNNING, STORED } from './statements';
import { Sweeper } from './sweeper';

interface SqliteLedgerOptions {
	/** The file; created with its folder if missing. */
	readonly path: string;
	/** Unix milliseconds: the processes of a host share its clock. Default `Date.now`. */
	readonly now?: () => number;
	/** Opens the file. Default: Node's own SQLite. */
	readonly openDatabase?: (path: string) => LedgerDatabase;
	/** Called with the number of events that began although the ledger did not know them. */
	readonly onUnknown?: ((events: number) => void) | undefined;
	/** Called when the ledger is closed. */
	readonly onClose?: () => void;
}

export class SqliteLedger implements Ledger {
	readonly #file: LedgerFile;
	readonly #now: () => number;
	readonly #onUnknown: ((events: number) => void) | undefined;
	readonly #onClose: (() => void) | undefined;
	readonly #sweeper = new Sweeper();

	constructor(options: SqliteLedgerOptions) {
		this.#file = new LedgerFile(options.path, options.openDatabase);
		this.#now = options.now ?? Date.now;
		this.#onUnknown = options.onUnknown;
		this.#onClose = options.onClose;
	}

	async look(key: string): Promise<Entry> {
		const id = keyBytes(key);
		return this.#file.run((database) => this.#look(database, id));
	}

	async claim(key: string, leaseMs: number, token = newToken()): Promise<ClaimAnswer> {
		const id = keyBytes(key);
		await this.#file.untilSynced();
		return this.#file.run((database) => {
			// Reading needs no lock: the response to a duplicate does not wait for other writers.
			const refused = refusal(this.#look(database, id));
			if (refused !== undefined) return refused;
			database.beforeWrite();
			const now = this.#now();
			const leaseEnd = now + leaseMs;
			// With `get`, Node would not report that the row could not be written: a statement with RETURNING commits at its end.
			const [row] = database.statements.claim.all({ key: id, token, now, leaseEnd });
			// Another process claimed it in between. If the entry is free again by now, the copy notices when it asks again.
			if (row === undefined) return refusal(this.#look(database, id)) ?? { state: 'pending' };
			this.#sweep(database, now);
			return { state: 'claimed', claim: { key, token }, ...historyOf(row) };
		});
	}

	async renew({ key, token }: Claim, leaseMs: number): Promise<boolean> {
		const id = keyBytes(key);
		return this.#file.run((database) => {
			database.beforeWrite();
			const now = this.#now();
			const claim = { key: id, token, now, leaseEnd: now + leaseMs };
			return database.statements.renew.run(claim).changes !== 0;
		});
	}

	async commit(claim: Claim, retentionMs: number): Promise<boolean> {
		const [wasTheirs = false] = await this.commitAll([claim], retentionMs);
		return wasTheirs;
	}

	async commitAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]> {
		const held = claims.map(({ key, token }) => ({ key: keyBytes(key), token }));
		return this.#file.runDurably((database) => {
			const now = this.#now();
			const until = now + retentionMs;
			const { commit, commitAnyway } = database.statements;
			return inOneStep(database, held, ({ key, token }) => {
				if (commit.run({ key, token, now, until }).changes !== 0) return true;
				commitAnyway.run({ key, now, until });
				return false;
			});
		});
	}

	async release({ key, token }: Claim): Promise<boolean> {
		const claim = { key: keyBytes(key), token };
		return this.#file.run((database) => {
			database.beforeWrite();
			const now = this.#now();
			const { releaseNew, releaseKnown } = database.statements;
			if (releaseNew.run({ ...claim, now }).changes !== 0) return true;
			return releaseKnown.run({ ...claim, now }).changes !== 0;
		});
	}

	async finishAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]> {
		const held = claims.map(({ key, token }) => ({ key: keyBytes(key), token }));
		return this.#file.runDurably((database) => {
			const now = this.#now();
			const { finish } = database.statements;
			return inOneStep(database, held, (claim) => {
				if (finish.run({ ...claim, now, until: now + retentionMs }).changes !== 0) return true;
				const { state } = this.#look(database, claim.key);
				return state === 'done' || state === 'begun';
			});
		});
	}

	async begin(
		keys: readonly string[],
		run: string,
		retentionMs: number,
		tokens: readonly (string | undefined)[] = [],
	): Promise<boolean[]> {
		const ids = keys.map(keyBytes);
		return this.#file.runDurably((database) => {
			const now = this.#now();
			const until = now + retentionMs;
			const { begin, beginClaimed, endClaim } = database.statements;
			if (this.#onUnknown !== undefined) {
				const unknown = ids.filter((key) => this.#look(database, key).state === 'free').length;
				if (unknown > 0) this.#onUnknown(unknown);
			}
			return inOneStep(database, ids, (key, n) => {
				const token = tokens[n];
				const asked = { key, run, now, until };
				if (token === undefined) return begin.run(asked).changes !== 0;
				if (beginClaimed.run({ ...asked, token }).changes !== 0) return true;
				endClaim.run({ key, token, now });
				return false;
			});
		});
	}

	async giveBack(keys: readonly string[], run: string, retentionMs: number): Promise<void> {
		const ids = keys.map(keyBytes);
		await this.#file.runDurably((database) => {
			const now = this.#now();
			const until = now + retentionMs;
			const { giveBack } = database.statements;
			inOneStep(database, ids, (key) => giveBack.run({ key, run, now, until }));
		});
	}

	async reopen(keys: readonly string[], at: number, retentionMs: number): Promise<Entry[]> {
		const ids = keys.map(keyBytes);
		return this.#file.runDurably((database) => {
			const now = this.#now();
			return inOneStep(database, ids, (key) => {
				const before = this.#look(database, key);
				database.statements.reopen.run({ key, at, now, until: now + retentionMs });
				return before;
			});
		});
	}

	async readRecord(key: string): Promise<string | undefined> {
		return this.#file.run((database) => {
			// Read by hand: every delivery to a registered endpoint waits for it.
			const value = database.statements.readRecord.get({ key })?.['value'];
			return typeof value === 'string' ? value : undefined;
		});
	}

	async swapRecord(
		key: string,
		expected: string | undefined,
		next: string | undefined,
	): Promise<boolean> {
		return this.#file.runDurably((database) => {
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
		this.#onClose?.();
		await this.#file.close();
	}

	#look(database: LedgerDatabase, key: Uint8Array): Entry {
		// Read by hand: every delivery waits for it.
		const row = database.statements.find.get({ key });
		const now = this.#now();
		if (row === undefined || Number(row['expires']) <= now) return { state: 'free', attempts: 0 };
		const history = historyOf(row);
		const due = Number(row['due']);
		const state = stateOf(Number(row['state']), due > now, history.attempts);
		const { run } = row;
		return {
			state,
			...history,
			...(typeof run === 'string' && { run }),
			...(state === 'failed' && { failedMs: Math.max(0, now - due) }),
		};
	}

	#sweep(database: LedgerDatabase, now: number): void {
		try {
			this.#sweeper.claimed(database.statements, now);
		} catch {
			// The claim is valid; a later one removes the expired entries.
		}
	}
}

type Row = Readonly<Record<string, unknown>>;

function historyOf({ attempts, reopened }: Row): Pick<Entry, 'attempts' | 'reopenedAt'> {
	return {
		attempts: Number(attempts),
		...(reopened !== null && { reopenedAt: Number(reopened) }),
	};
}

/** `isHeld`: the lease or the grace has not ended. */
function stateOf(state: number, isHeld: boolean, attempts: number): EntryState {
	if (state === BEGUN) return 'begun';
	if (state === DONE) return 'done';
	if (state === STORED) return isHeld ? 'stored' : 'overdue';
	if (state === FAILED) return 'failed';
	if (isHeld) return state === RUNNING ? 'running' : 'pending';
	// An expired claim on an event that has begun or was stored before.
	return attempts > 0 ? 'failed' : 'overdue';
}

/** The result of a claim on this entry; undefined if the event can be claimed. */
function refusal({ state }: Entry): ClaimAnswer | undefined {
	if (state === 'pending' || state === 'running') return { state: 'pending' };
	const isSettled = state === 'stored' || state === 'begun' || state === 'done';
	return isSettled ? { state: 'committed' } : undefined;
}

/** A single entry needs no transaction. */
function inOneStep<T, R>(
	database: LedgerDatabase,
	all: readonly T[],
	work: (one: T, index: number) => R,
): R[] {
	return all.length === 1 ? all.map(work) : database.transaction(() => all.map(work));
}

function keyBytes(key: string): Uint8Array {
	checkKey(key);
	return Buffer.from(key, 'base64url');
}
