/** Deliveries: the service's attempts to send events to an endpoint, and the list of them for a user to select from. */
import {
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	type INodeProperties,
	NodeOperationError,
} from 'n8n-workflow';
import {
	DELIVERY,
	type ApiRecord,
	flattener,
	idInPath,
	LISTS,
	newest,
	recordsOf,
	statusWords,
} from '../../../lib/service';
import { timeOf } from '../../../lib/shared/time';
import { asText } from '../../../lib/shared/values';
import { parse } from '../../../lib/vendor/zod';
import { apiClientFor } from '../../../n8n/api/apiClient';
import { toNodeError } from '../../../n8n/log/nodeError';
import { endpointField, endpointIdIn, endpointIdOf, located } from '../shared/ids';
import type { Filters } from '../shared/lists';
import {
	hiddenOptions,
	type InputItem,
	parameter,
	parameterError,
	plainText,
	checked,
	type Changing,
	type OperationRun,
} from '../shared/operation';

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

/** Sent as a query, and also filtered here in case the service ignores it. */
function read(run: OperationRun): ReturnType<Filters['read']> {
	const status = checked(run, 'status', 'Status', plainText).toLowerCase();
	if (status === '' || status === 'any') return {};
	let seen = 0;
	let withStatus = 0;
	const known: Readonly<Record<string, string[]>> = statusWords(run.client.serviceInterface);
	const words = Object.hasOwn(known, status) ? (known[status] ?? []) : [status];
	return {
		query: { [DELIVERY.statusField]: words[0] ?? status },
		matching: (record) => {
			const own = record[DELIVERY.statusField];
			seen++;
			if (typeof own !== 'string') return false;
			withStatus++;
			return words.includes(own.toLowerCase());
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
	action: 'Resend a failed delivery to its webhook endpoint, not an event that started a workflow',
	fields: [
		endpointField('The webhook endpoint that the delivery was sent to'),
		deliveryField,
		hiddenOptions,
	],
	prepare: (item) => {
		const deliveryId = deliveryIdOf(item);
		const endpointId = endpointIdOf(item);
		return async (client) => [await client.resendDelivery(endpointId, deliveryId)];
	},
};

export const delivery = { filters, operations: { resend } };

const MOST = 100;
const MOST_SEEN = 2000;
/** Characters of an ID that distinguish deliveries of one second. */
const ID_END = 6;

const flat = flattener(LISTS.delivery.fields);
/** The deliveries of some services contain the event. */
const flatEvent = flattener({
	action: LISTS.event.fields.action,
	assetId: LISTS.event.fields.assetId,
});

/** The newest deliveries to the endpoint of the node, with `filter` in the text that the list shows or in an ID. */
export async function searchDeliveries(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const endpoint = parse(located, this.getCurrentNodeParameter('endpointId'));
	if (endpoint === '') {
		throw new NodeOperationError(this.getNode(), "Fill in 'Endpoint' first");
	}
	const wanted = filter.trim().toLowerCase();
	const matching = (delivery: ApiRecord) => {
		const { id, eventId, eventType, status } = delivery;
		const { action, assetId } = flatEvent(delivery);
		return (
			wanted === '' ||
			[id, eventId, eventType, status, action, assetId].some((value) =>
				asText(value).toLowerCase().includes(wanted),
			)
		);
	};
	try {
		const client = await apiClientFor(this);
		const pages = client.list('delivery', { endpointId: endpointIdIn(endpoint) ?? endpoint });
		const deliveries = recordsOf(pages);
		const found = await newest(deliveries, { most: MOST, mostSeen: MOST_SEEN, matching });
		const timeZone = this.getTimezone();
		return { results: choicesOf(found, timeZone) };
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

/** The list is narrow and cuts off the asset, so lines that look alike before it get the end of the delivery's ID. */
function choicesOf(deliveries: readonly ApiRecord[], timeZone: string) {
	const lines = deliveries.map((delivery) => {
		const { id, eventType, status, createdAt, lastAttemptAt } = flat(delivery);
		const { action, assetId } = flatEvent(delivery);
		const time = timeText(createdAt ?? lastAttemptAt, timeZone);
		// An action implies its event type.
		const line = joined([action ?? eventType, status, time]) || asText(id);
		return { id: asText(id), assetId, line };
	});
	const counts = new Map<string, number>();
	for (const { line } of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
	return lines.map(({ id, assetId, line }) => {
		const end = (counts.get(line) ?? 0) > 1 ? `…${id.slice(-ID_END)}` : '';
		return { name: joined([line, end, assetId]), value: id };
	});
}

function joined(parts: readonly unknown[]): string {
	return parts.filter((part) => typeof part === 'string' && part !== '').join(' · ');
}

/** The time in the time zone of the workflow; other values unchanged. */
function timeText(value: unknown, timeZone: string): unknown {
	const time = timeOf(value);
	return time === undefined ? value : new Date(time).toLocaleString('sv-SE', { timeZone });
}
