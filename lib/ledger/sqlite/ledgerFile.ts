/**
 * The SQLite file of the ledger, as one thread works on it: takes the requests of a moment, and writes as one transaction what has
 * to be written. It runs inline where there is no thread, and everything in it is synchronous.
 *
 * Reading takes no lock: a duplicate is answered while another process writes. A file that is locked is not waited for here.
 */
import { printable } from '../../shared/text';
import type { Serve } from '../../shared/thread';
import { DAY_MS } from '../../shared/time';
import {
	CLOSED_MS,
	LedgerUnavailableError,
	RECORD,
	SESSION_MS,
	type Swap,
	type Vital,
} from '../common/store';
import { LedgerDatabase, loadSqlite } from './database';
import { isBusy, sqliteUnavailableError } from './files';
import { type HostClock, hostClock } from './hostClock';
import { Sweeper } from './sweeper';

export type LedgerRequest =
	| { readonly op: 'read'; readonly key: string }
	| ({ readonly op: 'swap' } & Swap)
	| { readonly op: 'vitalOf'; readonly session: string }
	| { readonly op: 'renew'; readonly session: string }
	/** After everything else. Later requests open the file again. */
	| { readonly op: 'close' };

/** A text or none, what a session is, or whether something was so. */
export type LedgerValue = string | boolean | undefined;

/** `isBusy`: nothing has happened, since another process has the lock. */
type LedgerResult =
	{ readonly value: LedgerValue } | { readonly error: string; readonly isBusy: boolean };

export interface LedgerResponse {
	/** In the order of the requests. */
	readonly results: readonly LedgerResult[];
	/** Whether the file or its log was deleted or replaced since the last requests. */
	readonly isReplaced: boolean;
	/** Whether it had the lock. */
	readonly hasWritten: boolean;
	/** Whether another process has written since the last requests. */
	readonly haveOthersWritten: boolean;
}

export interface LedgerFileOptions {
	/** The file; created with its folder if missing. */
	readonly path: string;
	readonly clock: HostClock;
	/** Default: Node's own SQLite. */
	readonly openDatabase?: ((path: string) => LedgerDatabase) | undefined;
}

/** Of a pause in which no process used the ledger, this much counts for the expiry. */
const LONGEST_PAUSE_MS = DAY_MS;

export class LedgerFile {
	readonly #path: string;
	readonly #clock: HostClock;
	readonly #openDatabase: (path: string) => LedgerDatabase;
	readonly #sweeper = new Sweeper();
	#database: LedgerDatabase | undefined;
	/** The time by which entries expire: that of the file when this process opened it, and what has passed since. */
	#expiryOffset = 0;
	/** SQLite's number for what other connections have written. */
	#othersVersion: unknown;
	/** Whether the last sync failed, so that what is read may be missing on disk. */
	#isUnsynced = false;

	constructor({ path, clock, openDatabase }: LedgerFileOptions) {
		this.#path = path;
		this.#clock = clock;
		this.#openDatabase = openDatabase ?? ((file) => new LedgerDatabase(file, loadSqlite()));
	}

	/** Never throws. */
	run(requests: readonly LedgerRequest[]): LedgerResponse {
		const results: LedgerResult[] = [];
		let [isReplaced, hasWritten, haveOthersWritten] = [false, false, false];
		try {
			isReplaced = this.#database?.isCurrent() === false;
			if (isReplaced) this.#close();
			const database = (this.#database ??= this.#open());
			haveOthersWritten = this.#haveOthersWritten(database);
			if (this.#isUnsynced) this.#write(database, []);
			const writes: number[] = [];
			for (const [n, request] of requests.entries()) {
				const known = this.#look(database, request);
				if (known === undefined) writes.push(n);
				else results[n] = known;
			}
			const written = this.#write(
				database,
				writes.flatMap((n) => requests[n] ?? []),
			);
			for (const [n, value] of written.entries()) results[writes[n] ?? n] = { value };
			hasWritten = written.length > 0;
		} catch (error) {
			const isLocked = isBusy(error);
			// Whatever the cause (a disk, a file), the next requests open the file again.
			if (!isLocked) this.#close();
			const { message } = sqliteUnavailableError(this.#path, error);
			for (const n of requests.keys()) results[n] ??= { error: message, isBusy: isLocked };
		}
		if (requests.some(({ op }) => op === 'close')) this.#close();
		return { results, isReplaced, hasWritten, haveOthersWritten };
	}

	#haveOthersWritten({ statements }: LedgerDatabase): boolean {
		const before = this.#othersVersion;
		this.#othersVersion = statements.readOthersVersion.get()?.['data_version'];
		return before !== undefined && this.#othersVersion !== before;
	}

	/** One that fails to close is dropped all the same. */
	#close(): void {
		const database = this.#database;
		[this.#database, this.#othersVersion] = [undefined, undefined];
		try {
			database?.close();
		} catch {
			// The next one reports what is wrong.
		}
	}

	#open(): LedgerDatabase {
		const database = this.#openDatabase(this.#path);
		const { now, monotonic } = this.#clock;
		const { wall, time } = database.clock;
		const passedMs = Math.min(Math.max(now() - Number(wall), 0), LONGEST_PAUSE_MS);
		this.#expiryOffset = (wall === undefined ? now() : Number(time) + passedMs) - monotonic();
		return database;
	}

