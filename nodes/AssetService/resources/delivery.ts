/** Deliveries: the service's attempts to send events to an endpoint. */
import type { INodeProperties } from 'n8n-workflow';
import { DELIVERY, type ApiClient, type ApiRecord, idInPath } from '../../../lib/service';
import { safeParse, unknown } from '../../../lib/vendor/zod';
import { endpointField, endpointIdOf, located } from '../shared/ids';
import type { Filters } from '../shared/lists';
import {
	hiddenOptions,
	type InputItem,
	parameter,
	parameterError,
	plainText,
	wrongKindError,
} from '../shared/parameters';
import type { Changing, OperationRun } from '../shared/resource';

const statusField: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	options: [
		{ name: 'Any', value: 'any', description: 'All deliveries' },
		{ name: 'Failed', value: 'failed', description: 'Deliveries without a 2xx response so far' },
		{ name: 'Success', value: 'success', description: 'Deliveries with a 2xx response' },
	],
	default: 'any',
	description: 'Only deliveries with this status',
};

const deliveryField: INodeProperties = {
	displayName: 'Delivery',
	name: 'deliveryId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The delivery to resend',
	// The list depends on the endpoint.
	typeOptions: { loadOptionsDependsOn: ['endpointId.value'] },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a delivery...',
			hint: 'Deliveries to the endpoint above, newest first',
			typeOptions: { searchListMethod: 'searchDeliveries', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. whdel_01HZX3',
		},
	],
};

/** The ID of the delivery. Throws a `NodeOperationError` if there is none. */
function deliveryIdOf(item: InputItem): string {
	const id = parameter(item, 'deliveryId', located);
	if (id === '') {
		throw parameterError(
			item,
			"'Delivery' is empty",
			'Select a delivery from the list, or enter its ID.',
		);
	}
	idInPath(id, 'Delivery ID');
	return id;
}

function prepare(item: InputItem) {
	const deliveryId = deliveryIdOf(item);
	const endpointId = endpointIdOf(item);
	return async (client: ApiClient): Promise<ApiRecord[]> => [
		await client.resendDelivery(endpointId, deliveryId),
	];
}

function statusOf(run: OperationRun): string {
	const given = parameter(run, 'status', unknown());
	const parsed = safeParse(plainText, given);
	if (parsed.success) return parsed.data.toLowerCase();
	throw wrongKindError(run, 'Status', given);
}

/** Sent as a query, and also filtered here in case the service ignores it. */
function read(run: OperationRun): ReturnType<Filters['read']> {
	const status = statusOf(run);
	if (status === '' || status === 'any') return {};
	let seen = 0;
	let withStatus = 0;
	return {
		query: { [DELIVERY.statusField]: status },
		// Checked by hand, because this runs for every record.
		matching: (record) => {
			const own = record[DELIVERY.statusField];
			seen++;
			if (typeof own !== 'string') return false;
			withStatus++;
			return own.toLowerCase() === status;
		},
		afterwards: () => {
			if (seen === 0 || withStatus > 0) return;
			run.warn(
				`The deliveries have no field '${DELIVERY.statusField}' to filter by, so none is returned.`,
			);
		},
	};
}

const filters: Filters = { first: statusField, read };

const resend: Changing = {
	name: 'Resend',
	description:
		'Resend a delivery to its webhook endpoint, where the event can start a workflow. Takes an endpoint ID and a delivery ID and returns the response of the service.',
	action: 'Resend a delivery',
	fields: [
		endpointField('The webhook endpoint that the delivery was sent to'),
		deliveryField,
		hiddenOptions,
	],
	prepare,
};

export const delivery = { filters, operations: { resend } };
