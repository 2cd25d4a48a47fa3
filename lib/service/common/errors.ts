/** The two kinds of failure: one for people, and one that says why no response arrived. */
import { PackageError } from '../../shared/errors';
import type { CredentialField } from './types';

/** The labels of the credential's fields in the editor. */
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
	connectedWords: 'Connected Words',
	disconnectedWords: 'Disconnected Words',
	connectionPath: 'Connection Path',
};

/** Where to find a field, for a person who is not looking at it: the form of the credential omits these words. */
export const IN_CREDENTIAL = ' in the Asset Service API credential';
/** The same for a field that appears only when the switch of this name is on. */
export const IN_INTERFACE = ` under 'Customize Service Interface'${IN_CREDENTIAL}`;

/** What to do about an error that the service reports in its own words. */
export const COMPARE = 'Check the values of this request against the message of the service.';

interface ApiErrorDetails {
	/** As in `PackageError`. */
	hint: string;
	code?: string | undefined;
	/** The field of the credential that is most likely wrong. */
	field?: CredentialField | undefined;
	/** The HTTP status, if there was a response. */
	status?: number | undefined;
	/** Whether the service was unreachable for any request, and nothing was carried out. */
	unreachable?: boolean;
}

/** A failure of a request. `code` is Node's or undici's, if there was no response. */
export class ApiError extends PackageError {
	override readonly name = 'ApiError';
	readonly field?: CredentialField | undefined;
	readonly status?: number | undefined;
	readonly unreachable: boolean;

	constructor(message: string, details: ApiErrorDetails) {
		super(message, details);
		this.field = details.field;
		this.status = details.status;
		this.unreachable = details.unreachable ?? false;
	}
}

interface TransportErrorDetails {
	/** Node's or undici's error code, or one of ours, to search for. */
	code?: string | undefined;
	/** Whether the same request may succeed a moment later. */
	retryable: boolean;
	/** What to do, if the transport knows better advice than checking the address. */
	hint?: string | undefined;
	/** Whether it is certain that no part of the request left this machine, so that the service has changed nothing. */
	neverSent?: boolean;
}

/** No complete response arrived. The message is half a sentence that says why, such as "the connection was refused". */
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
