/** The fields of the signing secret credential that a scheme of one's own needs. */
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
		placeholder: 'e.g. X-Webhook-Timestamp',
		description:
			'Name of the header that carries the unix time in seconds. Without it the age of a delivery is not checked, and Signed Payload must not name {timestamp}.',
		displayOptions: forCustom,
	},
	{
		displayName: 'Signed Payload',
		name: 'signedPayload',
		type: 'string',
		required: true,
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
		placeholder: 'e.g. sha256=',
		description: 'Text in front of each signature in the header; signatures without it are ignored',
		displayOptions: forCustom,
	},
];
