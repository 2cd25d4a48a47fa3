/** Turns failures, and responses other than a success, into errors for people. */
import { PackageError } from '../shared/errors';
import { isRecord } from '../shared/values';
import { type ServiceInterface, FIELDS } from './defaults';
import { jsonOf, type Redactor, statusText } from './response';
import { TransportError, type TransportResponse } from './transport';

/** The required fields. */
type RequiredField = 'baseUrl' | 'authUrl' | 'audience' | 'clientId' | 'clientSecret';

/** A field of the credential, as errors name it. */
type CredentialField = RequiredField | keyof ServiceInterface;

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
	itemsPath: 'Items Path',
	hasMorePath: 'Has More Path',
	nextCursorPath: 'Next Cursor Path',
	eventIdPath: 'Event ID Path',
	eventTypePath: 'Event Type Path',
	eventTimePath: 'Event Time Path',
	eventPayloadPath: 'Event Payload Path',
	eventAssetIdPath: 'Event Asset ID Path',
	succeededWords: 'Succeeded Words',
	failedWords: 'Failed Words',
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

const CHECK_PROXY = 'check for a proxy between n8n and the service that changes responses';

/** What to do about an error that the service reports in its own words. */
const COMPARE = 'Check the values of this request against the message of the service.';

/** A failure of a request. `code` is Node's or undici's, if there was no response. */
export class ApiError extends PackageError {
	override readonly name = 'ApiError';
	/** The field of the credential that is most likely wrong. */
	readonly field?: CredentialField | undefined;
	/** The HTTP status, if there was a response. */
	readonly status?: number | undefined;
	/** Whether the service was unreachable for any request, and nothing was carried out. */
	readonly unreachable: boolean;

	constructor(
		message: string,
		details: Pick<ApiError, 'hint' | 'code' | 'field' | 'status'> & { unreachable?: boolean },
	) {
		const { status, field, unreachable = false } = details;
		const isRefused = status === 401 || status === 403;
		super(message, {
			...details,
			// Without a status, a field is wrong before anything was sent.
			isFinal: isRefused || (status === undefined && field !== undefined && !unreachable),
		});
		this.field = field;
		this.status = status;
		this.unreachable = unreachable;
	}
}

/** The destination of a request, as its errors name it, and the errors about what it responds. */
export class Destination {
	constructor(
		/** The URL without its query. */
		readonly address: string,
		/** The field of the credential that the URL comes from. */
		readonly field: 'baseUrl' | 'authUrl',
		readonly redactor: Redactor,
	) {}

	/**
	 * The error for a request that got no complete response. Any error other than a `TransportError` is returned unchanged.
	 * `addition` is one more sentence about what to do.
	 */
	unreachable(error: unknown, addition?: string): unknown {
		if (!(error instanceof TransportError)) return error;
		if (error.hasResponse) return this.unusable(error.message, error.code, addition);
		const label = FIELD_LABELS[this.field];
		const hints = [
			error.hint ??
				`Check '${label}'${IN_CREDENTIAL} and whether the n8n server can reach it. If it is right and reachable, try again later.`,
			...(addition === undefined ? [] : [addition]),
			// Not in the message: n8n replaces a message that contains such a code with a generic one.
			...(error.code === undefined ? [] : [`(${error.code})`]),
		];
		// A failure with its own hint is not about the URL.
		const field = error.hint === undefined ? ` ('${label}')` : '';
		return new ApiError(`Could not reach ${this.address}${field}: ${error.message}`, {
			field: error.hint === undefined ? this.field : undefined,
			hint: hints.join(' '),
			code: error.code,
			unreachable: addition === undefined,
		});
	}

	/** The error for a response that breaks a bound, or whose body cannot be decoded. `problem` completes the message. */
	unusable(problem: string, code = 'RESPONSE_TOO_LARGE', addition?: string): ApiError {
		const hint =
			code === 'RESPONSE_TOO_LARGE'
				? `If it is a list, lower 'Page Size'${IN_INTERFACE}. If it keeps happening, contact the operator of the service.`
				: `Try again. If it keeps happening, ${CHECK_PROXY}.`;
		return new ApiError(`Could not read the response of ${this.address}: ${problem}`, {
			hint: addition === undefined ? hint : `${addition} ${hint}`,
			code,
		});
	}

	/** Redirects are not followed, since they would send the secret or the token to another address. */
	redirect({ status, headers }: TransportResponse): ApiError {
		const target = this.#targetOf(headers.location);
		const where = target === '' ? '' : ` to ${target}`;
		return this.wrongAddress(`redirects${where} (${statusText(status)})`, status);
	}

	/** The error for a success without readable JSON. */
	unreadable(response: TransportResponse): ApiError {
		const { status, body } = response;
		const text = body.trim();
		const responded = `${this.address} responded with ${statusText(status)}`;
		if (text === '') {
			return new ApiError(`${responded} and an empty body`, {
				status,
				hint: 'Try again. If it keeps happening, check for a proxy between n8n and the service that removes response bodies.',
			});
		}
		if (/^[[{]/.test(text) && jsonOf(response) === undefined) {
			return new ApiError(`${responded} and JSON that is truncated or damaged`, {
				status,
				hint: `Try again. If it keeps happening, ${CHECK_PROXY}, or request fewer records at once with 'Page Size'${IN_INTERFACE}.`,
			});
		}
		return this.notTheService(response);
	}

	/** The error for a response that this service would not send: most likely the URL belongs to something else. */
	notTheService(response: TransportResponse): ApiError {
		const what =
			response.status < 300
				? isWebPage(response)
					? 'a web page instead of JSON'
					: 'a body that is not JSON'
				: this.redactor.statusAndReason(response);
		return this.wrongAddress(`responded with ${what}`, response.status);
	}

	/** The error for a URL that is probably wrong. */
	wrongAddress(what: string, status: number): ApiError {
		const label = FIELD_LABELS[this.field];
		return new ApiError(
			`'${label}' is probably not the URL of the service: ${this.address} ${what}`,
			{
				field: this.field,
				status,
				hint: `Check '${label}'${IN_CREDENTIAL}: enter the URL from the documentation of the service.`,
			},
		);
	}

	/** The error for a status that says nothing about the credential, such as 400, 429 or 500. */
	failed(response: TransportResponse): ApiError {
		const { status, waitSeconds } = response;
		const reason = this.redactor.statusAndReason(response);
		const wait = waitSeconds === undefined ? '' : ` and asks to wait ${duration(waitSeconds)}`;
		const message = `${this.address} responded with ${reason}${wait}`;
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

	/** The error in the fields of a success; undefined if there is none. `hint` says what to do about it. */
	errorIn(json: unknown, hint = COMPARE): ApiError | undefined {
		if (!isRecord(json)) return undefined;
		const errors = [json['error'], json[FIELDS.error.list]];
		const reason = errors.some(isNotEmpty) ? this.redactor.reasonIn(json) : '';
		if (reason === '') return undefined;
		const message = `${this.address} reported an error with status 200: ${reason}`;
		return new ApiError(message, { status: 200, hint });
	}

	#targetOf(location: string | undefined): string {
		if (location === undefined || !URL.canParse(location, this.address)) return '';
		const { origin, pathname } = new URL(location, this.address);
		return this.redactor.quote(origin + pathname);
	}
}

function isWebPage({ headers }: TransportResponse): boolean {
	return /^\s*text\/html\b/i.test(headers['content-type'] ?? '');
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

const isNotEmpty = (error: unknown) =>
	Boolean(error) && !(Array.isArray(error) && error.length === 0);
