/** The credential of the webhook trigger: the secrets that sign deliveries, and the scheme. */
import type { ICredentialType, INodeProperties } from 'n8n-workflow';

/** The fields of the signing secret credential for a custom scheme. */
const customSchemeProperties: INodeProperties[] = [
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
	},
	{
		displayName: 'Encoding',
		name: 'encoding',
		type: 'options',
		default: 'hex',
		description: 'How the signature is encoded in the header',
		options: [
			{
				name: 'Base64',
				value: 'base64',
				description: 'Base64 or base64url, with or without padding',
			},
			{ name: 'Hex', value: 'hex', description: 'Uppercase or lowercase' },
		],
	},
	{
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Webhook-Timestamp',
		description:
			"Name of the header that carries the Unix time in seconds. If empty, the age of a delivery is not checked and 'Signed Payload' must not contain {timestamp}.",
	},
	{
		displayName: 'Signed Payload',
		name: 'signedPayload',
		type: 'string',
		required: true,
		default: '{timestamp}.{body}',
		description:
			"Template of the signed text. {body} is replaced by the raw body, {timestamp} by the value of 'Timestamp Header'.",
	},
	{
		displayName: 'Signature Prefix',
		name: 'signaturePrefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. sha256=',
		description: 'Text before each signature in the header. Signatures without it are ignored.',
	},
];

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
			description: 'Signing secret of the webhook endpoint. Must match exactly.',
			hint: 'The service shows it once, when the webhook endpoint is created',
		},
		{
			displayName: 'Previous Signing Secret',
			name: 'previousSigningSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'A second accepted secret: of the endpoint that you are replacing, or of an endpoint for the test URL. Clear this field after you delete that endpoint.',
			hint: 'Only needed while you rotate the secret or test with a second endpoint',
		},
		{
			displayName:
				'The connection test only checks the format. Only the first delivery shows whether it is the right secret.',
			name: 'formatNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: { signingSecret: [{ _cnd: { exists: true } }] } },
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
					description: 'One header with t=(Unix seconds),v1=(hex), as the Asset Service sends it',
				},
				{
					name: 'Standard Webhooks',
					value: 'standardWebhooks',
					description: 'Headers webhook-id, webhook-timestamp and webhook-signature',
				},
				{
					name: 'Custom',
					value: 'custom',
					description: 'HMAC with the header, encoding and signed text that you set below',
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
		...customSchemeProperties.map((property) => ({
			...property,
			displayOptions: { show: { scheme: ['custom'] } },
		})),
	];
}
