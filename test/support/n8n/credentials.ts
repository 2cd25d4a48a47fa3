/** The two credentials as a person enters them for the simulator. */
import type { Simulator } from '../../../simulator';
import type { CredentialContent } from './rest';

export function apiCredential(
	{ baseUrl, authUrl, audience, clientId, clientSecret }: Simulator,
	changes: Readonly<Record<string, string>> = {},
): CredentialContent {
	return {
		name: 'Simulated service',
		type: 'assetServiceApi',
		data: { baseUrl, authUrl, audience, clientId, clientSecret, ...changes },
	};
}

export function signingCredential(
	signingSecret: string,
	changes: Readonly<Record<string, string>> = {},
): CredentialContent {
	return {
		name: 'Simulated endpoint',
		type: 'assetServiceSigningSecretApi',
		data: {
			signingSecret,
			scheme: 'timestamped',
			signatureHeader: 'X-Webhook-Signature',
			...changes,
		},
	};
}
