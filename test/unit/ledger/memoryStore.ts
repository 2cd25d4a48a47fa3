/** A store in memory that can fail, hang, be slow and lose responses, for tests of code that uses a ledger. */
import { LedgerUnavailableError } from '../../../lib/ledger';
import {
	type ChangeOptions,
	SESSION_MS,
	type Store,
	type Update,
	type Vital,
} from '../../../lib/ledger/common/store';
import { decode, encode, type Entry, holderOf } from '../../../lib/ledger/life/entry';
import { type EntryState, FIRST_GRACE_MS, stateOf } from '../../../lib/ledger/life/states';

const ANOTHER_PROCESS = 'another process';

interface Kept {
	readonly text: string;
	readonly expires: number;
}

export class MemoryStore implements Store {
	readonly entries = new Map<string, Kept>();
	readonly records = new Map<string, string>();
	/** When a record expires; absent for one that does not. */
	readonly #recordExpires = new Map<string, number>();
	/** When each session lapses; 0 if it is closed. */
	readonly sessions = new Map<string, number>();
	/** Rejects every call, and does nothing. */
	failing = false;
	/** Does what was asked, and rejects every call. */
	losing = false;
	/** Never returns. */
	hanging = false;
	/** Delay of each call before it does anything, in milliseconds. */
	delayMs = 0;
	/** How many calls there were. */
	trips = 0;

	constructor(private readonly now: () => number = Date.now) {}

	async change<K extends { readonly key: string }, R>(
		keys: readonly K[],
		update: Update<K, R>,
		{ keepMs, session, isDead }: ChangeOptions,
	): Promise<R[]> {
		return await this.#called(() =>
			keys.map((key) => {
				const seen = this.#seen(
					key.key,
					(holder) => holder !== session && isDead(this.vitalOf(holder)),
				);
				const { result, text } = update(seen, key);
				if (text === null) this.entries.delete(key.key);
				const expires = Math.max(this.entries.get(key.key)?.expires ?? 0, seen.now + keepMs);
				if (typeof text === 'string') this.entries.set(key.key, { text, expires });
				return result;
			}),
		);
	}

	async renewSession(name: string): Promise<boolean> {
		return await this.#called(() => {
			const wasAlive = this.vitalOf(name) === 'alive';
			this.sessions.set(name, this.now() + SESSION_MS);
			return wasAlive;
		});
	}

	async closeSession(name: string): Promise<void> {
		await this.#called(() => this.sessions.set(name, 0));
	}

	async readRecord(key: string): Promise<string | undefined> {
		return await this.#called(() => this.#recordAt(key));
	}

	async swapRecord(
		key: string,
		expected: string | undefined,
		next: string | undefined,
		keepMs?: number,
	): Promise<boolean> {
		return await this.#called(() => {
			if (this.#recordAt(key) !== expected) return false;
			const until = Math.max(this.#recordExpires.get(key) ?? 0, this.now() + (keepMs ?? 0));
			if (keepMs !== undefined) this.#recordExpires.set(key, until);
			if (next !== undefined) this.records.set(key, next);
			else this.#removeRecord(key);
			return true;
		});
	}

	async close(): Promise<void> {
		await this.#called(() => undefined);
	}

	/** Puts an event into the state that a test needs, for a long time. Another process holds it, if any does. */
	put(key: string, state: EntryState, more: Partial<Entry> = {}): void {
		this.entries.delete(key);
		if (state === 'free') return;
		const isHeld = state === 'pending' || state === 'running';
		if (isHeld) this.sessions.set(ANOTHER_PROCESS, Infinity);
		const hasBegun = !['pending', 'stored', 'overdue'].includes(state);
		const entry: Entry = {
			kind: state === 'overdue' ? 'stored' : state,
			at: state === 'overdue' ? 0 : this.now(),
			grace: state === 'stored' || state === 'overdue' ? FIRST_GRACE_MS : 0,
			attempts: hasBegun ? 1 : 0,
			repeats: false,
			reopenings: 0,
			...(isHeld && { holder: ANOTHER_PROCESS }),
			...(hasBegun && { run: 'another run' }),
		};
		const expires = this.now() + 1e10;
		this.entries.set(key, { text: encode({ ...entry, ...more }), expires });
	}

	/** Without a call. A session that does not live is dead. */
	stateOf(key: string): EntryState {
		const { text, ...moment } = this.#seen(key, (holder) => this.vitalOf(holder) !== 'alive');
		return stateOf(decode(text), moment);
	}

	vitalOf(session: string): Vital {
		const until = this.sessions.get(session);
		if (until === 0) return 'closed';
		return until !== undefined && until > this.now() ? 'alive' : 'gone';
	}

	#recordAt(key: string): string | undefined {
		const text = this.records.get(key);
		if (text === undefined || (this.#recordExpires.get(key) ?? Infinity) > this.now()) return text;
		this.#removeRecord(key);
		return undefined;
	}

	#removeRecord(key: string): void {
		this.records.delete(key);
		this.#recordExpires.delete(key);
	}

	#seen(key: string, isDead: (holder: string) => boolean) {
		const now = this.now();
		const kept = this.entries.get(key);
		if (kept === undefined || kept.expires <= now) {
			this.entries.delete(key);
			return { text: undefined, now, isHolderDead: false };
		}
		const holder = holderOf(kept.text);
		return { text: kept.text, now, isHolderDead: holder !== undefined && isDead(holder) };
	}

	async #called<R>(work: () => R): Promise<R> {
		this.trips += 1;
		if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
		if (this.hanging) await new Promise<never>(() => undefined);
		if (this.failing) throw new LedgerUnavailableError('The disk is full');
		const result = work();
		if (this.losing) throw new LedgerUnavailableError('The response was lost');
		return result;
	}
}
