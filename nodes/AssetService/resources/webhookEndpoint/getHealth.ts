/** Reports the state of deliveries to an endpoint, before the service stops delivering to it. */
import { DELIVERY, endpointHealth, type ApiRecord } from '../../../../lib/service';
import { endpointField, endpointIdOf } from '../../shared/ids';
import { hiddenOptions, createdAfterField, createdAfterOf } from '../../shared/parameters';
import type { Operation, OperationRun } from '../../shared/resource';

const DAYS_BACK = 7;

export const getHealth: Operation = {
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
	run,
};

async function run(item: OperationRun): Promise<ApiRecord[]> {
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
