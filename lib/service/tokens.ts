/** Keeps one access token per API client of the process, and requests a new one only if there is no valid one (specification sections 4 and 5). */
import { createHmac, randomBytes } from 'node:crypto';
import { own } from '../shared/values';
import { safeParse } from '../vendor/zod';
import type { ApiSettings } from './credential';
import { TOKENS, RETRIES, USER_AGENT } from './defaults';
import { ApiError, Destination, IN_CREDENTIAL } from './errors';
import { Redactor, jsonOf, textsOf } from './response';
import { tokenResponse } from './schemas';
import {
	type RetryLimits,
	withRetries,
	type Transport,
	raceSignal,
	systemRuntime,
	type Runtime,
	type TransportResponse,
} from './transport';

interface AccessTokens {
	/** A token with some life left: the kept one, the one being requested, or a new one. */
	get(settings: ApiSettings, transport: Transport, signal?: AbortSignal): Promise<AccessToken>;
	/** A new token, or the one being requested; kept for all callers. */
	renew(settings: ApiSettings, transport: Transport, signal?: AbortSignal): Promise<AccessToken>;
	/**
	 * Drops this token, which the API refused; a newer one stays. A token that itself replaced a refused one less than a
	 * minute ago is kept for a minute, or until it expires, so that not every refusal costs a token. Returns whether
	 * `get` may return another.
	 */
	drop(settings: ApiSettings, accessToken: string): boolean;
}

interface AccessTokensOptions {
	runtime?: Runtime;
	/** Most tokens kept; the least recently used one is dropped first. */
	maxTokens?: number;
	/** Limits for the retries of a token request. */
	retries?: RetryLimits;
}

/** A token and its state at the API. */
interface KeptToken {
	token: AccessToken;
	/** It is no longer returned, and kept only so that the next one is known to replace it. */
	isDropped: boolean;
	/** When it replaced a dropped one, in Unix milliseconds. */
	replacedAt?: number | undefined;
	/** It was refused like the one before it: it is returned until then, so that no further one is fetched. */
	heldUntil?: number;
}

interface UnderWay {
	token: Promise<AccessToken>;
	/** How many callers wait for it; the request ends when the last of them has its response or gives up. */
	waiting: number;
	/** Ends the request if it is still running. */
	cancel: () => void;
}

/** A separate store of tokens; the nodes of a process share `processAccessTokens`. */
export function createAccessTokens(options: AccessTokensOptions = {}): AccessTokens {
	const { runtime = systemRuntime, maxTokens = TOKENS.most, retries = RETRIES } = options;
	// A digest with a random key: neither a dump nor an inspection shows a secret, and no search finds one.
	const digestKey = randomBytes(32);
	const kept = new Map<string, KeptToken>();
	const underWay = new Map<string, UnderWay>();

	/** A client asks for its token with the same settings before each request. */
	const keys = new WeakMap<ApiSettings, string>();
	const keyOf = (settings: ApiSettings) => {
		const { authUrl, clientId, clientSecret, audience } = settings;
		const key =
			keys.get(settings) ??
			createHmac('sha256', digestKey)
				.update(JSON.stringify([authUrl, clientId, clientSecret, audience]))
				.digest('base64');
		keys.set(settings, key);
		return key;
	};

	const keep = (key: string, entry: KeptToken) => {
		kept.delete(key);
		kept.set(key, entry);
		const oldest = kept.keys().next();
		if (kept.size > maxTokens && !oldest.done) kept.delete(oldest.value);
	};

	const start = (key: string, settings: ApiSettings, transport: Transport): UnderWay => {
		const controller = new AbortController();
		const request: UnderWay = {
			waiting: 0,
			token: fetchAccessToken(settings, transport, {
				runtime,
				retries,
				signal: controller.signal,
			}),
			cancel: () => {
				underWay.delete(key);
				controller.abort();
			},
		};
		underWay.set(key, request);
		request.token.then(
			(token) => {
				const before = kept.get(key);
				const wasRefused = before?.isDropped === true || before?.heldUntil !== undefined;
				const replacedAt = wasRefused ? runtime.now() : undefined;
				keep(key, { token, isDropped: false, replacedAt });
			},
			// The waiting callers get the rejection.
			() => undefined,
		);
		return request;
	};

	const renew: AccessTokens['renew'] = async (settings, transport, signal) => {
		signal?.throwIfAborted();
		const key = keyOf(settings);
		const request = underWay.get(key) ?? start(key, settings, transport);
		request.waiting++;
		try {
			return await raceSignal(request.token, signal);
		} finally {
			request.waiting--;
			if (request.waiting === 0) request.cancel();
		}
	};

	return {
		renew,
		get: async (settings, transport, signal) => {
			const key = keyOf(settings);
			const entry = kept.get(key);
			const isUsable = entry && runtime.now() < (entry.heldUntil ?? entry.token.renewAt);
			if (!isUsable || entry.isDropped) return await renew(settings, transport, signal);
			keep(key, entry);
			return entry.token;
		},
		drop: (settings, accessToken) => {
			const entry = kept.get(keyOf(settings));
			if (entry?.token.accessToken !== accessToken) return true;
			const now = runtime.now();
			const { replacedAt = -Infinity, heldUntil } = entry;
			if (heldUntil === undefined && now < replacedAt + TOKENS.refusedMs) {
				entry.heldUntil = Math.min(now + TOKENS.refusedMs, entry.token.expiresAt);
			}
			entry.isDropped = now >= (entry.heldUntil ?? now);
			return entry.isDropped;
		},
	};
}

