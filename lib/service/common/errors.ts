/** The two kinds of failure: one a person reads, and one that says why no response came. */
import type { CredentialField } from './types';

/** What the fields of the credential are called where a person sees them. */
export const FIELD_LABELS: Readonly<Record<CredentialField, string>> = {
	baseUrl: 'Base URL',
	authUrl: 'Auth URL',
	audience: 'Audience',
	clientId: 'Client ID',
	clientSecret: 'Client Secret',
	pageSize: 'Page Size',
	limitParameter: 'Limit Parameter',
	cursorParameter: 'Cursor Parameter',
	endpointsPath: 'Endpoints Path',
	resendPath: 'Resend Path',
	endpointUrlField: 'Endpoint URL Field',
	endpointEventsField: 'Endpoint Events Field',
	endpointIdField: 'Endpoint ID Field',
	endpointSecretField: 'Endpoint Secret Field',
};

/** Where a field is found by who does not look at it already: the form of the credential leaves these words out. */
export const IN_CREDENTIAL = ' in the Asset Service API credential';
/** The same for a field that shows only when the switch of this name is on. */
export const IN_INTERFACE = ` under 'Customize Service Interface'${IN_CREDENTIAL}`;

/** What to do about an error that the service reports in its own words. */
export const COMPARE = 'Check the values of this request against the message of the service.';

interface ApiErrorDetails {
	/** What to do now. */
	hint: string;
	/** The field of the credential that is most likely wrong. */
	field?: CredentialField | undefined;
	/** The HTTP status, where there was a response. */
	status?: number | undefined;
	/** Node's or undici's error code, where there was none. */
	code?: string | undefined;
	/** Whether the service was unreachable, for every request alike, and nothing was carried out. */
	unreachable?: boolean;
}

/** A failure for people: the message says what happened and where, the hint what to do now. Neither holds a secret. */
export class ApiError extends Error {
	override readonly name = 'ApiError';
	readonly hint: string;
	readonly field?: CredentialField | undefined;
	readonly status?: number | undefined;
	readonly code?: string | undefined;
	readonly unreachable: boolean;

	constructor(message: string, details: ApiErrorDetails) {
		super(message);
		this.hint = details.hint;
		this.field = details.field;
		this.status = details.status;
		this.code = details.code;
		this.unreachable = details.unreachable ?? false;
	}
}

interface TransportErrorDetails {
	/** Node's or undici's error code, or one of ours, for those who search for it. */
	code?: string | undefined;
	/** Whether the same request may succeed a moment later. */
	retryable: boolean;
	/** What to do now, where the transport knows better than to check the address. */
	hint?: string | undefined;
	/** Whether it is certain that nothing of the request left this machine, so that the service has changed nothing. */
	neverSent?: boolean;
}

/** No complete response came. The message is half a sentence that says why, such as "the connection was refused". */
export class TransportError extends Error {
	override readonly name = 'TransportError';
	readonly code?: string | undefined;
	readonly retryable: boolean;
	readonly hint?: string | undefined;
	readonly neverSent: boolean;

	constructor(message: string, details: TransportErrorDetails) {
		super(message);
		this.code = details.code;
		this.retryable = details.retryable;
		this.hint = details.hint;
		this.neverSent = details.neverSent ?? false;
	}
}
