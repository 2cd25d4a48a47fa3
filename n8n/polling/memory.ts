/** The time up to which a node has polled, in the static data of its workflow: in n8n's own database, separate from the ledger. */
import type { IPollFunctions } from 'n8n-workflow';
import type { Memory, Polled } from '../../lib/follow';
import { literal, number, object, safeParse, string } from '../../lib/vendor/zod';

const FIELD = 'polledUntil';

/** By node. Always up to date, whereas n8n decides when it writes static data. */
const kept = new Map<string, Polled>();

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
		...{ as: string(), publishedAt: number(), at: number(), polls: number() },
	});
	const node = JSON.stringify([workflowId, nodeId]);
	const saved = () => safeParse(ours, data[FIELD]).data;
	let isClosed = false;
	return {
		/** Later writes change only the memory of the process. */
		close: () => {
			isClosed = true;
		},
		read: (as) =>
			[kept.get(node), saved()]
				.flatMap((polled) => (polled?.as === as ? [polled] : []))
				.sort((a, b) => b.at - a.at)[0],
		write: (polled) => {
			kept.set(node, polled);
			if (isClosed) return;
			const before = saved();
			const { as, publishedAt, at, polls } = polled;
			// An assignment, even of the same value, makes n8n write all static data of the workflow.
			if (before?.at === at && before.polls === polls && before.as === as) return;
			data[FIELD] = { workflowId, nodeId, as, publishedAt, at, polls };
		},
	};
}
