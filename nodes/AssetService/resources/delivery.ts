/** Deliveries: the service's attempts to bring events to an endpoint. */
import { DELIVERY_STATUS_FIELD, type ApiRecord } from '../../../lib/service';
import { endpointField, endpointIdOf } from '../shared/endpointId';
import { collected, listFields, listOptions, listOptionsOf } from '../shared/listing';
import { requiredText, textParameter } from '../shared/parameters';
import type { Resource, Run } from './resource';

const show = { resource: ['delivery'] };

export const delivery: Resource = {
	properties: [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show },
			options: [
				{
					name: 'Get Many',
					value: 'getAll',
					description: 'List recent deliveries to an endpoint, which the service keeps for 30 days',
					action: 'Get many deliveries',
				},
				{
					name: 'Resend',
					value: 'resend',
					description: 'Have the service deliver the same event again',
					action: 'Resend a delivery',
				},
			],
			default: 'getAll',
		},
		endpointField(
			'delivery',
			['getAll', 'resend'],
			'The webhook endpoint that the deliveries go to',
		),
		{
			displayName: 'Delivery ID',
			name: 'deliveryId',
			type: 'string',
			required: true,
			default: '',
			displayOptions: { show: { ...show, operation: ['resend'] } },
			description: 'ID of the delivery to send again',
		},
		{
			displayName: 'Status',
			name: 'status',
			type: 'options',
			options: [
				{ name: 'Any', value: 'any', description: 'All deliveries' },
				{ name: 'Failed', value: 'failed', description: 'Deliveries without a 2xx answer so far' },
				{ name: 'Success', value: 'success', description: 'Deliveries with a 2xx answer' },
			],
			default: 'any',
			displayOptions: { show: { ...show, operation: ['getAll'] } },
			description: 'Which deliveries to return',
		},
		...listFields('delivery'),
		listOptions('delivery'),
	],
	run: async (operation, run) => (operation === 'resend' ? [await resend(run)] : await getAll(run)),
};

async function resend(run: Run): Promise<ApiRecord> {
	const { context, itemIndex, client } = run;
	const deliveryId = requiredText(context, 'deliveryId', 'Delivery ID', itemIndex);
	return await client.resendDelivery(endpointIdOf(run), deliveryId);
}

async function getAll(run: Run): Promise<ApiRecord[]> {
	const { context, itemIndex, client, warn } = run;
	const endpointId = endpointIdOf(run);
	const status = textParameter(context, 'status', itemIndex).toLowerCase();
	if (status === '' || status === 'any') {
		return await collected(client.listDeliveries(endpointId, listOptionsOf(run)));
	}
	// Sent for a service that filters by it, and filtered here for one that does not.
	const options = listOptionsOf(run, { [DELIVERY_STATUS_FIELD]: status });
	let seen = 0;
	let withStatus = 0;
	const matching = (record: ApiRecord): boolean => {
		const of = record[DELIVERY_STATUS_FIELD];
		seen++;
		if (typeof of === 'string') withStatus++;
		return typeof of === 'string' && of.toLowerCase() === status;
	};
	const records = await collected(client.listDeliveries(endpointId, { ...options, matching }));
	if (seen > 0 && withStatus === 0) {
		warn(`The deliveries have no field “${DELIVERY_STATUS_FIELD}” to filter by: none is returned.`);
	}
	return records;
}
