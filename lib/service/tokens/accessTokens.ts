/** Keeps one access token per API client of the process, and requests a new one only if there is no valid one. */
import { createHmac, randomBytes } from 'node:crypto';
import { MAX_TOKENS, REFUSED_TOKEN_MS, RETRIES } from '../common/defaults';
import type { ApiSettings, Transport } from '../common/types';
import { raceSignal } from '../http/deadline';
import { systemRuntime, type Runtime } from '../http/runtime';
import type { RetryLimits } from '../http/withRetries';
import { fetchAccessToken, type AccessToken } from './tokenRequest';

export interface AccessTokens {
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
	const { runtime = systemRuntime, maxTokens = MAX_TOKENS, retries = RETRIES } = options;
	// A digest with a random key: neither a dump nor an inspection shows a secret, and no search finds one.
	const digestKey = randomBytes(32);
	const kept = new Map<string, KeptToken>();
	const underWay = new Map<string, UnderWay>();

	const keyOf = ({ authUrl, clientId, clientSecret, audience }: ApiSettings) =>
		createHmac('sha256', digestKey)
			.update(JSON.stringify([authUrl, clientId, clientSecret, audience]))
			.digest('base64');

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
			if (heldUntil === undefined && now < replacedAt + REFUSED_TOKEN_MS) {
				entry.heldUntil = Math.min(now + REFUSED_TOKEN_MS, entry.token.expiresAt);
			}
			entry.isDropped = now >= (entry.heldUntil ?? now);
			return entry.isDropped;
		},
	};
}

/** The tokens of this process. */
export const processAccessTokens = createAccessTokens();
