/** Creates the sender of a client's calls. */
import type { ApiSettings, Transport } from './common/types';
import { createRedactor, type Redactor } from './errors/redaction';
import { withErrors, isTokenRejected } from './errors/withErrors';
import type { Runtime } from './http/runtime';
import { withRetries, type RetryLimits } from './http/withRetries';
import { processAccessTokens, type AccessTokens } from './tokens/accessTokens';

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

interface TokenOptions {
	settings: ApiSettings;
	tokens: AccessTokens;
	/** Sends the token requests. */
	transport: Transport;
	/** Gets each token, so that no error shows it. */
	redactor: Redactor;
}

/** A response that rejects the token drops it, and the request is sent once more with a new one, if there may be one. */
function withToken(
	send: Transport,
	{ settings, tokens, transport, redactor }: TokenOptions,
): Transport {
	return async (request) => {
		const sendOnce = async () => {
			const { accessToken } = await tokens.get(settings, transport, request.signal);
			redactor.add(accessToken);
			const headers = { ...request.headers, authorization: `Bearer ${accessToken}` };
			const response = await send({ ...request, headers });
			const mayRenew = isTokenRejected(response) && tokens.drop(settings, accessToken);
			return { response, mayRenew };
		};
		const { response, mayRenew } = await sendOnce();
		return mayRenew ? (await sendOnce()).response : response;
	};
}
