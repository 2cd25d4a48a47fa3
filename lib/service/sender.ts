/** The sender of a client's calls: layers around each other, of which each takes a sender and returns one. The IDs in a call cannot change its path. */
import { brokenBoundOf } from '../shared/json';
import { own } from '../shared/values';
import type { ApiSettings } from './credential';
import { USER_AGENT } from './defaults';
import { ApiError, Destination, FIELD_LABELS, IN_CREDENTIAL } from './errors';
import { Redactor, jsonOf } from './response';
import { processAccessTokens } from './tokens';
import {
	withRetries,
	type RetryLimits,
	type Transport,
	type Runtime,
	TransportError,
	type TransportResponse,
	type TransportRequest,
} from './transport';

interface SenderOptions {
	settings: ApiSettings;
	transport: Transport;
	/** Cancels requests in progress and later ones. */
	signal?: AbortSignal | undefined;
	/** The store of access tokens; default: that of the process. */
	tokens?: typeof processAccessTokens;
	runtime?: Runtime;
	/** Limits for the retries of a GET. */
	retries?: RetryLimits;
}

/** Each layer takes a sender and returns a sender, so that none has to know the others. */
export function createSender(options: SenderOptions) {
	const { settings, transport, tokens = processAccessTokens } = options;
	const redactor = new Redactor(settings.clientSecret, { name: settings.clientId });
	const context = { ...options, tokens, redactor };
	return withErrors(withToken(withRetries(transport, context), context), context);
}

interface SenderContext extends Pick<SenderOptions, 'settings' | 'transport' | 'signal'> {
	tokens: typeof processAccessTokens;
	/** Gets each token, so that no error shows it. */
	redactor: Redactor;
}

/** A response, and the scope of the token that it was requested with. */
type AuthorizedResponse = TransportResponse & { readonly scope: string | undefined };

/** A response that rejects the token drops it, and the request is sent once more with a new one, if there may be one. */
function withToken(
	send: Transport,
	{ settings, tokens, transport, redactor }: SenderContext,
): (request: TransportRequest) => Promise<AuthorizedResponse> {
	return async (request) => {
		const sendOnce = async () => {
			const { accessToken, scope } = await tokens.get(settings, transport, request.signal);
			redactor.add(accessToken);
			const headers = { ...request.headers, authorization: `Bearer ${accessToken}` };
			const response = { ...(await send({ ...request, headers })), scope };
			const mayRenew = isTokenRejected(response) && tokens.drop(settings, accessToken);
			return { response, mayRenew };
		};
		const { response, mayRenew } = await sendOnce();
		return mayRenew ? (await sendOnce()).response : response;
	};
}

/** The response to a call, and its destination. */
export interface Reply extends TransportResponse {
	destination: Destination;
	isSuccess: boolean;
	/** @throws {ApiError} if it is not JSON, or breaks a bound. */
	json(): unknown;
}

/**
 * Sends calls. A reply has a 2xx status, or one of the accepted ones.
 * @throws {ApiError} for every other response, and if none arrived; the signal's reason if the caller cancelled.
 */
function withErrors(
	send: ReturnType<typeof withToken>,
	{ settings, redactor, signal }: SenderContext,
): (call: ApiCall) => Promise<Reply> {
	return async (call) => {
		const address = settings.baseUrl + call.path;
		const destination = new Destination(address, 'baseUrl', redactor);
		const response = await send(requestOf(call, settings, signal)).catch((error: unknown) => {
			throw destination.unreachable(error, whatBecameOf(call, error));
		});
		const { status } = response;
		const isSuccess = status >= 200 && status < 300;
		if (!isSuccess && call.accepted?.includes(status) !== true)
			throw callError(response, call, destination);
		const json = () => {
			const parsed = jsonOf(response);
			const problem = parsed === undefined ? brokenBoundOf(response.body) : undefined;
			if (problem !== undefined) throw destination.unusable(problem);
			if (parsed === undefined) throw destination.unreadable(response);
			return parsed;
		};
		return { ...response, destination, isSuccess, json };
	};
}

