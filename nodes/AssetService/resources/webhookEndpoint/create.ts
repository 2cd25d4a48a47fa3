/** Creates a webhook endpoint. */
import type { INodeProperties } from 'n8n-workflow';
import { canDeliverTo } from '../../../../lib/endpoint';
import { type ApiClient, type ApiRecord, withoutSecret } from '../../../../lib/service';
import { isRecord } from '../../../../lib/shared/values';
import { eventTypeProperties } from '../../../../n8n/fields/eventTypeProperties';
import {
	eventTypesOf,
	hiddenOptions,
	flag,
	type InputItem,
	parameterError,
	requiredText,
} from '../../shared/parameters';
import type { Changing } from '../../shared/resource';

const fields: INodeProperties[] = [
	{
		displayName: 'URL',
		name: 'url',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://n8n.example.com/webhook/…',
		description: 'URL that the service delivers events to. It must start with https://.',
	},
	...eventTypeProperties(
		{ description: 'Event types to deliver to this endpoint', required: true },
		'events',
	),
	{
		displayName:
			'The signing secret is shown only once: save it in a credential and then delete this execution, because anyone who can open the execution can read the secret.',
		name: 'secretNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Include Secret',
		name: 'includeSecret',
		type: 'boolean',
		default: true,
		description:
			'Whether to include the signing secret in the output. If turned off, the secret cannot be retrieved later. An AI tool never gets it.',
	},
];

export const create: Changing = {
	name: 'Create',
	description:
		'Create a webhook endpoint, so that the service delivers events to its URL. Takes an https URL and event types and returns the new endpoint. An agent must ask the user for confirmation first.',
	action: 'Create a webhook endpoint',
	fields: [...fields, hiddenOptions],
	prepare,
};

const SECRET_NOT_FOUND =
	'The response has no field that is known to hold the signing secret, so the output only has fields that cannot hold it.';

/** Whether a model reads the output: n8n marks a node that it uses as a tool in its type, or its context reports it. */
function isTool({ context }: InputItem): boolean {
	return context.isToolExecution() || context.getNode().type.endsWith('Tool');
}

function prepare(item: Parameters<Changing['prepare']>[0]) {
	const url = requiredText(item, 'url', 'URL');
	const events = eventTypesOf(item, 'events');
	if (!canDeliverTo(url)) {
		throw parameterError(
			item,
			"'URL' is not an https URL",
			'Enter the full URL with https:// at the start. The service only delivers to https URLs.',
		);
	}
	if (events.length === 0) {
		throw parameterError(
			item,
			"'Event Types' is empty",
			'Select at least one event type, such as OCPP Message.',
		);
	}
	const include = !isTool(item) && flag(item, 'includeSecret', 'Include Secret', true);
	return async (client: ApiClient): Promise<ApiRecord[]> => {
		const made = await client.createWebhookEndpoint({ url, events });
		if (include) return [made.record];
		if (made.secret === undefined) item.warn(SECRET_NOT_FOUND);
		return [withoutSecrets(made, { url, events })];
	};
}

interface NewEndpoint {
	readonly id?: string;
	/** Undefined if the response has no field that is known to contain it. */
	readonly secret?: string;
	readonly record: ApiRecord;
}

/** Fields about the state of an endpoint; the fields that identify it come from the request and the ID. */
const HARMLESS = ['status', 'enabled', 'createdAt', 'updatedAt'];
const SOUNDS_SECRET = /secret|key|token|password|credential|signing|signature|hmac/i;

/**
 * If the secret is known: the record without it, and without fields whose names suggest another secret. If not, any field may
 * contain it: the result has only fields that cannot, which are the ID, the requested values, and a few known fields.
 */
export function withoutSecrets(made: NewEndpoint, asked: ApiRecord): ApiRecord {
	const { id, secret, record } = made;
	if (secret !== undefined) return quiet(withoutSecret(record, secret));
	const known = HARMLESS.filter((name) => isHarmless(record[name]));
	return {
		...(id !== undefined && { id }),
		...asked,
		...Object.fromEntries(known.map((name) => [name, record[name]])),
	};
}

function isHarmless(value: unknown): boolean {
	if (typeof value === 'boolean') return true;
	// A word, or a date.
	return (
		typeof value === 'string' &&
		(/^[a-z]{1,12}$/i.test(value) || /^\d{4}-\d\d-\d\dT[\d:.]+Z?$/.test(value))
	);
}

function quiet(record: ApiRecord): ApiRecord {
	const named = Object.entries(record).filter(([name]) => !SOUNDS_SECRET.test(name));
	return Object.fromEntries(named.map(([name, value]) => [name, quietValue(value)]));
}

function quietValue(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(quietValue);
	return isRecord(value) ? quiet(value) : value;
}
