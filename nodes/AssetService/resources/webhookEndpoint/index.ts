/** Webhook endpoints: the URLs that the service delivers events to. */
import { NodeApiError } from 'n8n-workflow';
import { type ApiClient, type ApiRecord, DELIVERY, endpointHealth } from '../../../../lib/service';
import { endpointField, endpointIdOf } from '../../shared/ids';
import { hiddenOptions, createdAfterField, createdAfterOf } from '../../shared/parameters';
import type { Changing, Operation, OperationRun, Resource } from '../../shared/resource';
import { create } from './create';

const remove: Changing = {
	name: 'Delete',
	description:
		'Delete a webhook endpoint permanently, so that it gets no more events. Takes an endpoint ID and returns whether it was deleted. An agent must ask the user for confirmation first.',
	action: 'Delete a webhook endpoint',
	fields: [endpointField('The webhook endpoint to delete'), hiddenOptions],
	prepare: prepareDelete,
};

function prepareDelete(item: Parameters<Changing['prepare']>[0]) {
	const endpointId = endpointIdOf(item);
	return async (client: ApiClient): Promise<ApiRecord[]> => {
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
}

const DAYS_BACK = 7;

const getHealth: Operation = {
	name: 'Get Health',
	description:
		'Count recent deliveries to a webhook endpoint and report whether the service is about to stop retrying. Takes an endpoint ID and returns one item.',
	action: 'Get the health of a webhook endpoint',
	fields: [
		endpointField('The webhook endpoint to check'),
		createdAfterField({
			description: 'Only deliveries created at this time or later, and those without a time',
			hint: 'Leave empty for the last 7 days',
		}),
		hiddenOptions,
	],
	run: healthOf,
};

async function healthOf(item: OperationRun): Promise<ApiRecord[]> {
	const endpointId = endpointIdOf(item);
	const now = Date.now();
	const createdAfter = createdAfterOf(item, DAYS_BACK, now);
	const deliveries = item.client.list('delivery', { endpointId, createdAfter });
	const { withoutStatus, ...health } = await endpointHealth(deliveries, now);
	if (withoutStatus > 0) {
		item.warn(
			`Left out ${withoutStatus === 1 ? '1 delivery' : `${withoutStatus.toLocaleString('en')} deliveries`} without the field '${DELIVERY.statusField}'.`,
		);
	}
	return [{ endpointId, createdAfter: new Date(createdAfter).toISOString(), ...health }];
}

export const webhookEndpoint: Resource = {
	name: 'Webhook Endpoint',
	description: 'A URL that the service delivers events to',
	operations: { create, delete: remove, getHealth },
};
