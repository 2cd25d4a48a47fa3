/** Counts the deliveries that did not start a workflow, for this process of n8n. */
import type { IWebhookFunctions } from 'n8n-workflow';
import type { Wanted } from '../lib/event';
import { ADVICE, deliveryIdOf, type NoStart } from '../lib/receiver';
import { RejectionCounter } from '../lib/rejections';
import type { DeliveryHeaders } from '../lib/signature';
import { ledgerFor } from './ledger';

/** One per process. */
export const rejections = new RejectionCounter();

// Only next to n8n's own listeners: without them, a listener added here would keep the signal from ending the process.
for (const signal of ['SIGTERM', 'SIGINT']) {
	if (process.listenerCount(signal) > 0) process.once(signal, () => void rejections.flush());
}

/** Counts a rejected delivery or an ignored event; a duplicate is neither. */
export function countRejection(
	context: Pick<IWebhookFunctions, 'getNode' | 'getWorkflow' | 'logger'>,
	{ log, ignored }: NoStart,
	{ headers, wanted }: { readonly headers: DeliveryHeaders; readonly wanted: Wanted },
): void {
	const reason = log?.reason ?? (ignored && 'ignored');
	if (reason === undefined) return;
	const { id: nodeId, name: nodeName } = context.getNode();
	const { id: workflowId = '' } = context.getWorkflow();
	const { logger } = context;
	const unmet =
		ignored && wanted.isWantedType(ignored.type) && wanted.conditions.unmet(ignored.record);
	const detail = log?.detail === ADVICE[reason] ? undefined : log?.detail;
	rejections.count({ workflowId, nodeId, nodeName }, reason, () => ledgerFor({ logger }), {
		deliveryId: deliveryIdOf(headers),
		// The condition, but not the value that did not meet it: that is part of the event.
		problem: unmet ? `it does not meet the condition '${unmet}'` : detail,
	});
}
