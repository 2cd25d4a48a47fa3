/** A ledger in memory that can fail, hang and lose its entries, for tests of code that uses a ledger. */
import {
	type Claim,
	type Entry as LookedUp,
	type EntryState,
	type Ledger,
	LedgerUnavailableError,
} from '../../../lib/ledger';
import type { ClaimAnswer } from '../../../lib/ledger/common/types';
import {
	after,
	type Answer,
	type Entry,
	type KnownEntry,
	stateOf,
	type Step,
} from './contract/model';

export class MemoryLedger implements Ledger {
	readonly entries = new Map<string, Entry>();
	readonly records = new Map<string, string>();
	/** The names of the methods in the order of their calls. */
	readonly calls: string[] = [];
	/** Rejects every call. */
	failing = false;
	/** Never returns. */
	hanging = false;
	/** Delay of each call before it does anything, in milliseconds. */
	delayMs = 0;
	#tokens = 0;

	async look(key: string): Promise<LookedUp> {
		await this.#called('look');
		return this.#look(key);
	}

	async claim(key: string, leaseMs: number, token = String(++this.#tokens)): Promise<ClaimAnswer> {
		await this.#called('claim');
		const state = this.#step(key, { kind: 'claim', claim: token, leaseMs });
		if (state !== 'claimed') return { state: state === 'pending' ? 'pending' : 'committed' };
		const { attempts, reopenedAt } = this.#look(key);
		const reopened = reopenedAt === undefined ? {} : { reopenedAt };
		return { state, claim: { key, token }, attempts, ...reopened };
	}

	async renew({ key, token }: Claim, leaseMs: number): Promise<boolean> {
		await this.#called('renew');
		return this.#step(key, { kind: 'renew', claim: token, leaseMs }) === true;
	}

	async commit({ key, token }: Claim, retentionMs: number): Promise<boolean> {
		await this.#called('commit');
		return this.#step(key, { kind: 'commit', claim: token, retentionMs }) === true;
	}

	async commitAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]> {
		await this.#called('commitAll');
		return Promise.all(claims.map((claim) => this.commit(claim, retentionMs)));
	}

	async release({ key, token }: Claim): Promise<boolean> {
		await this.#called('release');
		return this.#step(key, { kind: 'release', claim: token }) === true;
	}

	async finishAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]> {
		await this.#called('finishAll');
		return claims.map(
			({ key, token }) => this.#step(key, { kind: 'finish', claim: token, retentionMs }) === true,
		);
	}

	async begin(
		keys: readonly string[],
		run: string,
		retentionMs: number,
		tokens: readonly (string | undefined)[] = [],
	): Promise<boolean[]> {
		await this.#called('begin');
		return keys.map(
			(key, n) => this.#step(key, { kind: 'begin', run, retentionMs, claim: tokens[n] }) === true,
		);
	}

	async giveBack(keys: readonly string[], run: string, retentionMs: number): Promise<void> {
		await this.#called('giveBack');
		for (const key of keys) this.#step(key, { kind: 'giveBack', run, retentionMs });
	}

	async reopen(keys: readonly string[], at: number, retentionMs: number): Promise<LookedUp[]> {
		await this.#called('reopen');
		return keys.map((key) => {
			const before = this.#look(key);
			this.#step(key, { kind: 'reopen', at, retentionMs });
			return before;
		});
	}

	async readRecord(key: string): Promise<string | undefined> {
		await this.#called('readRecord');
		return this.records.get(key);
	}

	async swapRecord(
		key: string,
		expected: string | undefined,
		next: string | undefined,
	): Promise<boolean> {
		await this.#called('swapRecord');
		if (this.records.get(key) !== expected) return false;
		if (next === undefined) this.records.delete(key);
		else this.records.set(key, next);
		return true;
	}

	async close(): Promise<void> {
		await this.#called('close');
	}

	/** Puts an event into the state that a test needs, for a long time. */
	put(key: string, state: EntryState, more: Partial<KnownEntry> = {}): void {
		const expires = Date.now() + 1e10;
		const isOver = state === 'overdue';
		const kept = state === 'overdue' || state === 'free' ? 'stored' : state;
		const entry = { state: kept, due: isOver ? 0 : expires - 1, expires, grace: 1, attempts: 0 };
		this.entries.set(key, state === 'free' ? undefined : { ...entry, ...more });
	}

	/** Without a call. */
	stateOf(key: string): EntryState {
		return this.#look(key).state;
	}

	/** How often a method was called. */
	count(method: keyof Ledger): number {
		return this.calls.filter((call) => call === method).length;
	}

	async #called(method: keyof Ledger): Promise<void> {
		this.calls.push(method);
		if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
		if (this.hanging) await new Promise<never>(() => undefined);
		if (this.failing) throw new LedgerUnavailableError('The disk is full');
	}

	#look(key: string): LookedUp {
		const now = Date.now();
		const kept = this.entries.get(key);
		const entry = kept && kept.expires > now ? kept : undefined;
		const state = stateOf(entry, now);
		const { run, attempts = 0, reopenedAt, due = 0 } = entry ?? {};
		return {
			state,
			attempts,
			...(run !== undefined && { run: String(run) }),
			...(reopenedAt !== undefined && { reopenedAt }),
			...(state === 'failed' && { failedMs: now - due }),
		};
	}

	#step(key: string, step: Step): Answer {
		const { answer, entry } = after(this.entries.get(key), step, Date.now());
		if (entry === undefined) this.entries.delete(key);
		else this.entries.set(key, entry);
		return answer;
	}
}
