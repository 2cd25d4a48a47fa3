import { notePublication, type PublishedSettings } from '../../../lib/accounts';
import { openLedger } from '../../../lib/ledger';

interface Publication extends Partial<PublishedSettings> {
	readonly nodeId?: string;
	/** In Unix milliseconds. */
	readonly at?: number;
	readonly seenAt?: number;
}

/** A trigger of the workflow is published; by default a webhook trigger that wants every event, which any workflow may read. */
export async function publish(workflowId: string, publication: Publication = {}): Promise<void> {
	const { nodeId = 'trigger', at = 0, seenAt = Date.now(), ...settings } = publication;
	await notePublication(await openLedger({ log: () => undefined }), workflowId, {
		...{ nodeId, publishedAt: at, now: seenAt },
		settings: {
			...{ kind: 'webhook', access: 'anyWorkflow', accountWorkflowIds: [] },
			...{ eventTypes: [], conditions: {}, ...settings },
		},
	});
}
