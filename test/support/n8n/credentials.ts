/** The two credentials as a user enters them for the simulator. */
import type { Simulator } from '../../../simulator';
import type { CredentialContent } from './rest';

/** The values that an API client needs for a service. */
export type ServiceAccess = Pick<
	Simulator,
	'baseUrl' | 'authUrl' | 'audience' | 'clientId' | 'clientSecret'
>;

export function apiCredential(
	{ baseUrl, authUrl, audience, clientId, clientSecret }: ServiceAccess,
	changes: Readonly<Record<string, unknown>> = {},
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
