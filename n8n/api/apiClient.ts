/** Creates the client of the service from a node's context, and chooses how its requests leave n8n: over the package's own pools, or through n8n's helpers if n8n checks addresses. */
import { readFileSync } from 'node:fs';
import { addAbortSignal, Readable } from 'node:stream';
import type {
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
	IHttpRequestOptions,
} from 'n8n-workflow';
import {
	createApiClient,
	parseApiSettings,
	plainHttpWarning,
	type ApiClient,
	type ApiSettings,
	helperTransport,
	undiciTransport,
	type Transport,
	readBoundedBody,
	type TransportRequest,
	type TransportResponse,
	type WarnOfList,
} from '../../lib/service';
import { isError } from '../../lib/shared/errors';
import type { KnownIds } from '../../lib/shared/knownIds';
import { isRecord } from '../../lib/shared/values';
import { logLine } from '../log/log';

/** With the service's URLs and the API client. */
export const API_CREDENTIAL = 'assetServiceApi';
export const SIGNING_SECRET_CREDENTIAL = 'assetServiceSigningSecretApi';

type ApiContext =
	IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

interface ClientOptions {
	/** Cancels its requests; default: the cancellation of the execution. */
	readonly signal?: AbortSignal | undefined;
	/** What earlier clients have left out of lists. */
	readonly known?: KnownIds;
}

/**
 * A client with the settings of the node's credential. All clients of a process share tokens and connections, so creating one
 * costs no more than reading the credential.
 *
 * `warn` is called with warnings although nothing failed; by default they go to n8n's log.
 * @throws {ApiError} if the credential is not complete; `toNodeError` converts it to an n8n error.
 */
export async function apiClientFor(
	context: ApiContext,
	warn: WarnOfList = (message) => {
		context.logger.warn(logLine(context, message));
	},
	options: ClientOptions = {},
): Promise<ApiClient> {
	return (await clientAndSecret(context, warn, options)).client;
}

/** The same with the secret of the API client. */
export async function clientAndSecret(
	context: ApiContext,
	warn: WarnOfList,
	{ signal = cancelSignal(context), ...options }: ClientOptions = {},
): Promise<{ client: ApiClient; clientSecret: string }> {
	const settings = parseApiSettings(await context.getCredentials(API_CREDENTIAL));
	warnOfPlainHttp(context, settings);
	const transport = transportOf(throughHelper(context.helpers));
	const client = createApiClient({ settings, transport, warn, signal, ...options });
	return { client, clientSecret: settings.clientSecret };
}

const warnings = new Set<string>();

/** One log line per warning, as long as the process lives. */
function warnOfPlainHttp(context: ApiContext, settings: ApiSettings): void {
	const warning = plainHttpWarning(settings);
	if (warning === undefined || warnings.has(warning)) return;
	warnings.add(warning);
	context.logger.warn(logLine(context, warning));
}

/** Aborted when a user cancels the execution; hooks and polls have no such signal. */
export function cancelSignal(context: ApiContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

const SWITCH = 'N8N_SSRF_PROTECTION_ENABLED';

/**
 * Whether n8n protects its network from requests to internal addresses. Read as n8n 2.41 reads it: `true` or `1` in any
 * case, from the variable, otherwise from the file that `N8N_SSRF_PROTECTION_ENABLED_FILE` names.
 */
function ssrfProtectionEnabled(env: NodeJS.ProcessEnv): boolean {
	const file = env[`${SWITCH}_FILE`];
	const value = env[SWITCH] ?? (file ? readFileSync(file, 'utf8').trim() : '');
	return ['true', '1'].includes(value.toLowerCase());
}

/** The transport of nodes and credential tests, of which each has another helper. */
export function transportOf(helper: Send, env: NodeJS.ProcessEnv = process.env): Transport {
	return ssrfProtectionEnabled(env) ? helperTransport(helper, { env }) : undiciTransport({ env });
}

type Send = (request: TransportRequest) => Promise<TransportResponse>;

type Helper<Options> = (options: Options) => Promise<unknown>;

/** Through `helpers.httpRequest`, which every context except the credential test has, or the older `helpers.request`. */
export function throughHelper(
	helpers: { httpRequest: Helper<IHttpRequestOptions> } | { request: Helper<object> },
): Send {
	return async (request) => {
		const response =
			'httpRequest' in helpers
				? helpers.httpRequest(helperOptions(request))
				: helpers.request(olderOptions(request));
		return await settled(response, request.signal);
	};
}

function helperOptions(request: TransportRequest): IHttpRequestOptions {
	return {
		url: request.url,
		method: request.method,
		headers: request.headers,
		...(request.body !== undefined && { body: request.body }),
		...(request.signal && { abortSignal: request.signal }),
		...(request.allowUnauthorizedCerts && { skipSslCertificateValidation: true }),
		// A stream, since the helper itself reads bodies of any size.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
}

function olderOptions({ url, method, headers, body, allowUnauthorizedCerts }: TransportRequest) {
	return {
		uri: url,
		method,
		headers,
		...(body !== undefined && { body }),
		...(allowUnauthorizedCerts && { rejectUnauthorized: false }),
		useStream: true,
		resolveWithFullResponse: true,
		simple: false,
		followRedirect: false,
	};
}

async function settled(
	response: Promise<unknown>,
	signal: AbortSignal | undefined,
): Promise<TransportResponse> {
	const { status, headers: given, body } = await response.then(wholeResponse, thrownResponse);
	const headers = textHeaders(given);
	if (!(body instanceof Readable)) return { status, headers, body: bodyText(body) };
	if (signal) addAbortSignal(signal, body);
	return { status, headers, body: await readBoundedBody(body, headers) };
}

interface HelperResponse {
	readonly status: number;
	readonly headers: unknown;
	readonly body: unknown;
}

function wholeResponse(given: unknown): HelperResponse {
	const { statusCode: status, headers, body } = isRecord(given) ? given : {};
	// A mock may return only the body, which means success.
	return typeof status === 'number'
		? { status, headers, body }
		: { status: 200, headers: {}, body: given };
}

/** The helper may still throw for an error status, as it does when n8n evaluates with mocks. */
function thrownResponse(error: unknown): HelperResponse {
	const response = isRecord(error) ? error['response'] : undefined;
	const { status, headers, data: body } = isRecord(response) ? response : {};
	if (typeof status === 'number') return { status, headers, body };
	throw isError(error) ? error : new Error('The request failed');
}

function textHeaders(headers: unknown): Record<string, string> {
	if (typeof headers !== 'object' || headers === null) return {};
	return Object.fromEntries(
		Object.entries(headers).flatMap(([name, value]: [string, unknown]) =>
			value === undefined || value === null
				? []
				: [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : bodyText(value)]],
		),
	);
}

function bodyText(body: unknown): string {
	if (body === undefined || body === null) return '';
	if (typeof body === 'string') return body;
	return Buffer.isBuffer(body) ? body.toString('utf8') : JSON.stringify(body);
}
