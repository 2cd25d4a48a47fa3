/** Webhook endpoints: the URLs that the service delivers events to. */
import { type INodeProperties, NodeApiError } from 'n8n-workflow';
import { canDeliverTo } from '../../../lib/endpoint';
import {
	type ApiClient,
	type ApiRecord,
	withoutSecret,
	DELIVERY,
	endpointHealth,
	recordsOf,
} from '../../../lib/service';
import { isRecord } from '../../../lib/shared/values';
import { eventTypeProperties } from '../../../n8n/fields/eventTypeProperties';
import { endpointField, endpointIdOf } from '../shared/ids';
import {
	eventTypesOf,
	hiddenOptions,
	flag,
	type InputItem,
	parameterError,
	parameter,
	text,
	timeField,
	createdAfterOf,
	type Changing,
	type Operation,
	type Resource,
} from '../shared/operation';

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

const create: Changing = {
	name: 'Create',
	description:
		'Create a webhook endpoint, so that the service delivers events to its URL. Takes an https URL and event types and returns the new endpoint. An agent must ask the user for confirmation first.',
	action: 'Create a webhook endpoint that gets each new event, only after a confirmation',
	fields: [...fields, hiddenOptions],
	prepare: (item) => {
		const url = parameter(item, 'url', text);
		if (url === '') throw parameterError(item, "'URL' is empty", "Fill in 'URL'.");
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
		return async (client) => {
			const made = await client.createWebhookEndpoint({ url, events });
			if (include) return [made.record];
			if (made.secret === undefined) item.warn(SECRET_NOT_FOUND);
			return [withoutSecrets(made, { url, events })];
		};
	},
};

const SECRET_NOT_FOUND =
	'The response has no field that is known to hold the signing secret, so the output only has fields that cannot hold it.';

/** Whether a model reads the output: n8n marks a node that it uses as a tool in its type, or its context reports it. */
function isTool({ context }: InputItem): boolean {
	return context.isToolExecution() || context.getNode().type.endsWith('Tool');
}

type NewEndpoint = Awaited<ReturnType<ApiClient['createWebhookEndpoint']>>;

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

const remove: Changing = {
	name: 'Delete',
	description:
		'Delete a webhook endpoint permanently, so that it gets no more events. Takes an endpoint ID and returns whether it was deleted. An agent must ask the user for confirmation first.',
	action: 'Delete a webhook endpoint for good, only after a confirmation',
	fields: [endpointField('The webhook endpoint to delete'), hiddenOptions],
	prepare: (item) => {
		const endpointId = endpointIdOf(item);
		return async (client) => {
			if (await client.deleteWebhookEndpoint(endpointId)) return [{ deleted: true }];
			const { context, itemIndex } = item;
			const message = 'The service does not know this endpoint';
			const description =
				"Check the endpoint ID: the endpoint may already be deleted. If the ID is right, check 'Base URL' in the Asset Service API credential.";
			throw new NodeApiError(
				context.getNode(),
				{ message },
				{ message, itemIndex, httpCode: '404', description },
			);
		};
	},
};

const DAYS_BACK = 7;

const getHealth: Operation = {
	name: 'Get Health',
	description:
		'Count recent deliveries to a webhook endpoint and report whether the service is about to stop retrying. Takes an endpoint ID and returns one item.',
	action: 'Get the health of a webhook endpoint by its deliveries, not the status of a station',
	fields: [
		endpointField('The webhook endpoint to check'),
		timeField('createdAfter', {
			description: 'Only deliveries created at this time or later, and those without a time',
			hint: 'Leave empty for the last 7 days',
		}),
		hiddenOptions,
	],
	run: async (item) => {
		const endpointId = endpointIdOf(item);
		const now = Date.now();
		const createdAfter = createdAfterOf(item, DAYS_BACK, now);
		const { client } = item;
		const deliveries = recordsOf(client.list('delivery', { endpointId, createdAfter }));
		const settings = client.serviceInterface;
		const { withoutStatus, ...health } = await endpointHealth(deliveries, settings, now);
		if (withoutStatus > 0) {
			item.warn(
				`Left out ${withoutStatus === 1 ? '1 delivery' : `${withoutStatus.toLocaleString('en')} deliveries`} without the field '${DELIVERY.statusField}'.`,
			);
		}
		return [{ endpointId, createdAfter: new Date(createdAfter).toISOString(), ...health }];
	},
};

export const webhookEndpoint: Resource = {
	name: 'Webhook Endpoint',
	description: 'A URL that the service delivers events to',
	operations: { create, delete: remove, getHealth },
};