/** The tokens of this process. */
export const processAccessTokens = createAccessTokens();

interface AccessToken {
	accessToken: string;
	/** Separated by spaces; undefined if the service did not say. */
	scope: string | undefined;
	/** When the service stops accepting it, in Unix milliseconds. */
	expiresAt: number;
	/** When to use a new one instead, in Unix milliseconds: a margin before `expiresAt`. */
	renewAt: number;
}

/**
 * Requests a new token, whatever tokens are kept; retried like a safe request, since it changes nothing.
 * @throws {ApiError} that names the field to correct: URL, client, or audience.
 */
async function fetchAccessToken(
	settings: ApiSettings,
	transport: Transport,
	{
		runtime,
		retries,
		signal,
	}: Required<Pick<AccessTokensOptions, 'runtime' | 'retries'>> & { signal: AbortSignal },
): Promise<AccessToken> {
	const redactor = new Redactor(settings.clientSecret, { name: settings.clientId });
	const destination = new Destination(settings.authUrl + TOKENS.path, 'authUrl', redactor);
	// Before the request: the service counts from when it creates the token, which cannot be earlier.
	const askedAt = runtime.now();
	const send = withRetries(transport, { runtime, retries, methods: ['POST'] });
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
		signal,
		...(settings.allowUnauthorizedCerts && { allowUnauthorizedCerts: true }),
	}).catch((error: unknown) => {
		throw destination.unreachable(error);
	});
	const { status } = response;
	if (status < 200 || status >= 300) throw tokenError(response, settings, destination);
	const parsed = safeParse(tokenResponse, jsonOf(response));
	if (!parsed.success) {
		const field = parsed.error.issues[0]?.path[0];
		// Not even an object.
		if (field === undefined) throw destination.unreadable(response);
		throw oddTokenError(field, status, destination);
	}
	const lifeMs = parsed.data.expires_in * 1000;
	const marginMs = Math.min(TOKENS.marginMs, lifeMs * TOKENS.marginShare);
	return {
		accessToken: parsed.data.access_token,
		scope: parsed.data.scope,
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
	return destination.wrongAddress(`responded without a usable token: ${what}`, status);
}

/** The error for a response of the token route other than a 2xx. */
function tokenError(
	response: TransportResponse,
	settings: ApiSettings,
	destination: Destination,
): ApiError {
	const { status } = response;
	const says = destination.redactor.statusAndReason(response);
	if (status < 400) return destination.redirect(response);
	switch (culprit(response)) {
		case 'client':
			return new ApiError(
				`The token server at ${destination.address} rejected 'Client ID' or 'Client Secret' (${says})`,
				{ field: 'clientSecret', status, hint: clientHint(settings) },
			);
		case 'audience':
			return new ApiError(
				`The token server at ${destination.address} does not give this API client a token for 'Audience' ${destination.redactor.quote(settings.audience)} (${says})`,
				{
					field: 'audience',
					status,
					hint: `Check 'Audience'${IN_CREDENTIAL}: it must match the API audience in the documentation of the service exactly, and the API client must be allowed to use it.`,
				},
			);
		case 'address':
			return destination.notTheService(response);
		default:
			return destination.failed(response);
	}
}

type Culprit = 'client' | 'audience' | 'address' | 'other';

/** By what the response says, before anything is redacted: a client ID may be one of these words. */
function culprit(response: TransportResponse): Culprit {
	const { status } = response;
	const body = jsonOf(response);
	// The names in a request that the service repeats say nothing.
	const says = textsOf(response)
		.join('; ')
		.replace(/\\*"\w+\\*"\s*:/g, '');
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
