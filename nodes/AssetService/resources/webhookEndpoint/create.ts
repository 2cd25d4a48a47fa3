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
		description: 'Where the service delivers to. It must begin with https://.',
	},
	...eventTypeProperties(
		{ description: 'Types of the events to deliver', required: true },
		'events',
	),
	{
		displayName:
			'The service shows the signing secret of a new endpoint this once. n8n stores the output of this node with the execution, where everyone who may see the execution can read it: keep the secret in a credential and delete the execution, or turn off Include Secret. As an AI tool, the node never gives the secret to the model.',
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
			'Whether to put the signing secret into the output, which an AI tool never does. Without it nobody ever learns the secret of this endpoint.',
	},
];

export const create: Changing = {
	name: 'Create',
	description: 'Have the service deliver events to an address',
	action: 'Create a webhook endpoint',
	fields: [...fields, onlyParallelChanges],
	prepare,
};

const SECRET_NOT_FOUND =
	'The answer has no field that is known to hold the signing secret, so only fields that cannot hold it are shown.';

/** Whether a model reads the output: n8n names a node that it uses as a tool so, or its context tells. */
function isTool({ context }: InputItem): boolean {
	return context.isToolExecution() || context.getNode().type.endsWith('Tool');
}

function prepare(item: Parameters<Changing['prepare']>[0]) {
	const url = requiredText(item, 'url', 'URL');
	const events = eventTypesOf(item, 'events');
	if (!canDeliverTo(url)) {
		throw parameterError(
			item,
			'URL is not an https address.',
			'The service delivers to https addresses alone: enter the URL in full, with https:// in front.',
		);
	}
	if (events.length === 0) {
		throw parameterError(
			item,
			'Event Types is empty.',
			'Pick at least one event type, such as OCPP Message.',
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
