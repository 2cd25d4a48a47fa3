/** Deletes a webhook endpoint. */
import { NodeApiError } from 'n8n-workflow';
import type { ApiClient, ApiRecord } from '../../../../lib/service';
import { endpointField, endpointIdOf } from '../../shared/ids';
import { hiddenOptions } from '../../shared/parameters';
import type { Changing } from '../../shared/resource';

export const remove: Changing = {
	name: 'Delete',
	description:
		'Delete a webhook endpoint permanently, so that it gets no more events. Takes an endpoint ID and returns whether it was deleted. An agent must ask the user for confirmation first.',
	action: 'Delete a webhook endpoint',
	fields: [endpointField('The webhook endpoint to delete'), hiddenOptions],
	prepare,
};

function prepare(item: Parameters<Changing['prepare']>[0]) {
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
