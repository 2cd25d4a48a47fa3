/** Deletes a webhook endpoint. */
import { NodeApiError } from 'n8n-workflow';
import type { ApiRecord } from '../../../../lib/service';
import { endpointField, endpointIdOf } from '../../shared/endpointId';
import { onlyParallelItems } from '../../shared/parallelItems';
import type { Operation, Run } from '../resource';

export const remove: Operation = {
	name: 'Delete',
	description: 'Have the service stop delivering to an endpoint',
	action: 'Delete a webhook endpoint',
	fields: [endpointField('The webhook endpoint to delete'), onlyParallelItems],
	run,
};

async function run(item: Run): Promise<ApiRecord[]> {
	const { context, itemIndex, client } = item;
	const { record, existed } = await client.deleteWebhookEndpoint(endpointIdOf(item));
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
