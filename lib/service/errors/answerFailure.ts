/** Turns answers and failures that are no success into errors for people. */
import { ApiError, FIELD_LABELS, TransportError } from './errors';
import type { Redactor } from './redaction';
import type { Outcome } from '../http/retry';
import { quotable, serverText, statusText } from './serverText';
import type { ApiSettings, TransportResponse } from '../types';

/** Where a request went, in the words of an error. */
export interface Place {
	/** The address without its query. */
	address: string;
	/** The field of the credential that the address comes from. */
	field: keyof ApiSettings & ('baseUrl' | 'authUrl');
	redactor: Redactor;
}

const CREDENTIAL = 'the Asset Service API credential';

/**
 * The error for a request that got no whole answer; anything else than a `TransportError` is passed on.
 * `addition` is one more sentence of what to do.
 */
export function unreachable(error: unknown, place: Place, addition?: string): unknown {
	if (!(error instanceof TransportError)) return error;
	const label = FIELD_LABELS[place.field];
	const hints = [
		error.hint ??
			`Check ${label} in ${CREDENTIAL}, and that n8n's server can reach it. If both are right, try again later.`,
		...(addition === undefined ? [] : [addition]),
		// Not in the message: n8n puts a general text in the place of one that holds such a code.
		...(error.code === undefined ? [] : [`(${error.code})`]),
	];
	return new ApiError(`Could not reach ${place.address} (${label}): ${error.message}.`, {
		field: error.hint === undefined ? place.field : undefined,
		hint: hints.join(' '),
	});
}

/** A redirect is not followed: it would carry the secret or the token to another address. */
export function redirected(response: TransportResponse, place: Place): ApiError {
	const target = targetOf(response.headers.location, place);
	const where = target === '' ? '' : ` to ${target}`;
	return wrongAddress(`redirects${where} (${statusText(response.status)})`, response.status, place);
}

/** The error for an answer that this service would not give: most likely the address is that of something else. */
export function notTheService(response: TransportResponse, place: Place): ApiError {
	const says = serverText(response, place.redactor);
	const what =
		response.status < 300
			? 'with something that is not JSON'
			: `${statusText(response.status)}${says === '' ? '' : `: ${says}`}`;
	return wrongAddress(`answered ${what}`, response.status, place);
}

/** The error that blames the address itself. */
export function wrongAddress(what: string, status: number, place: Place): ApiError {
	const label = FIELD_LABELS[place.field];
	return new ApiError(
		`${label} is probably not the address of the service: ${place.address} ${what}.`,
		{
			field: place.field,
			status,
			hint: `Check ${label} in ${CREDENTIAL}: enter the address that the service documents.`,
		},
	);
}

/** The error for a status that says nothing about the credential, such as 400, 429 or 500. */
export function explainStatus(outcome: Outcome, place: Place): ApiError {
	const { response, waitSeconds } = outcome;
	const { status } = response;
	const says = serverText(response, place.redactor);
	const wait = waitSeconds === undefined ? '' : ` It asks to wait ${duration(waitSeconds)}.`;
	const message = `${place.address} answered ${statusText(status)}${says === '' ? '' : `: ${says}`}.${wait}`;
	if (waitSeconds !== undefined) {
		return new ApiError(message, { status, hint: `Try again in ${duration(waitSeconds)}.` });
	}
	if (status === 429) {
		return new ApiError(message, {
			status,
			hint: 'The service is asked too often: try again later, or ask less often.',
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
export function duration(seconds: number): string {
	const [amount, unit] =
		seconds < 120
			? [Math.ceil(seconds), 'second']
			: seconds < 7200
				? [Math.ceil(seconds / 60), 'minute']
				: [Math.ceil(seconds / 3600), 'hour'];
	return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

function targetOf(location: string | undefined, place: Place): string {
	if (location === undefined || !URL.canParse(location, place.address)) return '';
	const { origin, pathname } = new URL(location, place.address);
	return quotable(origin + pathname, place.redactor);
}
