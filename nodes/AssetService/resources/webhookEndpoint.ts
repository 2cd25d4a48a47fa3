/** Webhook endpoints: where the service delivers events to. */
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { createRedactor, ENDPOINT_FIELDS, isLoopback, type ApiRecord } from '../../../lib/service';
import { endpointField, endpointIdOf } from '../shared/endpointId';
import { requiredText, textsParameter } from '../shared/parameters';
import { isRecord } from '../../../lib/shared/values';
import type { Resource, Run } from './resource';

const show = { resource: ['webhookEndpoint'] };
const showCreate = { ...show, operation: ['create'] };

export const webhookEndpoint: Resource = {
	properties: [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show },
			options: [
				{
					name: 'Create',
					value: 'create',
					description: 'Have the service deliver events to an address',
					action: 'Create a webhook endpoint',
				},
				{
					name: 'Delete',
					value: 'delete',
					description: 'Have the service stop delivering to an endpoint',
					action: 'Delete a webhook endpoint',
				},
			],
			default: 'create',
		},
		{
			displayName: 'URL',
			name: 'url',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://n8n.example.com/webhook/…',
			displayOptions: { show: showCreate },
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
			displayOptions: { show: showCreate },
			description:
				'Types of the events to deliver. Known types are ocpp.message and asset.connectivity.',
		},
		{
			displayName:
				'The service shows the signing secret of a new endpoint this once. n8n stores the output of this node with the execution, where everyone who may see the execution can read it: keep the secret in a credential and delete the execution, or turn off Include Secret.',
			name: 'secretNotice',
			type: 'notice',
			default: '',
			displayOptions: { show: showCreate },
		},
		{
			displayName: 'Include Secret',
			name: 'includeSecret',
			type: 'boolean',
			default: true,
			displayOptions: { show: showCreate },
			description:
				'Whether to put the signing secret into the output. Without it nobody ever learns the secret of this endpoint.',
		},
		endpointField('webhookEndpoint', ['delete'], 'The webhook endpoint to delete'),
	],
	run: async (operation, run) =>
		operation === 'delete' ? [await remove(run)] : [await create(run)],
};

async function create(run: Run): Promise<ApiRecord> {
	const { context, itemIndex, client } = run;
	const url = requiredText(context, 'url', 'URL', itemIndex);
	const events = textsParameter(context, 'events', itemIndex);
	const refuse = (message: string, description: string) =>
		new NodeOperationError(context.getNode(), message, { itemIndex, description });
	if (!deliverable(url)) {
		throw refuse(
			'URL is not an https address.',
			'The service delivers to https addresses alone: enter the URL in full, with https:// in front.',
		);
	}
	if (events.length === 0) {
		throw refuse('Events is empty.', 'Add at least one event type, such as ocpp.message.');
	}
	const { record, secret } = await client.createWebhookEndpoint({ url, events });
	const include = context.getNodeParameter('includeSecret', itemIndex, true) !== false;
	return include || secret === undefined ? record : withoutSecret(record, secret);
}

async function remove(run: Run): Promise<ApiRecord> {
	const { context, itemIndex, client } = run;
	const { record, existed } = await client.deleteWebhookEndpoint(endpointIdOf(run));
	if (existed) return record;
	const message = 'The service knows no such endpoint.';
	throw new NodeApiError(
		context.getNode(),
		{ message },
		{
			message,
			itemIndex,
			httpCode: '404',
			description:
				'Check the endpoint ID; the endpoint may be deleted already. If the ID is right, check Base URL in the Asset Service API credential.',
		},
	);
}

/** Specification section 6: https in production; plain http is left to this machine, for trying things out. */
function deliverable(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const { protocol, hostname } = new URL(text);
	return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** The record without the field of the secret, and without the secret wherever else it stands. */
function withoutSecret(record: ApiRecord, secret: string): ApiRecord {
	const redactor = createRedactor(secret);
	const clean = (value: unknown): unknown => {
		if (typeof value === 'string') return redactor.redact(value);
		if (Array.isArray(value)) return value.map(clean);
		if (!isRecord(value)) return value;
		return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, clean(inner)]));
	};
	const rest = Object.entries(record).filter(([name]) => name !== ENDPOINT_FIELDS.secret);
	return Object.fromEntries(rest.map(([name, value]) => [name, clean(value)]));
}
