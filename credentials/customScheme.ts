/** The fields of the signing secret credential for a custom scheme. */
import type { INodeProperties } from 'n8n-workflow';

const forCustom = { show: { scheme: ['custom'] } };

export const customSchemeProperties: INodeProperties[] = [
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
		description: 'How the signature is encoded in the header',
		options: [
			{
				name: 'Base64',
				value: 'base64',
				description: 'Base64 or base64url, with or without padding',
			},
			{ name: 'Hex', value: 'hex', description: 'Uppercase or lowercase' },
		],
		displayOptions: forCustom,
	},
	{
		displayName: 'Timestamp Header',
		name: 'timestampHeader',
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Webhook-Timestamp',
		description:
			"Name of the header that carries the Unix time in seconds. If empty, the age of a delivery is not checked and 'Signed Payload' must not contain {timestamp}.",
		displayOptions: forCustom,
	},
	{
		displayName: 'Signed Payload',
		name: 'signedPayload',
		type: 'string',
		required: true,
		default: '{timestamp}.{body}',
		description:
			"Template of the signed text. {body} is replaced by the raw body, {timestamp} by the value of 'Timestamp Header'.",
		displayOptions: forCustom,
	},
	{
		displayName: 'Signature Prefix',
		name: 'signaturePrefix',
		type: 'string',
		default: '',
		placeholder: 'e.g. sha256=',
		description: 'Text before each signature in the header. Signatures without it are ignored.',
		displayOptions: forCustom,
	},
];
