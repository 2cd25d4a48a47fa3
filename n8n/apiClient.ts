/** Makes the client of the service from what n8n hands a node. */
import type {
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import {
	createApiClient,
	parseApiSettings,
	plainHttpWarning,
	type ApiClient,
	type ApiSettings,
} from '../lib/service';
import { API_CREDENTIAL } from './credentialNames';
import { logLine } from './logLine';
import { nodeTransport } from './transport';

type ApiContext =
	IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

/**
 * A client with the settings of the node's credential. All clients of a process share tokens and connections, so making one
 * costs no more than reading the credential. `signal` cancels its requests: unless told, when the execution is cancelled.
 *
 * `warn` gets what a person should know although nothing failed; without it, that goes to n8n's log.
 * @throws {ApiError} when the credential is not complete; `toNodeError` makes it an error of n8n.
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

/** @throws {ApiError} when the credential is not complete. */
export async function readApiSettings(context: ApiContext): Promise<ApiSettings> {
	return parseApiSettings(await context.getCredentials(API_CREDENTIAL));
}

/** A client like that of `apiClientFor`, with settings that are read already. */
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

/** One line of the log for each address, as long as the process lives. */
function warnOfPlainHttp(context: ApiContext, settings: ApiSettings): void {
	const warning = plainHttpWarning(settings);
	if (warning === undefined || warnings.has(warning)) return;
	warnings.add(warning);
	context.logger.warn(logLine(context, warning));
}

/** Aborted when a person cancels the execution; hooks and polls have no such signal. */
export function cancelSignal(context: ApiContext): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}
