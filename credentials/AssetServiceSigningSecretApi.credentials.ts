/** The credential of the webhook trigger: which secrets sign deliveries, and in which form the signature comes. */
import type { ICredentialType, INodeProperties } from 'n8n-workflow';

const forCustom = { show: { scheme: ['custom'] } };

export class AssetServiceSigningSecretApi implements ICredentialType {
	name = 'assetServiceSigningSecretApi';

	displayName = 'Asset Service Signing Secret API';

	icon = { light: 'file:assetService.svg', dark: 'file:assetService.dark.svg' } as const;

	documentationUrl = 'https://www.jsdelivr.com/package/npm/n8n-nodes-asset-service';

	properties: INodeProperties[] = [
		{
			displayName: 'Signing Secret',
			name: 'signingSecret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				'Secret of the webhook endpoint, to the letter. The service shows it when the endpoint is created.',
		},
		{
			displayName: 'Previous Signing Secret',
			name: 'previousSigningSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'During a rotation: the secret of the old endpoint, accepted as well. Empty it once the old endpoint is deleted.',
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
			default: 'X-Webhook-Signature',
			description: 'Name of the header that carries the signature',
			displayOptions: { show: { scheme: ['timestamped', 'custom'] } },
		},
		{
			displayName: 'Algorithm',
			name: 'algorithm',
			type: 'options',
			default: 'sha256',
			description: 'Hash function of the HMAC',
			options: [
				{ name: 'SHA-256', value: 'sha256' },
				{ name: 'SHA-512', value: 'sha512' },
			],
			displayOptions: forCustom,
		},
		{
			displayName: 'Encoding',
			name: 'encoding',
			type: 'options',
			default: 'hex',
			description: 'How the signature is written in the header',
			options: [
				{
					name: 'Base64',
					value: 'base64',
					description: 'Base64 or base64url, with or without padding',
				},
				{ name: 'Hex', value: 'hex', description: 'In any case' },
			],
			displayOptions: forCustom,
		},
		{
			displayName: 'Timestamp Header',
			name: 'timestampHeader',
			type: 'string',
			default: '',
			placeholder: 'X-Webhook-Timestamp',
			description:
				'Name of the header that carries the unix time in seconds. Without it the age of a delivery is not checked, and Signed Payload must not name {timestamp}.',
			displayOptions: forCustom,
		},
		{
			displayName: 'Signed Payload',
			name: 'signedPayload',
			type: 'string',
			default: '{timestamp}.{body}',
			description:
				'What is signed: {body} stands for the raw body, {timestamp} for the value of Timestamp Header, the rest for itself',
			displayOptions: forCustom,
		},
		{
			displayName: 'Signature Prefix',
			name: 'signaturePrefix',
			type: 'string',
			default: '',
			placeholder: 'sha256=',
			description:
				'Text in front of each signature in the header; signatures without it are ignored',
			displayOptions: forCustom,
		},
	];
}
