/** Ledgers on a test's own Redis servers, which may fail, and time limits for their errors. */
import { type Ledger, ledgerKey, LedgerUnavailableError } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { readRedisSettings } from '../../../lib/ledger/redis/settings';
import { RedisStore } from '../../../lib/ledger/redis/store';
import { watchCores } from '../../support/cores';
import { endAfterEach } from '../../support/lifetime';
import { type RedisServer, type RedisServerOptions, startRedis } from '../../support/redis';

export const RETENTION_MS = 30 * 24 * 60 * 60_000;
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
		): EventLedger => {
			const env = typeof where === 'string' ? { ASSET_SERVICE_LEDGER_REDIS_URL: where } : where;
			const store = new RedisStore({ settings: readRedisSettings(env), ...(warn && { warn }) });
			const ledger = new EventLedger({ store });
			const close = async () => {
				// Its session cannot be closed while Redis is down.
				await ledger.close().catch(() => undefined);
				// What is written in the background is tried as long as the process lives, and each try keeps that alive.
				for (const call of ['change', 'renewSession'] as const)
					jest.spyOn(store, call).mockRejectedValue(new Error('The test is over'));
			};
			ending({ close });
			return ledger;
		},
	};
}

let events = 0;

/** Claims and commits an event, a new one by default; returns its key. */
export async function accept(
	ledger: Ledger,
	key = ledgerKey('workflow', `accepted ${++events}`),
): Promise<string> {
	const answer = await ledger.claim(key);
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	await ledger.commit([answer.claim], RETENTION_MS);
	return key;
}

/** The message of a refused claim, within the time limit. */
export async function refusal(ledger: Ledger, ms = CALL_MS): Promise<string> {
	const claim = () => ledger.claim(ledgerKey('workflow', 'refused'));
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
