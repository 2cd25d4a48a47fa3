/** The two credentials as a person enters them for the simulator. */
import type { Simulator } from '../../../simulator';
import type { CredentialContent } from './rest';

/** What an API client needs to know of a service. */
export type ServiceAccess = Pick<
	Simulator,
	'baseUrl' | 'authUrl' | 'audience' | 'clientId' | 'clientSecret'
>;

export function apiCredential(
	{ baseUrl, authUrl, audience, clientId, clientSecret }: ServiceAccess,
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
