/** Creates the client of the service from a node's context, and chooses how its requests are sent. */
import { readFileSync } from 'node:fs';
import type {
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
	ICredentialTestFunctions,
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
} from '../../lib/service';
import { logLine } from '../log/log';
import { throughHttpRequest, throughLegacyRequest } from './httpHelper';

/** With the service's URLs and the API client. */
export const API_CREDENTIAL = 'assetServiceApi';
export const SIGNING_SECRET_CREDENTIAL = 'assetServiceSigningSecretApi';

type ApiContext =
	IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

/**
 * A client with the settings of the node's credential. All clients of a process share tokens and connections, so creating one
 * costs no more than reading the credential. `signal` cancels its requests; default: the cancellation of the execution.
 *
 * `warn` is called with warnings although nothing failed; by default they go to n8n's log.
 * @throws {ApiError} if the credential is not complete; `toNodeError` converts it to an n8n error.
 */
export async function apiClientFor(
	context: ApiContext,
	warn: (message: string) => void = (message) => {
		context.logger.warn(logLine(context, message));
	},
	signal = cancelSignal(context),
): Promise<ApiClient> {
	return apiClientWith(context, await readApiSettings(context), warn, signal);
}

/** @throws {ApiError} if the credential is not complete. */
export async function readApiSettings(context: ApiContext): Promise<ApiSettings> {
	return parseApiSettings(await context.getCredentials(API_CREDENTIAL));
}

/** A client like that of `apiClientFor`, with settings that have already been read. */
export function apiClientWith(
	context: ApiContext,
	settings: ApiSettings,
	warn: (message: string) => void,
	signal = cancelSignal(context),
): ApiClient {
	warnOfPlainHttp(context, settings);
	return createApiClient({
		settings,
		transport: nodeTransport(context.helpers),
		warn,
		...(signal && { signal }),
	});
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
function ssrfProtectionEnabled(env: NodeJS.ProcessEnv = process.env): boolean {
	const file = env[`${SWITCH}_FILE`];
	const value = env[SWITCH] ?? (file ? readFileSync(file, 'utf8').trim() : '');
	return ['true', '1'].includes(value.toLowerCase());
}

/** The transport of a node that executes, polls or is published. */
export function nodeTransport(
	helpers: { httpRequest: (options: IHttpRequestOptions) => Promise<unknown> },
	env: NodeJS.ProcessEnv = process.env,
): Transport {
	return transportFor(throughHttpRequest(helpers.httpRequest), env);
}

/** The transport of a credential test. */
export function credentialTestTransport(
	helpers: ICredentialTestFunctions['helpers'],
	env: NodeJS.ProcessEnv = process.env,
): Transport {
	return transportFor(throughLegacyRequest(helpers.request), env);
}

function transportFor(helper: Parameters<typeof helperTransport>[0], env: NodeJS.ProcessEnv) {
	return ssrfProtectionEnabled(env) ? helperTransport(helper, { env }) : undiciTransport({ env });
}
