/** One request to the token route (specification sections 4 and 5). */
import { numberOf } from '../../shared/values';
import { gt, number, object, pipe, regex, safeParse, string, transform } from '../../vendor/zod';
import { TOKEN_MARGIN, TOKEN_PATH, USER_AGENT } from '../common/defaults';
import type { ApiError } from '../common/errors';
import type { ApiSettings, Transport } from '../common/types';
import { createRedactor } from '../errors/redaction';
import {
	unreadableError,
	unreachableError,
	wrongAddressError,
	type Destination,
} from '../errors/responseErrors';
import { jsonOf } from '../http/json';
import { systemRuntime } from '../http/runtime';
import { withRetries, type RetryOptions } from '../http/withRetries';
import { tokenError } from './tokenError';

/** Section 2, token response. A token is sent in a header, so it must be valid there. */
const tokenResponse = object({
	access_token: string().check(regex(/^[\x21-\x7e]+$/)),
	token_type: string().check(regex(/^bearer$/i)),
	/** Some services send the number as text. */
	expires_in: pipe(transform(numberOf), number().check(gt(0))),
});

export interface AccessToken {
	accessToken: string;
	/** When the service stops accepting it, in Unix milliseconds. */
	expiresAt: number;
	/** When to use a new one instead, in Unix milliseconds: a margin before `expiresAt`. */
	renewAt: number;
}

interface TokenRequestOptions extends RetryOptions {
	signal?: AbortSignal | undefined;
}

/**
 * Requests a new token, whatever tokens are kept; retried like a safe request, since it changes nothing.
 * @throws {ApiError} that names the field to correct: URL, client, or audience.
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
	// Before the request: the service counts from when it creates the token, which cannot be earlier.
	const askedAt = runtime.now();
	const send = withRetries(transport, { ...options, methods: ['POST'] });
	const response = await send({
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
	}).catch((error: unknown) => {
		throw unreachableError(error, destination);
	});
	const { status } = response;
	if (status < 200 || status >= 300) throw tokenError(response, settings, destination);
	const parsed = safeParse(tokenResponse, jsonOf(response));
	if (!parsed.success) {
		const field = parsed.error.issues[0]?.path[0];
		// Not even an object.
		if (field === undefined) throw unreadableError(response, destination);
		throw oddTokenError(field, status, destination);
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
	access_token: 'access_token is missing or cannot be sent in a header',
	token_type: "token_type is not 'Bearer'",
	expires_in: 'expires_in is not a number above 0',
};

/** Names only the field: its value may be a token. */
function oddTokenError(field: PropertyKey, status: number, destination: Destination): ApiError {
	const what = EXPECTATIONS[String(field)] ?? 'it is not a token response';
	return wrongAddressError(`responded without a usable token: ${what}`, status, destination);
}