/** Whether the service says that the access token is not valid: 401, or another refusal with the code of RFC 6750, 3.1. */
function isTokenRejected(response: TransportResponse): boolean {
	const { status, headers } = response;
	if (status !== 403) return status === 401;
	const challenge = headers['www-authenticate'] ?? '';
	const isChallenged = /\berror *= *["']?invalid_token\b/i.test(challenge);
	return isChallenged || own(jsonOf(response), 'error') === 'invalid_token';
}

/** What to check after a request that changes something and got no response. */
function whatBecameOf({ mayBeDone }: ApiCall, error: unknown): string | undefined {
	const isUnsent = error instanceof TransportError && error.neverSent;
	return mayBeDone !== undefined && isUnsent
		? 'The request was never sent, so nothing has changed. You can repeat it.'
		: mayBeDone;
}

/** After these, the service may have carried out a request that changes something. */
const UNCERTAIN_STATUSES: ReadonlySet<number> = new Set([500, 502, 504]);

function callError(
	response: AuthorizedResponse,
	call: ApiCall,
	destination: Destination,
): ApiError {
	const { status, scope = '' } = response;
	const responded = `${destination.address} responded with ${destination.redactor.statusAndReason(response)}`;
	if (status >= 300 && status < 400) return destination.redirect(response);
	if (isTokenRejected(response)) {
		return new ApiError(
			`'${FIELD_LABELS.audience}' is probably wrong: ${responded}, although the access token is new`,
			{
				field: 'audience',
				status,
				hint: `Check 'Audience'${IN_CREDENTIAL}: it must match the API audience in the documentation of the service. 'Base URL' and 'Auth URL' must belong to the same service. If all of this is right, check that the API client is not disabled.`,
			},
		);
	}
	if (status === 403) {
		const scopes = destination.redactor.quote(scope);
		const ownScopes = scopes === '' ? '' : ` (its token has: ${scopes})`;
		return new ApiError(`The API client is not allowed to ${call.purpose}: ${responded}`, {
			status,
			hint: `The API client probably lacks the scope to ${call.purpose}${ownScopes}. Add that scope in the developer area of the service, or enter another API client${IN_CREDENTIAL}.`,
		});
	}
	const hint =
		call.hints?.[status] ?? (UNCERTAIN_STATUSES.has(status) ? call.mayBeDone : undefined);
	if (hint !== undefined) return new ApiError(responded, { status, hint });
	return status === 404 || status === 405 || status === 410
		? destination.notTheService(response)
		: destination.failed(response);
}

/** One API call, without settings, token or query. */
export interface ApiCall {
	method: TransportRequest['method'];
	path: string;
	query?: Readonly<Record<string, string>>;
	headers?: Readonly<Record<string, string>>;
	/** Sent as JSON. */
	body?: unknown;
	/** The purpose of the call, for the error about a missing scope, such as `list assets`. */
	purpose: string;
	/** Advice by status, where the default would blame the URL or the values of the request. */
	hints?: Readonly<Record<number, string>>;
	/** For a call that changes something: where to check if it is unknown whether the service carried it out. */
	mayBeDone?: string;
	/** Statuses other than 2xx that are not errors here. */
	accepted?: readonly number[];
}

const LABELS = { endpointId: 'Endpoint ID', deliveryId: 'Delivery ID' } as const;
type IdName = keyof typeof LABELS;

/**
 * The path with its IDs filled in, encoded and trimmed.
 * @throws {ApiError} for an ID that is missing, empty, `.` or `..`, which would change the path itself.
 */
export function pathWith(template: string, ids: Readonly<Partial<Record<IdName, string>>>): string {
	return Object.entries(LABELS).reduce((path, [name, label]) => {
		const placeholder = `{${name}}`;
		if (!path.includes(placeholder)) return path;
		return path.split(placeholder).join(idInPath(ids[name as IdName] ?? '', label));
	}, template);
}

/**
 * The ID as a path segment.
 * @throws {ApiError} for one that is empty, `.` or `..`, which would change the path itself.
 */
export function idInPath(given: string, label: string): string {
	const id = encoded(given.trim());
	if (id === undefined || id === '' || id === '.' || id === '..') {
		throw new ApiError(id === '' ? `'${label}' is empty` : `'${label}' is not an ID`, {
			hint: `Enter the ID as the service shows it.`,
		});
	}
	return id;
}

/** Undefined for a text that cannot be encoded, such as half a surrogate pair. */
function encoded(id: string): string | undefined {
	try {
		return encodeURIComponent(id);
	} catch {
		return undefined;
	}
}

function requestOf(
	{ method, path, query = {}, headers, body }: ApiCall,
	{ baseUrl, allowUnauthorizedCerts }: ApiSettings,
	signal: AbortSignal | undefined,
): TransportRequest {
	const hasBody = body !== undefined;
	const search = new URLSearchParams(query).toString();
	return {
		method,
		url: `${baseUrl}${path}${search && `?${search}`}`,
		headers: {
			accept: 'application/json',
			'user-agent': USER_AGENT,
			...headers,
			...(hasBody && { 'content-type': 'application/json' }),
		},
		...(hasBody && { body: JSON.stringify(body) }),
		...(signal && { signal }),
		...(allowUnauthorizedCerts && { allowUnauthorizedCerts }),
	};
}
