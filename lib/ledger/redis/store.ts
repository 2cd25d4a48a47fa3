/** The ledger on Redis, shared by any number of processes on any number of hosts. */
import { sleep } from '../../shared/sleep';
import { array, literal, number, safeParse, string, union } from '../../vendor/zod';
import { LedgerUnavailableError } from '../common/errors';
import { checkKey } from '../common/key';
import { newToken } from '../common/token';
import {
	type Claim,
	type ClaimAnswer,
	type Entry,
	FIRST_GRACE_MS,
	type Ledger,
	LONGEST_GRACE_MS,
} from '../common/types';
import { RedisConnection } from './connection';
import {
	BEGIN,
	BEGIN_CLAIMED,
	CLAIM,
	COMMIT,
	FINISH,
	GIVE_BACK,
	LOOK,
	type Call,
	READ_RECORD,
	RELEASE,
	RENEW,
	REOPEN,
	SWAP_RECORD,
} from './scripts';
import type { RedisSettings } from './settings';

/** At most this many claims whose response was lost are released at the same time; the others expire with their lease. */
const MOST_LOST = 1_000;
const RELEASE_PAUSE_MS = 1_000;

const entryState = literal([
	'free',
	'pending',
	'stored',
	'overdue',
	'begun',
	'running',
	'failed',
	'done',
]);
const parts = array(union([string(), number()]));

interface RedisLedgerOptions {
	readonly settings: RedisSettings;
	/** Called once if the setup of Redis breaks the ledger's guarantee. */
	readonly warn?: (message: string) => void;
	/** Called with the number of events that began although the ledger did not know them. */
	readonly onUnknown?: ((events: number) => void) | undefined;
	/** Called when the ledger is closed. */
	readonly onClose?: () => void;
}

export class RedisLedger implements Ledger {
	readonly #connection: RedisConnection;
	readonly #keyPrefix: string;
	readonly #onUnknown: ((events: number) => void) | undefined;
	readonly #onClose: (() => void) | undefined;
	#lost = 0;
	#closed = false;

	constructor(options: RedisLedgerOptions) {
		this.#connection = new RedisConnection(options.settings, options.warn ?? (() => undefined));
		this.#keyPrefix = options.settings.keyPrefix;
		this.#onUnknown = options.onUnknown;
		this.#onClose = options.onClose;
	}

