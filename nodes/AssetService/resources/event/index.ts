/**
 * Events: reports from the network in the last 30 days. The service is not known to filter them, so Get Many does. And Get
 * Rejections: why something did not start a workflow, and how far its polling triggers are, for people who cannot see n8n's log.
 */
import { eventTypeFilter } from '../../../../lib/event';
import { REASONS } from '../../../../lib/receiver';
import { DAYS_KEPT, POLL_ADVICE, readPolls } from '../../../../lib/rejections';
import { type ApiRecord, createdAtOf } from '../../../../lib/service';
import { sentence } from '../../../../lib/shared/text';
import { MINUTE_MS } from '../../../../lib/shared/time';
import { asRecord, asText, own } from '../../../../lib/shared/values';
import { unknown } from '../../../../lib/vendor/zod';
import { eventTypeFilters } from '../../../../n8n/fields/eventTypeProperties';
import { rejections } from '../../../../n8n/log/log';
import { hintAt } from '../../../../n8n/log/nodeError';
import { filtersField, type Filters } from '../../shared/lists';
import {
	hiddenOptions,
	type InputItem,
	eventTypesOf,
	collection,
	timeField,
	timeOfField,
	type Operation,
	type OperationRun,
} from '../../shared/operation';
import { type Accounts, openAccounts, workflowField } from './account';
import { reconcile } from './reconcile';
import { replay } from './replay';

const getRejections: Operation = {
	name: 'Get Rejections',
	description: `Find out why a workflow did not start: deliveries of the last ${DAYS_KEPT} days that were rejected or ignored, and what polls left out. Takes a workflow ID and returns one item per trigger and reason, with what to do and the last example, and one per polling trigger with its last poll.`,
	action:
		'Get rejected deliveries and last polls to see why a workflow did not start, not station faults',
	fields: [workflowField, hiddenOptions],
	runLocally,
};

const NONE = `In the last ${DAYS_KEPT} days, no delivery that reached the triggers of this workflow was rejected or ignored. If an event is missing, check that the workflow is published and that the service delivers to its production URL: n8n itself responds with 404 to other URLs, which is not counted.`;
const OWN =
	" Only the workflow that this node is in was checked: if another one has the trigger, enter it in 'Workflow ID'.";

async function runLocally(item: InputItem): Promise<ApiRecord[]> {
	const { context } = item;
	const accounts = await openAccounts(item);
	const { ledger, workflowId, isOwn } = accounts;
	const counts = await rejections.read(ledger, workflowId);
	const polls = await pollsOf(accounts);
	if (counts.length === 0 && polls.length === 0) {
		hintAt(context, [isOwn ? NONE + OWN : NONE], 'info');
	}
	const counted = counts.map(({ reason, count, firstAt, lastAt, ...each }) => {
		const { problem, advice = own(POLL_ADVICE, reason) } = asRecord(own(REASONS, reason));
		return {
			reason,
			count,
			advice: sentence(each.advice ?? asText(advice)),
			lastAt: new Date(lastAt).toISOString(),
			lastDeliveryId: each.deliveryId ?? null,
			lastProblem: sentence(each.problem ?? asText(problem)),
			nodeName: each.nodeName,
			firstAt: new Date(firstAt).toISOString(),
			nodeId: each.nodeId,
			behindMinutes: null,
			stations: null,
		};
	});
	return [...polls, ...counted];
}

/** One item per polling trigger of the workflow, with the fields of the others. */
async function pollsOf({ ledger, workflowId, triggers }: Accounts): Promise<ApiRecord[]> {
	const polling = triggers.all.filter(({ kind }) => kind !== 'webhook');
	return await Promise.all(
		polling.map(async ({ nodeId }) => {
			const { last, behindMs, advice } = await readPolls(ledger, workflowId, nodeId, Date.now());
			return {
				reason: 'polled',
				count: null,
				advice: sentence(advice),
				lastAt: last === undefined ? null : new Date(last.polledAt).toISOString(),
				lastDeliveryId: null,
				lastProblem: null,
				nodeName: last?.nodeName ?? null,
				firstAt: null,
				nodeId,
				behindMinutes: behindMs === undefined ? null : Math.floor(behindMs / MINUTE_MS),
				stations: last?.stations ?? null,
			};
		}),
	);
}

const last = filtersField([
	timeField('createdAfter', { description: 'Only events created at this time or later' }),
	timeField('createdBefore', { description: 'Only events created before this time' }),
	...eventTypeFilters({ description: 'Only events of these types' }),
]);

function read(run: OperationRun): ReturnType<Filters['read']> {
	const given = collection(run, last, {
		eventTypes: unknown(),
		otherEventTypes: unknown(),
		createdAfter: unknown(),
		createdBefore: unknown(),
	});
	const patterns = eventTypesOf(run, 'filters.eventTypes', 'filters.otherEventTypes');
	const after = timeOfField(run, 'Created After', given.createdAfter);
	const before = timeOfField(run, 'Created Before', given.createdBefore);
	if (patterns.length === 0 && after === undefined && before === undefined) return {};
	const isWantedType = eventTypeFilter(patterns);
	const matching = (event: ApiRecord): boolean => {
		const type = event['type'] ?? event['eventType'];
		if (!isWantedType(typeof type === 'string' ? type : undefined)) return false;
		if (after === undefined && before === undefined) return true;
		// An event without a time may be outside the requested range.
		const time = createdAtOf(event) ?? Number.NaN;
		return time >= (after ?? -Infinity) && time < (before ?? Infinity);
	};
	return { matching, ...(after !== undefined && { createdAfter: after }) };
}

const filters: Filters = { last, read };

export const event = { filters, operations: { reconcile, replay, getRejections } };
