/** Turns failures, and answers that are not a success, into errors for people. */
import { ApiError, FIELD_LABELS, TransportError } from './errors';
import type { Redactor } from './redaction';
import type { Outcome } from '../http/retry';
import { quotable, serverText, statusText } from './serverText';
import type { TransportResponse } from '../types';

/** Where a request goes, as its errors name it. */
export interface Destination {
	/** The address without its query. */
	address: string;
	/** The field of the credential that the address comes from. */
	field: 'baseUrl' | 'authUrl';
	redactor: Redactor;
}

const CREDENTIAL = 'the Asset Service API credential';

/**
 * The error for a request that got no complete answer. Anything but a `TransportError` comes back as it is.
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
			`Check ${label} in ${CREDENTIAL}, and that n8n's server can reach it. If both are right, try again later.`,
		...(addition === undefined ? [] : [addition]),
		// Not in the message: n8n replaces a message that holds such a code by a general one.
		...(error.code === undefined ? [] : [`(${error.code})`]),
	];
	return new ApiError(`Could not reach ${destination.address} (${label}): ${error.message}.`, {
		field: error.hint === undefined ? destination.field : undefined,
		hint: hints.join(' '),
		code: error.code,
		unreachable: addition === undefined,
	});
}

/** A redirect is not followed: it would carry the secret or the token to another address. */
export function redirectError(response: TransportResponse, destination: Destination): ApiError {
	const target = targetOf(response.headers.location, destination);
	const where = target === '' ? '' : ` to ${target}`;
	return wrongAddressError(
		`redirects${where} (${statusText(response.status)})`,
		response.status,
		destination,
	);
}

/** The error for an answer that this service would not give: most likely the address belongs to something else. */
export function notTheServiceError(
	response: TransportResponse,
	destination: Destination,
): ApiError {
	const says = serverText(response, destination.redactor);
	const what =
		response.status < 300
			? 'with something that is not JSON'
			: `${statusText(response.status)}${says === '' ? '' : `: ${says}`}`;
	return wrongAddressError(`answered ${what}`, response.status, destination);
}

/** The error that says that the address itself is probably wrong. */
export function wrongAddressError(
	what: string,
	status: number,
	destination: Destination,
): ApiError {
	const label = FIELD_LABELS[destination.field];
	return new ApiError(
		`${label} is probably not the address of the service: ${destination.address} ${what}.`,
		{
			field: destination.field,
			status,
			hint: `Check ${label} in ${CREDENTIAL}: enter the address that the service documents.`,
		},
	);
}

/** The error for a status that says nothing about the credential, such as 400, 429 or 500. */
export function statusError(outcome: Outcome, destination: Destination): ApiError {
	const { response, waitSeconds } = outcome;
	const { status } = response;
	const says = serverText(response, destination.redactor);
	const wait = waitSeconds === undefined ? '' : ` It asks to wait ${duration(waitSeconds)}.`;
	const message = `${destination.address} answered ${statusText(status)}${says === '' ? '' : `: ${says}`}.${wait}`;
	if (waitSeconds !== undefined) {
		return new ApiError(message, { status, hint: `Try again in ${duration(waitSeconds)}.` });
	}
	if (status === 429) {
		return new ApiError(message, {
			status,
			hint: 'The service is called too often: try again later, or call it less often.',
		});
	}
	return new ApiError(message, {
		status,
		hint:
			status >= 500
				? 'The service has a fault of its own: try again later.'
				: 'Check the values of this request against what the service says about it.',
	});
}

/** For example `90 seconds`, `12 minutes`, `3 hours`; rounded up. */
function duration(seconds: number): string {
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