	async look(key: string): Promise<Entry> {
		return entryOf(await this.#run(LOOK, key, []), 'a look');
	}

	async claim(key: string, leaseMs: number, known?: string): Promise<ClaimAnswer> {
		const claim = { key, token: known ?? newToken() };
		const sending = { begun: false };
		try {
			const args = [claim.token, Math.ceil(leaseMs), LONGEST_GRACE_MS];
			const answer = await this.#run(CLAIM, key, args, () => {
				sending.begun = true;
			});
			// Checked by hand, like the results below, because deliveries wait for them.
			if (answer === 'committed' || answer === 'pending') return { state: answer };
			if (Array.isArray(answer) && answer[0] === 'claimed') {
				return { state: 'claimed', claim, ...historyOf(answer[1], answer[2]) };
			}
			throw unknownAnswerError('a claim');
		} catch (error) {
			// A holder that passed its token renews the claim that it may have.
			if (sending.begun && known === undefined) void this.#releaseLost(claim, leaseMs);
			throw error;
		}
	}

	async renew(claim: Claim, leaseMs: number): Promise<boolean> {
		return (await this.#run(RENEW, claim.key, [claim.token, Math.ceil(leaseMs)])) === 1;
	}

	async commit(claim: Claim, retentionMs: number): Promise<boolean> {
		const args = [claim.token, Math.ceil(retentionMs), FIRST_GRACE_MS];
		return (await this.#run(COMMIT, claim.key, args)) === 1;
	}

	async commitAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]> {
		// Checked before the first call is sent, so that a wrong key changes nothing.
		for (const { key } of claims) checkKey(key);
		return Promise.all(claims.map((claim) => this.commit(claim, retentionMs)));
	}

	async release(claim: Claim): Promise<boolean> {
		return (await this.#run(RELEASE, claim.key, [claim.token])) === 1;
	}

	async finishAll(claims: readonly Claim[], retentionMs: number): Promise<boolean[]> {
		for (const { key } of claims) checkKey(key);
		const finish = ({ key, token }: Claim) =>
			this.#run(FINISH, key, [token, Math.ceil(retentionMs)]);
		return (await Promise.all(claims.map(finish))).map((result) => result === 1);
	}

	async begin(
		keys: readonly string[],
		run: string,
		retentionMs: number,
		tokens: readonly (string | undefined)[] = [],
	): Promise<boolean[]> {
		keys.forEach(checkKey);
		const args = [run, Math.ceil(retentionMs)];
		const begin = (key: string, n: number) => {
			const token = tokens[n];
			if (token === undefined) return this.#run(BEGIN, key, args);
			return this.#run(BEGIN_CLAIMED, key, [...args, token]);
		};
		const results = await allOf(keys.map(begin));
		const unknown = results.filter((result) => result === 2 || result === 3).length;
		if (unknown > 0) this.#onUnknown?.(unknown);
		return results.map((result) => result === 1 || result === 2);
	}

	async giveBack(keys: readonly string[], run: string, retentionMs: number): Promise<void> {
		keys.forEach(checkKey);
		const args = [run, Math.ceil(retentionMs), FIRST_GRACE_MS];
		await Promise.all(keys.map((key) => this.#run(GIVE_BACK, key, args)));
	}

	async reopen(keys: readonly string[], at: number, retentionMs: number): Promise<Entry[]> {
		keys.forEach(checkKey);
		const args = [at, Math.ceil(retentionMs), FIRST_GRACE_MS];
		const reopen = async (key: string) =>
			entryOf(await this.#run(REOPEN, key, args), 'a reopening');
		return Promise.all(keys.map(reopen));
	}

	async readRecord(key: string): Promise<string | undefined> {
		const call = { script: READ_RECORD, key: this.#recordKey(key), args: [] };
		const value = await this.#connection.run(call);
		return typeof value === 'string' ? value : undefined;
	}

	async swapRecord(
		key: string,
		expected: string | undefined,
		next: string | undefined,
	): Promise<boolean> {
		const args = [expected, next].flatMap((text) => (text === undefined ? ['0', ''] : ['1', text]));
		const call = { script: SWAP_RECORD, key: this.#recordKey(key), args };
		return (await this.#connection.run(call)) === 1;
	}

	async close(): Promise<void> {
		this.#closed = true;
		this.#connection.close();
		this.#onClose?.();
	}

	#recordKey(key: string): string {
		return `${this.#keyPrefix}record:${key}`;
	}

	async #run(
		script: Call['script'],
		key: string,
		args: Call['args'],
		onSend?: () => void,
	): Promise<unknown> {
		checkKey(key);
		return this.#connection.run({ script, key: this.#keyPrefix + key, args }, onSend);
	}

	/** Redis may hold a claim that no caller knows of; the next copy of the event would wait until its lease ends. */
	async #releaseLost(claim: Claim, leaseMs: number): Promise<void> {
		if (this.#lost >= MOST_LOST) return;
		this.#lost += 1;
		const leaseEnd = performance.now() + leaseMs;
		while (!this.#closed && performance.now() < leaseEnd) {
			await sleep(RELEASE_PAUSE_MS, { keepAlive: false });
			try {
				await this.release(claim);
				break;
			} catch {
				// Redis is still down.
			}
		}
		this.#lost -= 1;
	}
}

function entryOf(answer: unknown, call: string): Entry {
	const [first, run, attempts, reopened, failedMs] = safeParse(parts, answer).data ?? [];
	const state = safeParse(entryState, first);
	if (!state.success) throw unknownAnswerError(call);
	return {
		state: state.data,
		...historyOf(attempts, reopened),
		...(run !== '' && { run: String(run) }),
		...(state.data === 'failed' && { failedMs: Number(failedMs) }),
	};
}

function historyOf(attempts: unknown, reopened: unknown): Pick<Entry, 'attempts' | 'reopenedAt'> {
	return { attempts: Number(attempts), ...(reopened !== '' && { reopenedAt: Number(reopened) }) };
}

/** Like `Promise.all`, but rejects only when all calls have ended, so that none can change anything afterwards. */
async function allOf<T>(calls: readonly Promise<T>[]): Promise<T[]> {
	await Promise.allSettled(calls);
	return await Promise.all(calls);
}

function unknownAnswerError(call: string): LedgerUnavailableError {
	return new LedgerUnavailableError(
		`The event ledger is not available. Redis returned an unknown event state for ${call}.`,
	);
}
