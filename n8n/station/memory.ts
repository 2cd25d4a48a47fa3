/** Up to when everything about the stations is known, in the static data of the workflow: in n8n's own database, separate from the ledger. */
import type { IPollFunctions } from 'n8n-workflow';
import type { KnownUntil, Memory } from '../../lib/station';
import { literal, number, object, safeParse, string } from '../../lib/vendor/zod';

const FIELD = 'stationsUntil';

/** By node. Always up to date, whereas n8n writes static data only with executions. */
const kept = new Map<string, KnownUntil>();

/** A copy of the workflow includes the static data, so it names its node. */
export function stationMemory(context: IPollFunctions): Memory & { close(): void } {
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId } = context.getNode();
	const node = JSON.stringify([workflowId, nodeId]);
	// Read within the poll: later n8n may refuse it.
	const data = context.getWorkflowStaticData('node');
	const ours = object({
		workflowId: literal(workflowId),
		nodeId: literal(nodeId),
		digest: string(),
		publishedAt: number(),
		watermark: number(),
	});
	let isClosed = false;
	return {
		/** Later writes change only the memory of the process. */
		close: () => {
			isClosed = true;
		},
		read: () => {
			const saved = safeParse(ours, data[FIELD]).data;
			const known = kept.get(node);
			return (known?.watermark ?? -1) >= (saved?.watermark ?? -1) ? known : saved;
		},
		write: (known) => {
			kept.set(node, known);
			if (!isClosed) data[FIELD] = { workflowId, nodeId, ...known };
		},
	};
}
