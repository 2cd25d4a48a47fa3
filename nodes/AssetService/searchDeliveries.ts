/** Loads the list of deliveries for a person to select from. */
import {
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	NodeOperationError,
} from 'n8n-workflow';
import { LISTS, newest, type ApiRecord } from '../../lib/service';
import { timeOf } from '../../lib/shared/timeOf';
import { asText } from '../../lib/shared/values';
import { parse } from '../../lib/vendor/zod';
import { apiClientFor } from '../../n8n/apiClient';
import { toNodeError } from '../../n8n/nodeError';
import { endpointIdIn, located } from './shared/ids';
import { flattener } from './shared/simplify';

const MOST = 100;
const MOST_SEEN = 2000;

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
		const deliveries = client.list('delivery', { endpointId: endpointIdIn(endpoint) ?? endpoint });
		const found = await newest(deliveries, { most: MOST, mostSeen: MOST_SEEN, matching });
		const timeZone = this.getTimezone();
		return { results: found.map((delivery) => choiceOf(delivery, timeZone)) };
	} catch (error) {
		throw toNodeError(this.getNode(), error);
	}
}

function choiceOf(delivery: ApiRecord, timeZone: string) {
	const { id, eventType, status, createdAt, lastAttemptAt } = flat(delivery);
	const { action, assetId } = flatEvent(delivery);
	const time = timeText(createdAt ?? lastAttemptAt, timeZone);
	// The list is narrow: an action implies its event type.
	const known = [action ?? eventType, status, time, assetId].filter(
		(part) => typeof part === 'string' && part !== '',
	);
	return { name: known.join(' · ') || asText(id), value: asText(id) };
}

/** The time in the time zone of the workflow; other values unchanged. */
function timeText(value: unknown, timeZone: string): unknown {
	const time = timeOf(value);
	return time === undefined ? value : new Date(time).toLocaleString('sv-SE', { timeZone });
}
