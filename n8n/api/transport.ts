/** Chooses how requests leave n8n: over the package's own pools, or through n8n's helper if n8n checks addresses. */
import { readFileSync } from 'node:fs';
import type { ICredentialTestFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { helperTransport, undiciTransport, type Transport } from '../../lib/service';
import { throughHttpRequest, throughLegacyRequest } from './httpHelper';

const SWITCH = 'N8N_SSRF_PROTECTION_ENABLED';

/**
 * Whether n8n protects its network from requests to internal addresses. Read as n8n 2.41 reads it: `true` or `1` in any
 * case, from the variable, otherwise from the file that `N8N_SSRF_PROTECTION_ENABLED_FILE` names.
 */
export function ssrfProtectionEnabled(env: NodeJS.ProcessEnv = process.env): boolean {
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
