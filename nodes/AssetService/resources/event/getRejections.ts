/** Shows why deliveries did not start a workflow, for people who cannot see n8n's log. */
import { ADVICE, PROBLEMS } from '../../../../lib/receiver';
import { DAYS_KEPT } from '../../../../lib/rejections';
import type { ApiRecord } from '../../../../lib/service';
import { sentence } from '../../../../lib/shared/sentence';
import { asText, own } from '../../../../lib/shared/values';
import { rejections } from '../../../../n8n/webhook/rejections';
import { onlyParallelItems } from '../../shared/parallelItems';
import type { InputItem } from '../../shared/parameters';
import type { Local } from '../../shared/resource';
import { openAccounts, workflowField } from './account';

export const getRejections: Local = {
	name: 'Get Rejections',
	description: `Count the deliveries of the last ${DAYS_KEPT} days that were rejected or ignored. Takes a workflow ID and returns one item per trigger and reason, with what to do and the last example.`,
	action: 'Get rejected and ignored deliveries',
	fields: [workflowField, onlyParallelItems],
	runLocally,
};

const NONE = `In the last ${DAYS_KEPT} days, no delivery that reached the triggers of this workflow was rejected or ignored. If an event is missing, check that the workflow is published and that the service delivers to its production URL: n8n itself responds with 404 to other URLs, which is not counted.`;
const OWN =
	" Only the workflow that this node is in was checked: if another one has the trigger, enter it in 'Workflow ID'.";

async function runLocally(item: InputItem): Promise<ApiRecord[]> {
	const { context } = item;
	const { ledger, workflowId, isOwn } = await openAccounts(item);
	const counts = await rejections.read(ledger, workflowId);
	if (counts.length === 0) {
		const message = isOwn ? NONE + OWN : NONE;
		context.addExecutionHints({ message, type: 'info', location: 'outputPane' });
	}
	return counts.map(({ reason, count, firstAt, lastAt, ...each }) => ({
		reason,
		count,
		advice: sentence(each.advice ?? asText(own(ADVICE, reason))),
		lastAt: new Date(lastAt).toISOString(),
		lastDeliveryId: each.deliveryId ?? null,
		lastProblem: sentence(each.problem ?? asText(own(PROBLEMS, reason))),
		nodeName: each.nodeName,
		firstAt: new Date(firstAt).toISOString(),
		nodeId: each.nodeId,
	}));
}
