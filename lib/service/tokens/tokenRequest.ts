/** One request to the token route (specification sections 4 and 5). */
import { safeParse } from '../../vendor/zod';
import { TOKEN_MARGIN, TOKEN_PATH, USER_AGENT } from '../defaults';
import {
	unreadableError,
	unreachableError,
	wrongAddressError,
	type Destination,
} from '../errors/answerFailure';
import type { ApiError } from '../errors/errors';
import { createRedactor } from '../errors/redaction';
import { jsonOf } from '../errors/serverText';
import { sendWithRetries, type RetryOptions } from '../http/retry';
import { systemRuntime } from '../http/runtime';
import { tokenAnswer } from '../schemas';
import type { ApiSettings, Transport } from '../types';
import { tokenFailure } from './tokenFailure';

export interface AccessToken {
	accessToken: string;
	/** When the service stops accepting it, in milliseconds since 1970. */
	expiresAt: number;
	/** When a new one should be used instead, in milliseconds since 1970: a margin before `expiresAt`. */
	renewAt: number;
}

interface TokenRequestOptions extends RetryOptions {
	signal?: AbortSignal | undefined;
}

/**
 * Asks the token route for a new token, whatever tokens are kept; retried like a safe request, since it changes nothing.
 * @throws {ApiError} that names the field to correct: address, client, or audience.
 */
export async function fetchAccessToken(
	settings: ApiSettings,
	transport: Transport,
	options: TokenRequestOptions = {},
): Promise<AccessToken> {
	const { runtime = systemRuntime, signal } = options;
	const destination: Destination = {
		address: settings.authUrl + TOKEN_PATH,
		field: 'authUrl',
		redactor: createRedactor(settings.clientSecret),
	};
	// Before the request: the service counts from when it makes the token, which cannot be earlier.
	const askedAt = runtime.now();
	const outcome = await sendWithRetries(
		transport,
		{
			method: 'POST',
			url: destination.address,
			headers: {
				'content-type': 'application/json',
				accept: 'application/json',
				'user-agent': USER_AGENT,
			},
			body: JSON.stringify({
				client_id: settings.clientId,
				client_secret: settings.clientSecret,
				audience: settings.audience,
				grant_type: 'client_credentials',
			}),
			...(signal && { signal }),
			...(settings.allowUnauthorizedCerts && { allowUnauthorizedCerts: true }),
		},
		options,
	).catch((error: unknown) => {
		throw unreachableError(error, destination);
	});
	const { status } = outcome.response;
	if (status < 200 || status >= 300) throw tokenFailure(outcome, settings, destination);
	const parsed = safeParse(tokenAnswer, jsonOf(outcome.response));
	if (!parsed.success) {
		const field = parsed.error.issues[0]?.path[0];
		// Not even an object.
		if (field === undefined) throw unreadableError(outcome.response, destination);
		throw oddAnswerError(field, status, destination);
	}
	const lifeMs = parsed.data.expires_in * 1000;
	const marginMs = Math.min(TOKEN_MARGIN.maxMs, lifeMs * TOKEN_MARGIN.shareOfLife);
	return {
		accessToken: parsed.data.access_token,
		expiresAt: askedAt + lifeMs,
		renewAt: askedAt + lifeMs - marginMs,
	};
}

const EXPECTATIONS: Readonly<Record<string, string>> = {
	access_token: 'access_token is missing or not fit for a header',
	token_type: 'token_type is not “Bearer”',
	expires_in: 'expires_in is not a number above 0',
};

/** Names the field alone: its value may be a token. */
function oddAnswerError(field: PropertyKey, status: number, destination: Destination): ApiError {
	const what = EXPECTATIONS[String(field)] ?? 'it is not a token response';
	return wrongAddressError(`answered without a usable token: ${what}`, status, destination);
}
