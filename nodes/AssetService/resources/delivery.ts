/** Deliveries: the service's attempts to bring events to an endpoint. */
import type { INodeProperties } from 'n8n-workflow';
import { DELIVERY_STATUS_FIELD, type ApiClient, type ApiRecord } from '../../../lib/service';
import { safeParse, unknown } from '../../../lib/vendor/zod';
import { deliveryField, deliveryIdOf } from '../shared/deliveryId';
import { endpointField, endpointIdOf } from '../shared/endpointId';
import { listFields, listOptions } from '../shared/listFields';
import { listOptionsOf } from '../shared/listRequest';
import { onlyParallelChanges } from '../shared/parallelItems';
import { type InputItem, parameter, parameterError, plainText } from '../shared/parameters';
import type { Resource, Run } from '../shared/resource';
import { DELIVERY_SHAPE, simplifier, simplifyField } from '../shared/simplify';

const endpoint = endpointField('The webhook endpoint that the deliveries go to');

const statusField: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	options: [
		{ name: 'Any', value: 'any', description: 'All deliveries' },
		{ name: 'Failed', value: 'failed', description: 'Deliveries without a 2xx answer so far' },
		{ name: 'Success', value: 'success', description: 'Deliveries with a 2xx answer' },
	],
	default: 'any',
	description: 'Which deliveries to return',
};

export const delivery: Resource = {
	name: 'Delivery',
	description: 'An attempt to bring an event to a webhook endpoint',
	operations: {
		getAll: {
			name: 'Get Many',
			description: 'List recent deliveries to an endpoint, which the service keeps for 30 days',
			action: 'Get many deliveries',
			fields: [endpoint, statusField, ...listFields, simplifyField, listOptions],
			run: getAll,
		},
		resend: {
			name: 'Resend',
			description: 'Have the service deliver the same event again',
			action: 'Resend a delivery',
			fields: [endpoint, deliveryField, onlyParallelChanges],
			prepare: resend,
		},
	},
};

function resend(item: InputItem) {
	const deliveryId = deliveryIdOf(item);
	const endpointId = endpointIdOf(item);
	return async (client: ApiClient): Promise<ApiRecord[]> => [
		await client.resendDelivery(endpointId, deliveryId),
	];
}

function statusOf(run: Run): string {
	const parsed = safeParse(plainText, parameter(run, 'status', unknown()));
	if (parsed.success) return parsed.data.toLowerCase();
	throw parameterError(run, 'Status cannot be read.', 'Choose a status, or enter one as text.');
}

async function getAll(run: Run): Promise<ApiRecord[]> {
	const { client, warn } = run;
	const endpointId = endpointIdOf(run);
	const status = statusOf(run);
	const simplified = simplifier(run, DELIVERY_SHAPE);
	if (status === '' || status === 'any') {
		return await Array.fromAsync(client.listDeliveries(endpointId, listOptionsOf(run)), simplified);
	}
	// Sent for a service that filters by it, and filtered here for one that does not.
	const options = listOptionsOf(run, { [DELIVERY_STATUS_FIELD]: status });
	let seen = 0;
	let withStatus = 0;
	// Checked by hand, as this runs for every record.
	const matching = (record: ApiRecord): boolean => {
		const own = record[DELIVERY_STATUS_FIELD];
		seen++;
		if (typeof own !== 'string') return false;
		withStatus++;
		return own.toLowerCase() === status;
	};
	const records = await Array.fromAsync(
		client.listDeliveries(endpointId, { ...options, matching }),
		simplified,
	);
	if (seen > 0 && withStatus === 0) {
		warn(`The deliveries have no field “${DELIVERY_STATUS_FIELD}” to filter by: none is returned.`);
	}
	return records;
}
