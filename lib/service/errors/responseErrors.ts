/** Turns failures, and responses other than a success, into errors for people. */
import {
	ApiError,
	COMPARE,
	FIELD_LABELS,
	IN_CREDENTIAL,
	IN_INTERFACE,
	TransportError,
} from '../common/errors';
import type { TransportResponse } from '../common/types';
import { jsonOf } from '../http/json';
import type { Redactor } from './redaction';
import { quotable, statusAndReason, statusText } from './serverText';

/** The destination of a request, as its errors name it. */
export interface Destination {
	/** The URL without its query. */
	address: string;
	/** The field of the credential that the URL comes from. */
	field: 'baseUrl' | 'authUrl';
	redactor: Redactor;
}

/**
 * The error for a request that got no complete response. Any error other than a `TransportError` is returned unchanged.
 * `addition` is one more sentence about what to do.
 */
export function unreachableError(
	error: unknown,
	destination: Destination,
	addition?: string,
): unknown {
	if (!(error instanceof TransportError)) return error;
	const label = FIELD_LABELS[destination.field];
	const hints = [
		error.hint ??
			`Check '${label}'${IN_CREDENTIAL} and whether the n8n server can reach it. If it is right and reachable, try again later.`,
		...(addition === undefined ? [] : [addition]),
		// Not in the message: n8n replaces a message that contains such a code with a generic one.
		...(error.code === undefined ? [] : [`(${error.code})`]),
	];
	// A failure with its own hint is not about the URL.
	const field = error.hint === undefined ? ` ('${label}')` : '';
	return new ApiError(`Could not reach ${destination.address}${field}: ${error.message}`, {
		field: error.hint === undefined ? destination.field : undefined,
		hint: hints.join(' '),
		code: error.code,
		unreachable: addition === undefined,
	});
}

/** Redirects are not followed, since they would send the secret or the token to another address. */
export function redirectError(response: TransportResponse, destination: Destination): ApiError {
	const target = targetOf(response.headers.location, destination);
	const where = target === '' ? '' : ` to ${target}`;
	return wrongAddressError(
		`redirects${where} (${statusText(response.status)})`,
		response.status,
		destination,
	);
}

/** The error for a success without readable JSON. */
export function unreadableError(response: TransportResponse, destination: Destination): ApiError {
	const { status, body } = response;
	const text = body.trim();
	const responded = `${destination.address} responded with ${statusText(status)}`;
	if (text === '') {
		return new ApiError(`${responded} and an empty body`, {
			status,
			hint: 'Try again. If it keeps happening, check for a proxy between n8n and the service that removes response bodies.',
		});
	}
	if (/^[[{]/.test(text) && jsonOf(response) === undefined) {
		return new ApiError(`${responded} and JSON that is truncated or damaged`, {
			status,
			hint: `Try again. If it keeps happening, check for a proxy between n8n and the service that changes responses, or request fewer records at once with 'Page Size'${IN_INTERFACE}.`,
		});
	}
	return notTheServiceError(response, destination);
}

/** The error for a response that this service would not send: most likely the URL belongs to something else. */
export function notTheServiceError(
	response: TransportResponse,
	destination: Destination,
): ApiError {
	const what =
		response.status < 300
			? isWebPage(response)
				? 'a web page instead of JSON'
				: 'a body that is not JSON'
			: statusAndReason(response, destination.redactor);
	return wrongAddressError(`responded with ${what}`, response.status, destination);
}

function isWebPage({ headers }: TransportResponse): boolean {
	return /^\s*text\/html\b/i.test(headers['content-type'] ?? '');
}

/** The error for a URL that is probably wrong. */
export function wrongAddressError(
	what: string,
	status: number,
	destination: Destination,
): ApiError {
	const label = FIELD_LABELS[destination.field];
	return new ApiError(
		`'${label}' is probably not the URL of the service: ${destination.address} ${what}`,
		{
			field: destination.field,
			status,
			hint: `Check '${label}'${IN_CREDENTIAL}: enter the URL from the documentation of the service.`,
		},
	);
}

/** The error for a status that says nothing about the credential, such as 400, 429 or 500. */
export function statusError(response: TransportResponse, destination: Destination): ApiError {
	const { status, waitSeconds } = response;
	const reason = statusAndReason(response, destination.redactor);
	const wait = waitSeconds === undefined ? '' : ` and asks to wait ${duration(waitSeconds)}`;
	const message = `${destination.address} responded with ${reason}${wait}`;
	if (waitSeconds !== undefined) {
		return new ApiError(message, { status, hint: `Try again in ${duration(waitSeconds)}.` });
	}
	if (status === 429) {
		return new ApiError(message, {
			status,
			hint: 'Try again later, or call the service less often.',
		});
	}
	return new ApiError(message, {
		status,
		hint: status >= 500 ? 'The service reported an internal fault. Try again later.' : COMPARE,
	});
}

const MAX_SHOWN_SECONDS = 30 * 24 * 60 * 60;

/** For example `90 seconds`, `12 minutes`, `3 hours`; rounded up. The header may contain any number of digits. */
function duration(seconds: number): string {
	if (seconds > MAX_SHOWN_SECONDS) return 'more than 30 days';
	const [amount, unit] =
		seconds < 120
			? [Math.ceil(seconds), 'second']
			: seconds < 7200
				? [Math.ceil(seconds / 60), 'minute']
				: [Math.ceil(seconds / 3600), 'hour'];
	return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

function targetOf(location: string | undefined, destination: Destination): string {
	if (location === undefined || !URL.canParse(location, destination.address)) return '';
	const { origin, pathname } = new URL(location, destination.address);
	return quotable(origin + pathname, destination.redactor);
}
