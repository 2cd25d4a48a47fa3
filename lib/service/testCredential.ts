/** The test of the credential: a new token with the entered values, then one asset. */
import { limitQuery, list } from './calls';
import { ApiError, IN_CREDENTIAL } from './common/errors';
import type { Transport } from './common/types';
import { parseApiSettings, plainHttpWarning } from './credential/apiSettings';
import { readJson } from './errors/withErrors';
import { systemRuntime } from './http/runtime';
import type { RetryLimits } from './http/withRetries';
import { createSender } from './sender';
import { createAccessTokens } from './tokens/accessTokens';

/** Milliseconds. A person waits for the result: including n8n's own work, it arrives within 15 s. */
const PATIENCE_MS = 14_000;

/** One retry, and the rest of the total time for each request in turn. */
function patience(): RetryLimits {
	const end = systemRuntime.now() + PATIENCE_MS;
	return {
		maxRetries: 1,
		baseDelayMs: 500,
		get totalMs() {
			return Math.max(0, end - systemRuntime.now());
		},
	};
}

/**
 * Whether the service can be reached and used with these settings. Requests a new token, whatever tokens are kept, so that an
 * old one never hides a wrong secret. The message distinguishes a wrong URL, a rejected client, a wrong audience and a missing
 * scope; it names the field to correct and contains no secret. The warning is for URLs with plain http.
 */
export async function testCredential(
	values: unknown,
	transport: Transport,
): Promise<{ ok: true; warning?: string } | { ok: false; message: string }> {
	try {
		const settings = parseApiSettings(values);
		const retries = patience();
		const tokens = createAccessTokens({ retries });
		const send = createSender({ settings, transport, tokens, retries });
		readJson(await send({ ...list('asset'), query: limitQuery(settings.serviceInterface, 1) }));
		const warning = plainHttpWarning(settings);
		return { ok: true, ...(warning !== undefined && { warning }) };
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		// A person reads this in the form of the credential itself.
		return { ok: false, message: `${error.message}. ${error.hint.replaceAll(IN_CREDENTIAL, '')}` };
	}
}
