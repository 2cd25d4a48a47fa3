/** What sends the calls of a client. */
import type { ApiSettings, Transport } from './common/types';
import { createRedactor } from './errors/redaction';
import { withErrors } from './errors/withErrors';
import type { Runtime } from './http/runtime';
import { withRetries, type RetryLimits } from './http/withRetries';
import { processAccessTokens, type AccessTokens } from './tokens/accessTokens';
import { withToken } from './tokens/withToken';

export interface SenderOptions {
	settings: ApiSettings;
	transport: Transport;
	/** Cancels requests under way, and those that are made later. */
	signal?: AbortSignal | undefined;
	/** Where access tokens are kept; the store of the process when left out. */
	tokens?: AccessTokens;
	runtime?: Runtime;
	/** Bounds of the retries of a GET. */
	retries?: RetryLimits;
}

/** Each layer takes what sends and gives what sends, so that none has to know of the others. */
export function createSender(options: SenderOptions) {
	const { settings, transport, tokens = processAccessTokens } = options;
	const context = { ...options, tokens, redactor: createRedactor(settings.clientSecret) };
	return withErrors(withToken(withRetries(transport, context), context), context);
}
