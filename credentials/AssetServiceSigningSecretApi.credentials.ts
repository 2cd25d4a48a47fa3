/** The credential of the webhook trigger: which secrets sign deliveries, and in which form the signature comes. */
import type { ICredentialType, INodeProperties } from 'n8n-workflow';
import { customSchemeProperties } from './customScheme';

export class AssetServiceSigningSecretApi implements ICredentialType {
	name = 'assetServiceSigningSecretApi';

	displayName = 'Asset Service Signing Secret API';

	icon = { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' } as const;

	properties: INodeProperties[] = [
		{
			displayName: 'Signing Secret',
			name: 'signingSecret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'Secret of the webhook endpoint, to the letter',
			hint: 'The service shows it once, when the webhook endpoint is created',
		},
		{
			displayName: 'Previous Signing Secret',
			name: 'previousSigningSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'The secret of the old endpoint, accepted as well. Empty it once the old endpoint is deleted.',
			hint: 'Only while you replace a secret, else empty',
		},
		{
			displayName: 'Scheme',
			name: 'scheme',
			type: 'options',
			default: 'timestamped',
			description: 'How deliveries are signed',
			options: [
				{
					name: 'Timestamped',
					value: 'timestamped',
					description: 'One header with t=(unix seconds),v1=(hex), as the Asset Service sends it',
				},
				{
					name: 'Standard Webhooks',
					value: 'standardWebhooks',
					description: 'Headers webhook-id, webhook-timestamp and webhook-signature',
				},
				{
					name: 'Custom',
					value: 'custom',
					description: 'An HMAC of the body, with header, encoding and signed bytes as set below',
				},
			],
		},
		{
			displayName: 'Signature Header',
			name: 'signatureHeader',
			type: 'string',
			required: true,
			default: 'X-Webhook-Signature',
			description: 'Name of the header that carries the signature',
			displayOptions: { show: { scheme: ['timestamped', 'custom'] } },
		},
		...customSchemeProperties,
	];
}
