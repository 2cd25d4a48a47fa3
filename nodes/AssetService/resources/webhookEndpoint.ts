/** Webhook endpoints: where the service delivers events to. */
import { NodeApiError, type INodeProperties } from 'n8n-workflow';
import { canDeliverTo } from '../../../lib/endpoint/deliverableUrl';
import type { ApiRecord } from '../../../lib/service';
import { endpointField, endpointIdOf } from '../shared/endpointId';
import { flag, parameter, parameterError, requiredText, texts } from '../shared/parameters';
import { withoutSecrets } from '../shared/withoutSecrets';
import { onlyParallelItems } from '../shared/parallelItems';
import type { Resource, Run } from './resource';

const createFields: INodeProperties[] = [
	{
		displayName: 'URL',
		name: 'url',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://n8n.example.com/webhook/…',
		description: 'Where the service delivers to. It must begin with https://.',
	},
	{
		displayName: 'Events',
		name: 'events',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Event Type' },
		required: true,
		default: [],
		placeholder: 'e.g. ocpp.message',
		description:
			'Types of the events to deliver. Known types are ocpp.message and asset.connectivity.',
	},
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

export const webhookEndpoint: Resource = {
	name: 'Webhook Endpoint',
	description: 'An address that the service delivers events to',
	operations: {
		create: {
			name: 'Create',
			description: 'Have the service deliver events to an address',
			action: 'Create a webhook endpoint',
			fields: [...createFields, onlyParallelItems],
			run: create,
		},
		delete: {
			name: 'Delete',
			description: 'Have the service stop delivering to an endpoint',
			action: 'Delete a webhook endpoint',
			fields: [endpointField('The webhook endpoint to delete'), onlyParallelItems],
			run: remove,
		},
	},
};

const SECRET_NOT_FOUND =
	'The answer has no field that is known to hold the signing secret, so only fields that cannot hold it are shown.';

/** Whether a model reads the output: n8n names a node that it uses as a tool so, or its context tells. */
function isTool({ context }: Run): boolean {
	return context.isToolExecution() || context.getNode().type.endsWith('Tool');
}

async function create(run: Run): Promise<ApiRecord[]> {
	const url = requiredText(run, 'url', 'URL');
	const events = parameter(run, 'events', texts);
	if (!canDeliverTo(url)) {
		throw parameterError(
			run,
			'URL is not an https address.',
			'The service delivers to https addresses alone: enter the URL in full, with https:// in front.',
		);
	}
	if (events.length === 0) {
		throw parameterError(
			run,
			'Events is empty.',
			'Add at least one event type, such as ocpp.message.',
		);
	}
	// Read before anything is sent, in case it cannot be read.
	const include = !isTool(run) && flag(run, 'includeSecret', 'Include Secret', true);
	const made = await run.client.createWebhookEndpoint({ url, events });
	if (include) return [made.record];
	if (made.secret === undefined) run.warn(SECRET_NOT_FOUND);
	return [withoutSecrets(made, { url, events })];
}

async function remove(run: Run): Promise<ApiRecord[]> {
	const { context, itemIndex, client } = run;
	const { record, existed } = await client.deleteWebhookEndpoint(endpointIdOf(run));
	if (existed) return [record];
	const message = 'The service knows no such endpoint.';
	const description =
		'Check the endpoint ID; the endpoint may be deleted already. If the ID is right, check Base URL in the Asset Service API credential.';
	throw new NodeApiError(
		context.getNode(),
		{ message },
		{ message, itemIndex, httpCode: '404', description },
	);
}
