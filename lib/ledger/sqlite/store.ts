/** The store of the ledger in an SQLite file, shared by the processes of one host, with nothing to set up. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime as secondsUp } from 'node:os';
import { DAY_MS } from '../../shared/time';
import {
	type ChangeOptions,
	CLOSED_MS,
	SESSION_MS,
	type Store,
	type Update,
	type Vital,
} from '../common/store';
import { holderOf } from '../life/entry';
import type { LedgerDatabase } from './database';
import { LedgerFile } from './ledgerFile';

type SqliteRow = Readonly<Record<string, unknown>>;

interface SqliteStoreOptions {
	/** The file; created with its folder if missing. */
	readonly path: string;
	/** Default: the clocks of the host. */
	readonly clock?: HostClock;
	/** Opens the file. Default: Node's own SQLite. */
	readonly openDatabase?: ((path: string) => LedgerDatabase) | undefined;
	/** Called if the file or its log was deleted or replaced while it was open. */
	readonly onReplaced?: (() => void) | undefined;
}

export class SqliteStore implements Store {
	readonly #file: LedgerFile;
	readonly #clock: HostClock;
	readonly #sweeper = new Sweeper();
	/** The time by which entries expire: that of the file when this process opened it, and what has passed since. */
	#expiry: { readonly of: LedgerDatabase; readonly offset: number } | undefined;

	constructor({ path, clock = hostClock(), openDatabase, onReplaced }: SqliteStoreOptions) {
		this.#file = new LedgerFile(path, openDatabase, onReplaced);
		this.#clock = clock;
	}

	async change<K extends { readonly key: string }, R>(
		keys: readonly K[],
		update: Update<K, R>,
		options: ChangeOptions,
	): Promise<R[]> {
		const work = (database: LedgerDatabase): R[] => {
			const change = (key: K, n: number) => this.#changeOne(database, key, n, update, options);
			// A single entry needs no transaction.
			return keys.length === 1 ? keys.map(change) : database.transaction(() => keys.map(change));
		};
		return await this.#file.runTogether(work, options.isDurable);
	}

	async renewSession(name: string): Promise<boolean> {
		return await this.#file.run((database) => {
			const wasAlive = this.#vitalOf(database, name) === 'alive';
			database.beforeWrite();
			const { writeSession, removeSessions, writeClock } = database.statements;
			const { boot } = this.#clock;
			const renewed = this.#clock.monotonic();
			writeSession.run({ name, boot, renewed, closed: 0 });
			writeClock.run({ wall: this.#clock.now(), time: this.#expiryTime(database) });
			// Another process may have renewed its own meanwhile.
			const now = renewed + SESSION_MS;
			if (!wasAlive) removeSessions.run({ boot, before: renewed - CLOSED_MS, now });
			return wasAlive;
		});
	}

	async closeSession(name: string): Promise<void> {
		await this.#file.run(({ statements }) => {
			const { boot, monotonic } = this.#clock;
			statements.writeSession.run({ name, boot, renewed: monotonic(), closed: 1 });
		});
	}

	async readRecord(key: string): Promise<string | undefined> {
		return await this.#file.run((database) => {
			// Read by hand: every delivery to a registered endpoint waits for it.
			const value = database.statements.readRecord.get({
				key,
				now: this.#expiryTime(database),
			})?.['value'];
			return typeof value === 'string' ? value : undefined;
		});
	}

	async swapRecord(
		key: string,
		expected: string | undefined,
		next: string | undefined,
		keepMs?: number,
	): Promise<boolean> {
		return await this.#file.runDurably((database) => {
			const { readRecord, addRecord, replaceRecord, removeRecord } = database.statements;
			const now = this.#expiryTime(database);
			const until = keepMs === undefined ? null : Math.ceil(now + keepMs);
			database.beforeWrite(next?.length);
			if (expected === undefined) {
				if (next === undefined) return readRecord.get({ key, now }) === undefined;
				if (addRecord.run({ key, next, until, now }).changes === 0) return false;
				this.#sweep(database, now, true);
				return true;
			}
			const changed =
				next === undefined
					? removeRecord.run({ key, expected, now })
					: replaceRecord.run({ key, expected, next, until, now });
			return changed.changes !== 0;
		});
	}

	async close(): Promise<void> {
		await this.#file.close();
	}

	/** Reading needs no lock, so a step that changes nothing does not wait for other writers. */
	#changeOne<K extends { readonly key: string }, R>(
		database: LedgerDatabase,
		key: K,
		n: number,
		update: Update<K, R>,
		{ guess, keepMs, session, isDead }: ChangeOptions,
	): R {
		const { read, add, replace, remove } = database.statements;
		const id = Buffer.from(key.key, 'base64url');
		for (let guessed = guess?.[n]; ; guessed = undefined) {
			const time = this.#expiryTime(database);
			const seen = guessed ?? readText(read.get({ key: id }), time);
			const holder = seen === undefined ? undefined : holderOf(seen);
			const isHolderDead =
				holder !== undefined && holder !== session && isDead(this.#vitalOf(database, holder));
			const { result, text } = update({ text: seen, now: this.#clock.now(), isHolderDead }, key);
			const isSame = text === undefined || (text === null && seen === undefined);
			if (isSame && guessed !== undefined) continue;
			if (isSame) return result;
			database.beforeWrite();
			const until = Math.ceil(time + keepMs);
			if (seen === undefined) {
				if (add.run({ key: id, text, now: time, until }).changes === 0) continue;
				this.#sweep(database, time);
				return result;
			}
			const changed =
				text === null
					? remove.run({ key: id, seen })
					: replace.run({ key: id, seen, text, now: time, until });
			// Otherwise another process changed it in between.
			if (changed.changes !== 0) return result;
		}
	}

	#expiryTime(database: LedgerDatabase): number {
		const { now, monotonic } = this.#clock;
		if (this.#expiry?.of !== database) {
			const { wall, time } = database.statements.readClock.get() ?? {};
			const passedMs = Math.min(Math.max(now() - Number(wall), 0), LONGEST_PAUSE_MS);
			const current = wall === undefined ? now() : Number(time) + passedMs;
			this.#expiry = { of: database, offset: current - monotonic() };
		}
		return this.#expiry.offset + monotonic();
	}

	#vitalOf({ statements }: LedgerDatabase, name: string): Vital {
		const { boot, renewed, closed } = statements.readSession.get({ name }) ?? {};
		if (closed === 1) return 'closed';
		if (boot !== this.#clock.boot) return 'gone';
		const age = this.#clock.monotonic() - Number(renewed);
		return age >= 0 && age < SESSION_MS ? 'alive' : 'gone';
	}

	#sweep({ statements }: LedgerDatabase, now: number, isRecord = false): void {
		try {
			if (isRecord) this.#sweeper.addedRecord(statements, now);
			else this.#sweeper.added(statements, now);
		} catch {
			// The entry is written; a later one removes the expired entries.
		}
	}
}

