/** How deliveries are signed: the same fields in the signing secret credential and in a trigger that registers its endpoint itself. */
import type { INodeProperties } from 'n8n-workflow';
import type { SchemeSettings } from '../../lib/signature';

type Field = INodeProperties & { readonly name: keyof SchemeSettings };

const ofCustomScheme = { displayOptions: { show: { scheme: ['custom'] } } };

const FIELDS: readonly Field[] = [
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
		// Not `show`: among options, n8n would wait until a scheme was added.
		displayOptions: { hide: { scheme: ['standardWebhooks'] } },
	},
	{
		displayName: 'Algorithm',
		name: 'algorithm',
		...ofCustomScheme,
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
		...ofCustomScheme,
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
		...ofCustomScheme,
		type: 'string',
		default: '',
		placeholder: 'e.g. X-Webhook-Timestamp',
		description:
			"Name of the header that carries the Unix time in seconds. If empty, the age of a delivery is not checked and 'Signed Payload' must not contain {timestamp}.",
	},
	{
		displayName: 'Signed Payload',
		name: 'signedPayload',
		...ofCustomScheme,
		type: 'string',
		required: true,
		default: '{timestamp}.{body}',
		description:
			"Template of the signed text. {body} is replaced by the raw body, {timestamp} by the value of 'Timestamp Header'.",
	},
	{
		displayName: 'Signature Prefix',
		name: 'signaturePrefix',
		...ofCustomScheme,
		type: 'string',
		default: '',
		placeholder: 'e.g. sha256=',
		description: 'Text before each signature in the header. Signatures without it are ignored.',
	},
];

/** For the credential. */
export const signatureFields: INodeProperties[] = [...FIELDS];

/** For the options of a trigger. No expressions: to evaluate one, n8n would need an isolate per request. */
export const signatureOptions: INodeProperties[] = FIELDS.map((field) => ({
	...field,
	// n8n would not publish while a required option is not added.
	required: false,
	noDataExpression: true,
	displayOptions: {
		...field.displayOptions,
		show: { '/registration': ['automatic'], ...field.displayOptions?.show },
	},
}));

/** The values of the fields among others. */
export function readSignatureFields(given: Readonly<Record<string, unknown>>): SchemeSettings {
	return Object.fromEntries(FIELDS.map(({ name }) => [name, given[name]]));
}
