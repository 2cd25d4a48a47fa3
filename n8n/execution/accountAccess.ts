/** The option that says which other workflows may see and replay the events of a trigger, and its record in the ledger. */
import type { IHookFunctions, INodeProperties, IPollFunctions, Workflow } from 'n8n-workflow';
import { notePublication, type PublishedSettings } from '../../lib/accounts';
import { readEventTypes } from '../../lib/event';
import type { Records } from '../../lib/ledger';
import { asRecord, asTexts, textOf } from '../../lib/shared/values';

/** For the options of a trigger. In the words of n8n's own setting 'This workflow can be called by'. */
export const accountAccessOptions: INodeProperties[] = [
	{
		displayName: 'Other Workflows That May Replay',
		name: 'accountAccess',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Any Workflow',
				value: 'anyWorkflow',
				description: 'Also sub-workflows, and workflows of other users of this n8n instance',
			},
			{ name: 'Selected Workflows', value: 'selectedWorkflows' },
			{ name: 'This Workflow', value: 'thisWorkflow' },
		],
		default: 'thisWorkflow',
		description:
			'Which other workflows may reconcile and replay the events of this workflow and read its rejections. If its triggers differ, the stricter setting counts.',
	},
	{
		displayName: 'Workflow IDs',
		name: 'accountWorkflowIds',
		type: 'string',
		noDataExpression: true,
		displayOptions: { show: { accountAccess: ['selectedWorkflows'] } },
		default: '',
		placeholder: 'e.g. 8sGJPQxyRsLQ2ZnF, f3K1rT8oBvWmZx0Q',
		description: 'IDs or URLs of the workflows, separated by commas',
	},
];

type AccessContext = Pick<
	IHookFunctions | IPollFunctions,
	'getNode' | 'getWorkflow' | 'getNodeParameter'
>;

/** The settings of a trigger that the action node needs to know. */
export function triggerSettingsOf(
	context: AccessContext,
	kind: PublishedSettings['kind'],
): PublishedSettings {
	const read = (name: string, fallback: unknown): unknown =>
		context.getNodeParameter(name, fallback);
	const { accountAccess, accountWorkflowIds } = asRecord(read('options', {}));
	return {
		kind,
		access: accessIn(accountAccess),
		accountWorkflowIds: asTexts(textOf(accountWorkflowIds) ?? '')
			.flatMap((text) => text.split(/\s/))
			.filter((text) => text !== '')
			.map(workflowIdIn),
		eventTypes: readEventTypes(read).filter((pattern) => pattern.trim() !== ''),
		conditions: read('conditions', {}),
	};
}

function accessIn(value: unknown): PublishedSettings['access'] {
	return value === 'anyWorkflow' || value === 'selectedWorkflows' ? value : 'thisWorkflow';
}

/**
 * Records in the ledger that the trigger is published. `publishedAt` is in Unix milliseconds; 0 for all retained events.
 * `watches`: the settings of a station trigger.
 */
export async function recordPublication(
	context: AccessContext,
	records: Records,
	kind: PublishedSettings['kind'],
	publishedAt: number,
	watches?: unknown,
): Promise<void> {
	const { id: workflowId } = context.getWorkflow();
	if (workflowId === undefined) return;
	await notePublication(records, workflowId, {
		nodeId: context.getNode().id,
		settings: { ...triggerSettingsOf(context, kind), ...(watches !== undefined && { watches }) },
		publishedAt,
		now: Date.now(),
		nodeIds: nodeIdsOf(context),
	});
}

/** The nodes of the workflow that are not disabled. n8n's types do not show them, so they may be unknown. */
function nodeIdsOf(context: object): Set<string> | undefined {
	const { workflow } = context as { readonly workflow?: Partial<Pick<Workflow, 'nodes'>> };
	if (workflow?.nodes === undefined) return undefined;
	const nodes = Object.values(workflow.nodes).filter(({ disabled }) => disabled !== true);
	return new Set(nodes.map(({ id }) => id));
}

/** The ID of a workflow that a user entered: that in the URL of its editor, or the text itself. */
export function workflowIdIn(idOrUrl: string): string {
	return /\/workflow\/([^/?#]+)/.exec(idOrUrl)?.[1] ?? idOrUrl;
}
