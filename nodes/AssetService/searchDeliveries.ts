/** Loads the list of deliveries for a user to select from. */
import {
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	NodeOperationError,
} from 'n8n-workflow';
import { type ApiRecord, flattener, LISTS, newest } from '../../lib/service';
import { timeOf } from '../../lib/shared/time';
import { asText } from '../../lib/shared/values';
import { parse } from '../../lib/vendor/zod';
import { apiClientFor } from '../../n8n/api/apiClient';
import { toNodeError } from '../../n8n/log/nodeError';
import { endpointIdIn, located } from './shared/ids';

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
		const deliveries = client.list('delivery', { endpointId: endpointIdIn(endpoint) ?? endpoint });
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
