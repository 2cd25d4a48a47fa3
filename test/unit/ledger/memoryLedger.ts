/** A ledger in memory that can fail, hang and lose its entries, for tests of what is built on a ledger. */
import {
	type Claim,
	type Entry as LookedUp,
	type Ledger,
	LedgerUnavailableError,
} from '../../../lib/ledger';
import type { ClaimAnswer } from '../../../lib/ledger/common/types';

interface Entry {
	readonly state: 'pending' | 'stored' | 'overdue' | 'begun';
	/** Token of the claim, or the run. */
	readonly holder?: string;
	readonly expires: number;
}

export class MemoryLedger implements Ledger {
	readonly entries = new Map<string, Entry>();
	readonly records = new Map<string, string>();
	/** The names of the methods in the order of their calls. */
	readonly calls: string[] = [];
	/** Rejects every call. */
	failing = false;
	/** Never answers. */
	hanging = false;
	/** What each call takes before it does anything, in milliseconds. */
	delayMs = 0;
	#tokens = 0;

	async look(key: string): Promise<LookedUp> {
		await this.#called('look');
		const { state = 'free', holder } = this.#living(key) ?? {};
		return { state, ...(state === 'begun' && holder !== undefined && { run: holder }) };
	}

	async claim(key: string, leaseMs: number): Promise<ClaimAnswer> {
		await this.#called('claim');
		const entry = this.#living(key);
		if (entry && entry.state !== 'overdue')
			return { state: entry.state === 'pending' ? 'pending' : 'committed' };
		const claim = { key, token: String(++this.#tokens) };
		this.#set(key, { state: 'pending', holder: claim.token, expires: Date.now() + leaseMs });
		return { state: 'claimed', claim };
	}

	async renew(claim: Claim, leaseMs: number): Promise<boolean> {
		await this.#called('renew');
		const theirs = this.#isTheirs(claim);
		const renewed = {
			state: 'pending',
			holder: claim.token,
			expires: Date.now() + leaseMs,
		} as const;
		if (theirs) this.#set(claim.key, renewed);
		return theirs;
	}

	async commit(claim: Claim, retentionMs: number): Promise<boolean> {
		await this.#called('commit');
		const theirs = this.#isTheirs(claim);
		const state = this.#living(claim.key)?.state;
		if (state !== 'begun' && state !== 'overdue') {
			this.#set(claim.key, { state: 'stored', expires: Date.now() + retentionMs });
		}
		return theirs;
	}

	async commitAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]> {
		await this.#called('commitAll');
		return Promise.all(claims.map((claim) => this.commit(claim, retentionMs)));
	}

	async release(claim: Claim): Promise<boolean> {
		await this.#called('release');
		const theirs = this.#isTheirs(claim);
		if (theirs) this.entries.delete(claim.key);
		return theirs;
	}

	async begin(keys: readonly string[], run: string, retentionMs: number): Promise<boolean[]> {
		await this.#called('begin');
		return keys.map((key) => {
			const entry = this.#living(key);
			if (entry?.state === 'begun' && entry.holder !== run) return false;
			this.#set(key, { state: 'begun', holder: run, expires: Date.now() + retentionMs });
			return true;
		});
	}

	async giveBack(keys: readonly string[], run: string, retentionMs: number): Promise<void> {
		await this.#called('giveBack');
		for (const key of keys) {
			const entry = this.#living(key);
			if (entry?.state === 'begun' && entry.holder !== run) continue;
			this.#set(key, { state: 'overdue', expires: Date.now() + retentionMs });
		}
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

	#living(key: string): Entry | undefined {
		const entry = this.entries.get(key);
		return entry && entry.expires > Date.now() ? entry : undefined;
	}

	#set(key: string, entry: Entry): void {
		this.entries.set(key, entry);
	}

	#isTheirs(claim: Claim): boolean {
		const entry = this.#living(claim.key);
		return entry?.state === 'pending' && entry.holder === claim.token;
	}
}
