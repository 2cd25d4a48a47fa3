/** The test of the credential: a new token with the values as entered, then one asset. */
import { createAccessTokens } from './tokens/accessTokens';
import { limitQuery, list, type Call } from './calls';
import { ApiError, IN_CREDENTIAL } from './errors/errors';
import { exchange, jsonAnswer, type ExchangeContext } from './http/exchange';
import { createRedactor } from './errors/redaction';
import type { RetryLimits } from './http/retry';
import { systemRuntime } from './http/runtime';
import { parseApiSettings } from './settings';
import type { Transport } from './types';

/** A person waits for the result: one retry, and no long waits. */
const PATIENCE: RetryLimits = { maxRetries: 1, totalMs: 10_000, baseDelayMs: 500 };

/**
 * Whether the service can be reached and used with these settings. Asks for a new token, whatever tokens are kept, so that
 * an old one never hides a wrong secret. The message tells apart a wrong address, a rejected client, a wrong audience and a
 * missing scope; it names the field to correct and holds no secret.
 */
export async function checkConnection(
	values: unknown,
	transport: Transport,
): Promise<{ ok: true } | { ok: false; message: string }> {
	try {
		const settings = parseApiSettings(values);
		const context: ExchangeContext = {
			settings,
			transport,
			tokens: createAccessTokens({ retries: PATIENCE }),
			redactor: createRedactor(settings.clientSecret),
			runtime: systemRuntime,
			retries: PATIENCE,
		};
		const call: Call = { ...list('asset'), query: limitQuery(settings.serviceInterface, 1) };
		jsonAnswer(await exchange(call, context), call, context);
		return { ok: true };
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		// A person reads this in the form of the credential itself.
		return { ok: false, message: `${error.message} ${error.hint.replaceAll(IN_CREDENTIAL, '')}` };
	}
}
