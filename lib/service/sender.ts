/** Creates the sender of a client's calls. */
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
	/** Cancels requests in progress and later ones. */
	signal?: AbortSignal | undefined;
	/** The store of access tokens; default: that of the process. */
	tokens?: AccessTokens;
	runtime?: Runtime;
	/** Limits for the retries of a GET. */
	retries?: RetryLimits;
}

/** Each layer takes a sender and returns a sender, so that none has to know the others. */
export function createSender(options: SenderOptions) {
	const { settings, transport, tokens = processAccessTokens } = options;
	const context = { ...options, tokens, redactor: createRedactor(settings.clientSecret) };
	return withErrors(withToken(withRetries(transport, context), context), context);
}
