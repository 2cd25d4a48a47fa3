/** A store in memory that can fail, hang, be slow and lose responses, for tests of code that uses a ledger. */
import { LedgerUnavailableError } from '../../../lib/ledger';
import {
	RECORD,
	SESSION_MS,
	type Swap,
	type Swapped,
	type Vital,
} from '../../../lib/ledger/common/store';
import { decode, encode, type Entry, holderOf } from '../../../lib/ledger/life/entry';
import { type EntryState, FIRST_GRACE_MS, stateOf } from '../../../lib/ledger/life/states';
import { type ChangeOptions, TextStore, type Update } from '../../../lib/ledger/texts/textStore';

const ANOTHER_PROCESS = 'another process';

interface Kept {
	readonly text: string;
	readonly expires: number;
}

export class MemoryStore extends TextStore {
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

	readonly #clock: () => number;

	constructor(clock: () => number = Date.now) {
		super();
		this.#clock = clock;
	}

	/** One call for all keys. */
	override async change<K extends { readonly key: string }, R>(
		keys: readonly K[],
		update: Update<K, R>,
		options: ChangeOptions,
	): Promise<R[]> {
		return await this.#called(() => super.change(keys, update, options));
	}

	async renewSession(name: string): Promise<boolean> {
		return await this.#called(() => {
			const wasAlive = this.#vital(name) === 'alive';
			this.sessions.set(name, this.now() + SESSION_MS);
			return wasAlive;
		});
	}

	async closeSession(name: string): Promise<void> {
		await this.#called(() => this.sessions.set(name, 0));
	}

	/** Most calls of tests, so without the steps of the others. */
	override async readRecord(key: string): Promise<string | undefined> {
		if (this.#isOdd) return await this.#called(() => this.#recordAt(key));
		this.trips += 1;
		return this.#recordAt(key);
	}

	override async swapRecord(...asked: Parameters<TextStore['swapRecord']>): Promise<boolean> {
		return await this.#called(() => super.swapRecord(...asked));
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
		const text = this.#textAt(key);
		const holder = text === undefined ? undefined : holderOf(text);
		const isHolderDead = holder !== undefined && this.#vital(holder) !== 'alive';
		return stateOf(decode(text), { now: this.now(), isHolderDead });
	}

	protected now(): number {
		return this.#clock();
	}

	protected async read(key: string): Promise<string | undefined> {
		return this.#textAt(key);
	}

	protected async swap({ key, expected, next, keepMs }: Swap): Promise<Swapped> {
		const text = this.#textAt(key);
		if (text === next) return true;
		if (text !== expected) return text;
		const name = key.startsWith(RECORD) ? key.slice(RECORD.length) : undefined;
		if (next === undefined) {
			if (name === undefined) this.entries.delete(key);
			else this.#removeRecord(name);
		} else if (name !== undefined) {
			const until = Math.max(this.#recordExpires.get(name) ?? 0, this.now() + (keepMs ?? 0));
			if (keepMs !== undefined) this.#recordExpires.set(name, until);
			this.records.set(name, next);
		} else {
			const expires = Math.max(this.entries.get(key)?.expires ?? 0, this.now() + (keepMs ?? 0));
			this.entries.set(key, { text: next, expires });
		}
		return true;
	}

	protected async vitalOf(session: string): Promise<Vital> {
		return this.#vital(session);
	}

	#vital(session: string): Vital {
		const until = this.sessions.get(session);
		if (until === 0) return 'closed';
		return until !== undefined && until > this.now() ? 'alive' : 'gone';
	}

	#textAt(key: string): string | undefined {
		if (key.startsWith(RECORD)) return this.#recordAt(key.slice(RECORD.length));
		const { text, expires = 0 } = this.entries.get(key) ?? {};
		if (text === undefined || expires > this.now()) return text;
		this.entries.delete(key);
		return undefined;
	}

	#recordAt(name: string): string | undefined {
		const text = this.records.get(name);
		if (text === undefined) return undefined;
		if ((this.#recordExpires.get(name) ?? Infinity) > this.now()) return text;
		this.#removeRecord(name);
		return undefined;
	}

	#removeRecord(name: string): void {
		for (const map of [this.records, this.#recordExpires]) map.delete(name);
	}

	/** Whether a call does more than what was asked. */
	get #isOdd(): boolean {
		return this.delayMs > 0 || this.hanging || this.failing || this.losing;
	}

	async #called<R>(work: () => R | Promise<R>): Promise<R> {
		this.trips += 1;
		if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
		if (this.hanging) await new Promise<never>(() => undefined);
		if (this.failing) throw new LedgerUnavailableError('The disk is full');
		const result = await work();
		if (this.losing) throw new LedgerUnavailableError('The response was lost');
		return result;
	}
}
