/** Counts the deliveries that did not start a workflow, for this process of n8n. */
import type { IWebhookFunctions } from 'n8n-workflow';
import type { Wanted } from '../../lib/event';
import {
	ADVICE,
	deliveryIdOf,
	type NoStart,
	type RefusalLog,
	UNMET_ADVICE,
} from '../../lib/receiver';
import type { DeliveryHeaders } from '../../lib/signature';
import { ledgerFor } from '../execution/ledger';
import { rejections } from '../log/rejections';

/** The advice for a problem that contains its own. */
const AS_IT_SAYS = 'do what lastProblem says';

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
	rejections.count({ workflowId, nodeId, nodeName }, reason, () => ledgerFor({ logger }), {
		deliveryId: deliveryIdOf(headers),
		// The condition, but not the value that did not meet it: that is part of the event.
		...(unmet
			? { problem: `it does not meet the condition '${unmet}'`, advice: UNMET_ADVICE }
			: log && causeOf(log)),
	});
}

function causeOf({ reason, detail, cause }: RefusalLog): RefusalLog['cause'] {
	if (cause !== undefined || detail === ADVICE[reason]) return cause;
	return { problem: detail, advice: AS_IT_SAYS };
}
