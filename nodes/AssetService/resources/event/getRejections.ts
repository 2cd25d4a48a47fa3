/** Shows why something did not start a workflow, and how far its polling triggers are, for people who cannot see n8n's log. */
import { ADVICE, PROBLEMS } from '../../../../lib/receiver';
import { DAYS_KEPT, POLL_ADVICE, readPolls } from '../../../../lib/rejections';
import type { ApiRecord } from '../../../../lib/service';
import { sentence } from '../../../../lib/shared/text';
import { MINUTE_MS } from '../../../../lib/shared/time';
import { asText, own } from '../../../../lib/shared/values';
import { rejections } from '../../../../n8n/log/log';
import { hiddenOptions, type InputItem } from '../../shared/parameters';
import type { Local } from '../../shared/resource';
import { type Accounts, openAccounts, workflowField } from './account';

export const getRejections: Local = {
	name: 'Get Rejections',
	description: `Find out why a workflow did not start: deliveries of the last ${DAYS_KEPT} days that were rejected or ignored, and what polls left out. Takes a workflow ID and returns one item per trigger and reason, with what to do and the last example, and one per polling trigger with its last poll.`,
	action: 'Get rejected deliveries and the last polls',
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
		const message = isOwn ? NONE + OWN : NONE;
		context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
	}
	const counted = counts.map(({ reason, count, firstAt, lastAt, ...each }) => ({
		reason,
		count,
		advice: sentence(each.advice ?? asText(own(ADVICE, reason) ?? own(POLL_ADVICE, reason))),
		lastAt: new Date(lastAt).toISOString(),
		lastDeliveryId: each.deliveryId ?? null,
		lastProblem: sentence(each.problem ?? asText(own(PROBLEMS, reason))),
		nodeName: each.nodeName,
		firstAt: new Date(firstAt).toISOString(),
		nodeId: each.nodeId,
		...{ behindMinutes: null, stations: null },
	}));
	return [...polls, ...counted];
}

/** One item per polling trigger of the workflow, with the fields of the others. */
async function pollsOf({ ledger, workflowId, triggers }: Accounts): Promise<ApiRecord[]> {
	const polling = triggers.all.filter(({ kind }) => kind !== 'webhook');
	return await Promise.all(
		polling.map(async ({ nodeId }) => {
			const { last, behindMs, advice } = await readPolls(ledger, workflowId, nodeId, Date.now());
			return {
				...{ reason: 'polled', count: null, advice: sentence(advice) },
				lastAt: last === undefined ? null : new Date(last.polledAt).toISOString(),
				...{ lastDeliveryId: null, lastProblem: null },
				...{ nodeName: last?.nodeName ?? null, firstAt: null, nodeId },
				behindMinutes: behindMs === undefined ? null : Math.floor(behindMs / MINUTE_MS),
				stations: last?.stations ?? null,
			};
		}),
	);
}
