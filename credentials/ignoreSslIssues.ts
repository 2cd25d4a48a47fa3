/** The option for services whose TLS certificate cannot be verified. */
import type { INodeProperties } from 'n8n-workflow';

/** Not marked as a password, although its name contains "auth": n8n would give the editor a text instead of a boolean. */
export const ignoreSslIssues: INodeProperties = {
	displayName: 'Ignore SSL Issues (Insecure)',
	name: 'allowUnauthorizedCerts',
	type: 'boolean',
	default: false,
	description:
		'Whether to connect even if the TLS certificate of the service cannot be verified. Anyone between n8n and the service can then read the secrets.',
};