	/** The result of what needs no lock: of a swap, the text if it is another one. */
	#look(database: LedgerDatabase, request: LedgerRequest): LedgerResult | undefined {
		if (request.op === 'read') return { value: this.#rowOf(database, request.key)?.text };
		if (request.op === 'vitalOf') return { value: this.#vitalOf(database, request.session) };
		if (request.op === 'renew') return undefined;
		if (request.op === 'close') return { value: true };
		const text = this.#rowOf(database, request.key)?.text;
		return text === request.expected || text === request.next ? undefined : { value: text };
	}

	/** One transaction, synced if one of the requests has to be durable; what was not synced before is then durable, too. */
	#write(database: LedgerDatabase, requests: readonly LedgerRequest[]): LedgerValue[] {
		const isDurable =
			this.#isUnsynced || requests.some((each) => each.op === 'swap' && each.isDurable);
		if (!isDurable && requests.length === 0) return [];
		try {
			const values = database.transaction(() => {
				if (requests.length === 0) this.#writeClock(database);
				return requests.map((each) => {
					if (each.op === 'swap') return this.#swap(database, each);
					return each.op === 'renew' && this.#renew(database, each.session);
				});
			}, isDurable);
			this.#isUnsynced = false;
			if (database.isCurrent()) return values;
		} catch (error) {
			this.#isUnsynced ||= isDurable && !isBusy(error);
			throw error;
		}
		throw new LedgerUnavailableError(
			`The event ledger is not available. ${printable(this.#path, 500)} was replaced while it was written: find out what replaces it.`,
		);
	}

	/** Writes something also if the text is the next one already: without that, the transaction would not be synced. */
	#swap(database: LedgerDatabase, { key, expected, next, keepMs }: Swap): LedgerValue {
		const row = this.#rowOf(database, key);
		if (row?.text !== expected && row?.text !== next) return row?.text;
		const { writeEntry, removeEntry, writeRecord, removeRecord } = database.statements;
		const isRecord = key.startsWith(RECORD);
		const id = idOf(key);
		if (next === undefined) {
			if (row !== undefined) (isRecord ? removeRecord : removeEntry).run({ key: id });
			else this.#writeClock(database);
			return true;
		}
		const now = this.#expiryTime();
		// A new one that says nothing is kept for good.
		const until = keepMs === undefined ? (row?.expires ?? null) : Math.ceil(now + keepMs);
		const expires = until === null ? null : Math.max(row?.expires ?? 0, until);
		(isRecord ? writeRecord : writeEntry).run({ key: id, text: next, expires });
		if (row === undefined) this.#sweeper.added(database.statements, now, isRecord);
		return true;
	}

	#renew(database: LedgerDatabase, name: string): boolean {
		const wasAlive = this.#vitalOf(database, name) === 'alive';
		const { writeSession, removeSessions } = database.statements;
		const { boot, monotonic } = this.#clock;
		const renewed = monotonic();
		writeSession.run({ name, boot, renewed, closed: 0 });
		this.#writeClock(database);
		// Another process may have renewed its own meanwhile.
		const now = renewed + SESSION_MS;
		if (!wasAlive) removeSessions.run({ boot, before: renewed - CLOSED_MS, now });
		return wasAlive;
	}

	#writeClock({ statements }: LedgerDatabase): void {
		statements.writeClock.run({ wall: this.#clock.now(), time: this.#expiryTime() });
	}

	/** Checked by hand: every delivery waits for it. Undefined for one that has expired; `expires` is null for one kept for good. */
	#rowOf({ statements }: LedgerDatabase, key: string) {
		const read = key.startsWith(RECORD) ? statements.readRecord : statements.readEntry;
		const { text, expires } = read.get({ key: idOf(key) }) ?? {};
		if (typeof text !== 'string') return undefined;
		if (typeof expires !== 'number') return { text, expires: null };
		return expires > this.#expiryTime() ? { text, expires } : undefined;
	}

	#vitalOf({ statements }: LedgerDatabase, name: string): Vital {
		const { boot, renewed, closed } = statements.readSession.get({ name }) ?? {};
		if (closed === 1) return 'closed';
		if (boot !== this.#clock.boot) return 'gone';
		const age = this.#clock.monotonic() - Number(renewed);
		return age >= 0 && age < SESSION_MS ? 'alive' : 'gone';
	}

	#expiryTime(): number {
		return this.#expiryOffset + this.#clock.monotonic();
	}
}

/** As in the tables of `schema.ts`. */
function idOf(key: string): string | Uint8Array {
	return key.startsWith(RECORD) ? key.slice(RECORD.length) : Buffer.from(key, 'base64url');
}

export const serve: Serve<string, readonly LedgerRequest[], LedgerResponse> = (path) =>
	served({ path, clock: hostClock() });

export function served(options: LedgerFileOptions): ReturnType<typeof serve> {
	const file = new LedgerFile(options);
	return (requests) => file.run(requests);
}