/** The text of a row that has not expired. Read by hand: every delivery waits for it. */
function readText(row: SqliteRow | undefined, now: number): string | undefined {
	const text = row?.['text'];
	return typeof text === 'string' && Number(row?.['expires']) > now ? text : undefined;
}

/** Of a pause in which no process used the ledger, this much counts for the expiry. */
const LONGEST_PAUSE_MS = DAY_MS;

/** About as many as fit on one or two pages of the file. */
const ENTRIES_PER_LOOK = 64;
/** Eight entries per new one: expired entries stay below an eighth of the file. */
const ADDED_PER_LOOK = 8;
/** Records are few: they are looked at this seldom, and when one is added. */
const ADDED_PER_RECORD_LOOK = 512;
const START = new Uint8Array(0);

/** Cycles through the keys. They are hashes, so their order is not by time, and each look finds its share of old ones. */
class Sweeper {
	// A random position: short-lived processes would otherwise all begin at the same end.
	#after: Uint8Array = randomBytes(32);
	#added = 0;

	/** Call after each new entry; `now` in Unix milliseconds. */
	added(statements: LedgerDatabase['statements'], now: number): void {
		this.#added += 1;
		if (this.#added % ADDED_PER_RECORD_LOOK === 0) this.addedRecord(statements, now);
		if (this.#added % ADDED_PER_LOOK !== 0) return;
		const { last, expired } =
			statements.inspect.get({ after: this.#after, now, limit: ENTRIES_PER_LOOK }) ?? {};
		// Checked by hand: a delivery waits for it. There is none after the last key.
		if (!(last instanceof Uint8Array)) {
			this.#after = START;
			return;
		}
		if (Number(expired) > 0) statements.sweep.run({ after: this.#after, last, now });
		this.#after = last;
	}

	/** Call after each new record. */
	addedRecord(statements: LedgerDatabase['statements'], now: number): void {
		statements.sweepRecords.run({ now });
	}
}

/** Identifies the time since the host was started; only Linux has it. Elsewhere, a monotonic clock that went back shows a new start. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
/** A wall clock that is ahead by more than this was set. */
const JUMP_MS = DAY_MS;

interface HostClock {
	/** Unix milliseconds. While the clock of the host is days ahead of where it was, the time before that continues. */
	readonly now: () => number;
	/** Milliseconds of a clock that nobody sets, the same in all processes of the host. */
	readonly monotonic: () => number;
	/** Changes when the monotonic clock starts again. */
	readonly boot: string;
}

/** Calls `onJump` once with the milliseconds that the clock was set ahead: events must not expire because of that. */
export function hostClock(
	onJump: (ms: number) => void = () => undefined,
	wall: () => number = Date.now,
	monotonic: () => number = () => Number(process.hrtime.bigint() / 1_000_000n),
	/** Like `monotonic`, but it also runs while the host is suspended. */
	uptime: () => number = () => secondsUp() * 1_000,
): HostClock {
	const offset = wall() - monotonic();
	const awake = uptime() - monotonic();
	let hasJumped = false;
	const now = () => {
		const time = wall();
		const expected = monotonic() + offset;
		if (time - expected <= JUMP_MS) return time;
		const sleptMs = Math.max(0, uptime() - monotonic() - awake);
		const aheadMs = time - expected - sleptMs;
		if (aheadMs <= JUMP_MS) return time;
		if (!hasJumped) onJump(aheadMs);
		hasJumped = true;
		return expected + sleptMs;
	};
	return { now, monotonic, boot: bootId() };
}

function bootId(): string {
	try {
		return readFileSync(BOOT_ID, 'utf8').trim();
	} catch {
		return '';
	}
}
