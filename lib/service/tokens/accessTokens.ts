/** Keeps one access token for each API client of the process, and asks for a new one only when there is no good one. */
import { createHmac, randomBytes } from 'node:crypto';
import { raceSignal } from '../http/deadline';
import { MAX_TOKENS, RETRIES } from '../defaults';
import type { RetryLimits } from '../http/retry';
import { systemRuntime, type Runtime } from '../http/runtime';
import { fetchAccessToken, type AccessToken } from './tokenRequest';
import type { ApiSettings, Transport } from '../types';

export interface AccessTokens {
	/** A token with some life left: the kept one, the one under way, or a new one. */
	get(settings: ApiSettings, transport: Transport, signal?: AbortSignal): Promise<AccessToken>;
	/** A new token, or the one under way; kept for everybody. */
	renew(settings: ApiSettings, transport: Transport, signal?: AbortSignal): Promise<AccessToken>;
	/** Drops this token, which the API refused; a newer one stays. */
	drop(settings: ApiSettings, accessToken: string): void;
}

interface AccessTokensOptions {
	runtime?: Runtime;
	/** Most tokens kept at once; the one that was not used for longest goes first. */
	maxTokens?: number;
	/** Bounds of the retries of a token request. */
	retries?: RetryLimits;
}

interface UnderWay {
	token: Promise<AccessToken>;
	/** How many callers wait for it; the request is cancelled when the last of them gives up. */
	waiting: number;
	cancel: () => void;
}

/** A separate store of tokens; the nodes of a process share `processAccessTokens`. */
export function createAccessTokens(options: AccessTokensOptions = {}): AccessTokens {
	const { runtime = systemRuntime, maxTokens = MAX_TOKENS, retries = RETRIES } = options;
	// A digest under a random key: neither a dump nor an inspection shows a secret, and nobody can search for one.
	const digestKey = randomBytes(32);
	const kept = new Map<string, AccessToken>();
	const underWay = new Map<string, UnderWay>();

	const keyOf = ({ authUrl, clientId, clientSecret, audience }: ApiSettings) =>
		createHmac('sha256', digestKey)
			.update(JSON.stringify([authUrl, clientId, clientSecret, audience]))
			.digest('base64');

	const keep = (key: string, token: AccessToken) => {
		kept.delete(key);
		kept.set(key, token);
		const oldest = kept.keys().next();
		if (kept.size > maxTokens && !oldest.done) kept.delete(oldest.value);
	};

	const start = (key: string, settings: ApiSettings, transport: Transport): UnderWay => {
		const controller = new AbortController();
		const request: UnderWay = {
			waiting: 0,
			token: fetchAccessToken(settings, transport, {
				runtime,
				limits: retries,
				signal: controller.signal,
			}),
			cancel: () => {
				if (underWay.get(key) === request) underWay.delete(key);
				controller.abort();
			},
		};
		underWay.set(key, request);
		request.token.then(
			(token) => {
				if (underWay.get(key) === request) underWay.delete(key);
				keep(key, token);
			},
			() => {
				if (underWay.get(key) === request) underWay.delete(key);
			},
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
			const token = kept.get(key);
			if (token && runtime.now() < token.renewAt) {
				keep(key, token);
				return token;
			}
			return await renew(settings, transport, signal);
		},
		drop: (settings, accessToken) => {
			const key = keyOf(settings);
			if (kept.get(key)?.accessToken === accessToken) kept.delete(key);
		},
	};
}

/** The tokens of this process. */
export const processAccessTokens = createAccessTokens();
