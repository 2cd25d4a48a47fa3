/** Decides whether a workflow may see and replay the events of another one. */
import type { Publication } from './publication';

interface Caller {
	/** The workflow that asks; empty if it was never saved. */
	readonly workflowId: string;
	/**
	 * Whether another workflow started it. n8n does not distinguish a stored sub-workflow from one whose JSON is given inline, which can
	 * carry the ID of any workflow.
	 */
	readonly isSubWorkflow: boolean;
}

/** `subWorkflow`: denied only because it runs as a sub-workflow, whose ID proves nothing. */
export type Access = 'granted' | 'denied' | 'subWorkflow';

/** Where the triggers of the workflow differ, the stricter setting counts; without a record, only the workflow itself has access. */
export function accessOf(
	publication: Publication | undefined,
	workflowId: string,
	{ workflowId: callerId, isSubWorkflow }: Caller,
): Access {
	const settings = Object.values(publication?.triggers ?? {}).map((trigger) => trigger.settings);
	const isOpenToAll =
		settings.length > 0 && settings.every(({ access }) => access === 'anyWorkflow');
	if (isOpenToAll) return 'granted';
	const isSelected = ({ access, accountWorkflowIds }: (typeof settings)[number]) =>
		access === 'anyWorkflow' ||
		(access === 'selectedWorkflows' && accountWorkflowIds.includes(callerId));
	const isNamed =
		callerId !== '' &&
		(callerId === workflowId || (settings.length > 0 && settings.every(isSelected)));
	if (!isNamed) return 'denied';
	return isSubWorkflow ? 'subWorkflow' : 'granted';
}
