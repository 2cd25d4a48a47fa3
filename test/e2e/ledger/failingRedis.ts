/** Ledgers on a test's own Redis servers, which may fail, and time limits for their errors. */
import { type Ledger, ledgerKey, LedgerUnavailableError } from '../../../lib/ledger';
import { RedisLedger, readRedisSettings } from '../../../lib/ledger/redis';
import { watchCores } from '../../support/cores';
import { endAfterEach } from '../../support/lifetime';
import { type RedisServer, type RedisServerOptions, startRedis } from '../../support/redis';

export const LEASE_MS = 60_000;
export const RETENTION_MS = 1_000_000;
/** A call takes at most 2 s, but the event loop may be late, especially with a thousand calls at once. */
export const CALL_MS = 2_400;
export const MANY_CALLS_MS = 3_400;
export const BACK_MS = 5_000;

/** Returns functions that start servers and open ledgers, which end with the test. Fails if a rejection is left unhandled. */
export function failingRedis() {
	const unhandled: unknown[] = [];
	const note = (reason: unknown) => unhandled.push(reason);

	beforeEach(() => {
		process.on('unhandledRejection', note);
	});

	const ending = endAfterEach();
	afterEach(() => {
		process.off('unhandledRejection', note);
		expect(unhandled.splice(0)).toEqual([]);
	});

	return {
		ending,
		start: async (options: RedisServerOptions = {}): Promise<RedisServer> =>
			ending(await startRedis(options)),
		/** With these environment variables, or at this URL. */
		open: (
			where: string | Readonly<Record<string, string>>,
			warn?: (message: string) => void,
		): RedisLedger => {
			const env = typeof where === 'string' ? { ASSET_SERVICE_LEDGER_REDIS_URL: where } : where;
			return ending(new RedisLedger({ settings: readRedisSettings(env), ...(warn && { warn }) }));
		},
	};
}

let events = 0;

/** Claims and commits an event, a new one by default; returns its key. */
export async function accept(
	ledger: Ledger,
	key = ledgerKey('workflow', `accepted ${++events}`),
): Promise<string> {
	const answer = await ledger.claim(key, LEASE_MS);
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	expect(await ledger.commit(answer.claim, RETENTION_MS)).toBe(true);
	return key;
}

/** The message of a refused claim, within the time limit. */
export async function refusal(ledger: Ledger, ms = CALL_MS): Promise<string> {
	const claim = () => ledger.claim(ledgerKey('workflow', 'refused'), LEASE_MS);
	const error = await within(ms, () => claim().catch((thrown: unknown) => thrown));
	if (error instanceof LedgerUnavailableError) return error.message;
	throw new Error('The claim was not refused', { cause: error });
}

/** Fails if `work` takes longer, without the time in which no core was free for it. */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
	const withoutCore = watchCores();
	const startedAt = performance.now();
	const answer = await work();
	expect(performance.now() - startedAt).toBeLessThan(ms + withoutCore());
	return answer;
}

/** Retries until it succeeds or the test times out. */
export async function eventually(work: () => Promise<unknown>): Promise<void> {
	for (;;) {
		try {
			await work();
			return;
		} catch {
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
}
