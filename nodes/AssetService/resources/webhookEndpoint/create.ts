/** Creates a webhook endpoint. */
import type { INodeProperties } from 'n8n-workflow';
import { canDeliverTo } from '../../../../lib/endpoint';
import type { ApiClient, ApiRecord } from '../../../../lib/service';
import { eventTypeProperties } from '../../../../n8n/eventTypeProperties';
import { eventTypesOf } from '../../shared/eventTypes';
import { onlyParallelChanges } from '../../shared/parallelItems';
import { flag, type InputItem, parameterError, requiredText } from '../../shared/parameters';
import type { Changing } from '../../shared/resource';
import { withoutSecrets } from './withoutSecrets';

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
	fields: [...fields, onlyParallelChanges],
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
