/** One request to the token route (specification sections 4 and 5). */
import { numberOf, own } from '../../shared/values';
import { gt, number, object, pipe, regex, safeParse, string, transform } from '../../vendor/zod';
import { TOKEN_MARGIN, TOKEN_PATH, USER_AGENT } from '../common/defaults';
import { ApiError, IN_CREDENTIAL } from '../common/errors';
import type { ApiSettings, Transport, TransportResponse } from '../common/types';
import { createRedactor } from '../errors/redaction';
import {
	unreadableError,
	unreachableError,
	wrongAddressError,
	type Destination,
	statusError,
	notTheServiceError,
	redirectError,
} from '../errors/responseErrors';
import { quotable, statusAndReason } from '../errors/serverText';
import { jsonOf } from '../http/json';
import { systemRuntime } from '../http/runtime';
import { withRetries, type RetryOptions } from '../http/withRetries';

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

/** The error for a response of the token route other than a 2xx. */
function tokenError(
	response: TransportResponse,
	settings: ApiSettings,
	destination: Destination,
): ApiError {
	const { status } = response;
	const says = statusAndReason(response, destination.redactor);
	if (status < 400) return redirectError(response, destination);
	switch (culprit(response, says)) {
		case 'client':
			return new ApiError(
				`The token server at ${destination.address} rejected 'Client ID' or 'Client Secret' (${says})`,
				{ field: 'clientSecret', status, hint: clientHint(settings) },
			);
		case 'audience':
			return new ApiError(
				`The token server at ${destination.address} does not give this API client a token for 'Audience' ${quotable(settings.audience, destination.redactor)} (${says})`,
				{
					field: 'audience',
					status,
					hint: `Check 'Audience'${IN_CREDENTIAL}: it must match the API audience in the documentation of the service exactly, and the API client must be allowed to use it.`,
				},
			);
		case 'address':
			return notTheServiceError(response, destination);
		default:
			return statusError(response, destination);
	}
}

type Culprit = 'client' | 'audience' | 'address' | 'other';

function culprit(response: TransportResponse, says: string): Culprit {
	const { status } = response;
	const body = jsonOf(response);
	// As defined by OAuth (RFC 6749, 5.2).
	const code = own(body, 'error');
	if (status === 404 || status === 405 || status === 410) return 'address';
	if (status !== 400 && status !== 401 && status !== 403) return 'other';
	if (code === 'invalid_client' || code === 'unauthorized_client') return 'client';
	if (code === 'invalid_target' || /audience|resource server|service not found/i.test(says)) {
		return 'audience';
	}
	if (status === 401 || /client[ _-]?(?:id|secret|credentials)|invalid[ _]client/i.test(says)) {
		return 'client';
	}
	// A page from something in between, such as a firewall.
	if (body === undefined && response.body.trim() !== '') return 'address';
	// The client is known, but is not allowed to have a token for this audience (RFC 6749 and Auth0's "access_denied").
	if (status === 403 || code === 'access_denied') return 'audience';
	return 'other';
}

function clientHint(settings: ApiSettings): string {
	const stray = settings.clientSecret !== settings.clientSecret.trim();
	const first = stray ? "'Client Secret' starts or ends with white space. " : '';
	return `${first}Enter 'Client ID' and 'Client Secret' of the API client again${IN_CREDENTIAL}. If they are right, check that the API client still exists and that 'Auth URL' belongs to the same service.`;
}
