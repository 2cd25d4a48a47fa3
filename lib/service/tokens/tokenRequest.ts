/** One request to the token route (specification sections 4 and 5). */
import { safeParse } from '../../vendor/zod';
import { notTheService, unreachable, wrongAddress, type Place } from '../errors/answerFailure';
import { TOKEN_MARGIN, TOKEN_PATH, USER_AGENT } from '../defaults';
import type { ApiError } from '../errors/errors';
import { createRedactor } from '../errors/redaction';
import { sendWithRetries, type RetryOptions } from '../http/retry';
import { systemRuntime } from '../http/runtime';
import { isRecord } from '../../shared/values';
import { tokenAnswer } from '../schemas';
import { jsonOf } from '../errors/serverText';
import { tokenFailure } from './tokenFailure';
import type { ApiSettings, Transport } from '../types';

export interface AccessToken {
	accessToken: string;
	/** When the service stops taking it, in milliseconds since 1970. */
	expiresAt: number;
	/** From when on it should not be used any more, in milliseconds since 1970: a margin before `expiresAt`. */
	renewAt: number;
}

export interface TokenRequestOptions extends RetryOptions {
	signal?: AbortSignal | undefined;
}

/**
 * Asks the token route for a new token, whatever tokens there are; tried again like a safe request, since it changes nothing.
 * @throws {ApiError} that names the field to correct: address, client, or audience.
 */
export async function fetchAccessToken(
	settings: ApiSettings,
	transport: Transport,
	options: TokenRequestOptions = {},
): Promise<AccessToken> {
	const { runtime = systemRuntime, signal } = options;
	const place: Place = {
		address: settings.authUrl + TOKEN_PATH,
		field: 'authUrl',
		redactor: createRedactor(settings.clientSecret),
	};
	// Before the request: the service counts from when it makes the token, which cannot be earlier.
	const askedAt = runtime.now();
	const outcome = await sendWithRetries(
		(request) => transport(request),
		{
			method: 'POST',
			url: place.address,
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
		},
		options,
	).catch((error: unknown) => {
		throw unreachable(error, place);
	});
	const { status } = outcome.response;
	if (status < 200 || status >= 300) throw tokenFailure(outcome, settings, place);
	const answer = jsonOf(outcome.response);
	if (!isRecord(answer)) throw notTheService(outcome.response, place);
	const parsed = safeParse(tokenAnswer, answer);
	if (!parsed.success) throw oddAnswer(parsed.error.issues[0]?.path[0], status, place);
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
	scope: 'scope is not a text',
};

/** Names the field alone: its value may be a token. */
function oddAnswer(field: PropertyKey | undefined, status: number, place: Place): ApiError {
	const what = EXPECTATIONS[String(field)] ?? 'it is not a token response';
	return wrongAddress(`answered without a usable token: ${what}`, status, place);
}
