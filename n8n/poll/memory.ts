/** The time up to which a node has polled, in the static data of its workflow: in n8n's own database, separate from the ledger. */
import type { IPollFunctions } from 'n8n-workflow';
import type { Memory } from '../../lib/poll';
import { enum as oneOf, literal, number, object, safeParse } from '../../lib/vendor/zod';

const FIELD = 'polledUntil';

/**
 * n8n saves static data when a workflow has been published and with each execution that a poll starts, but not after a
 * poll that starts nothing. A copy of the workflow includes the static data, so it names its node.
 */
export function staticMemory(context: IPollFunctions): Memory & { close(): void } {
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId } = context.getNode();
	// Read within the poll: later n8n may refuse it.
	const data = context.getWorkflowStaticData('node');
	const ours = object({
		workflowId: literal(workflowId),
		nodeId: literal(nodeId),
		startFrom: oneOf(['now', 'retained']),
		at: number(),
		polls: number(),
	});
	let isClosed = false;
	return {
		/** Ignores later writes. */
		close: () => {
			isClosed = true;
		},
		read: () => safeParse(ours, data[FIELD]).data,
		write: (until) => {
			const kept = safeParse(ours, data[FIELD]).data;
			if (isClosed) return;
			// An assignment, even of the same value, makes n8n write all static data of the workflow.
			const { startFrom, at, polls } = until;
			if (kept?.at === at && kept.polls === polls && kept.startFrom === startFrom) return;
			data[FIELD] = { workflowId, nodeId, ...until };
		},
	};
}
