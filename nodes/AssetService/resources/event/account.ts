/** The workflow whose events an operation is about: the ledger, what its triggers have recorded, and whether the operation has access. */
import { NodeOperationError, type INodeProperties } from 'n8n-workflow';
import { readPublication, triggersIn } from '../../../../lib/accounts';
import { LedgerUnavailableError, type Ledger } from '../../../../lib/ledger';
import { printable } from '../../../../lib/shared/text';
import { object, pipe, transform, union } from '../../../../lib/vendor/zod';
import { workflowIdIn } from '../../../../n8n/execution/accountAccess';
import { ledgerFor } from '../../../../n8n/execution/ledger';
import { toNodeError } from '../../../../n8n/log/nodeError';
import { checked, type InputItem, plainText } from '../../shared/operation';

/** A text field: the list of n8n's workflow selector contains only workflows with an Execute Workflow Trigger (2.41). */
export const workflowField: INodeProperties = {
	displayName: 'Workflow ID',
	name: 'workflowId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 8sGJPQxyRsLQ2ZnF',
	description: 'Workflow with the triggers: its ID, or the URL from the address bar of its editor',
	hint: 'Leave empty for the workflow that this node is in',
};

export type Accounts = Awaited<ReturnType<typeof openAccounts>>;

/**
 * `isOwn`: whether it is the workflow that the node is in. `publication` is undefined if no trigger of it has been published.
 * @throws {NodeOperationError} if the workflow does not allow it, or the ledger is not available.
 */
export async function openAccounts(item: InputItem) {
	const { context, itemIndex } = item;
	const workflowId = workflowIdOf(item);
	const { id: callerId = '' } = context.getWorkflow();
	const fail = failureOf(item);
	const ledger = await ledgerOf(item, fail);
	const publication = await readPublication(ledger, workflowId).catch(fail);
	const isSubWorkflow = context.getMode() === 'integrated';
	const triggers = triggersIn(publication);
	const access = triggers.accessFor(workflowId, { workflowId: callerId, isSubWorkflow });
	if (access === 'granted') {
		return { workflowId, isOwn: workflowId === callerId, ledger, publication, triggers };
	}
	const [message, description] = REFUSALS[access](printable(workflowId), printable(callerId));
	throw new NodeOperationError(context.getNode(), message, { itemIndex, description });
}

const OPTION = "'Other Workflows That May Replay' in the options of its triggers";

/** The same for a workflow that does not exist, about which nothing may be learnt either. */
const REFUSALS = {
	denied: (workflowId: string, callerId: string) => [
		`The workflow "${workflowId}" does not give this workflow access to its events`,
		`Check 'Workflow ID'. If it is right, set ${OPTION} to 'Any Workflow', or to 'Selected Workflows' with the ID ${callerId || 'of this workflow'}, and publish it again.`,
	],
	subWorkflow: (workflowId: string) => [
		`A sub-workflow has no access to the events of the workflow "${workflowId}"`,
		`n8n does not show whether a sub-workflow is the stored workflow with its ID. Run this node in a workflow that no other workflow calls, or set ${OPTION} to 'Any Workflow' and publish it again.`,
	],
} satisfies Readonly<Record<string, (workflowId: string, callerId: string) => [string, string]>>;

/** Throws errors of the ledger as errors that say what to do. */
function failureOf({ context, itemIndex }: InputItem): (error: unknown) => never {
	return (error) => {
		if (!(error instanceof LedgerUnavailableError)) throw toNodeError(context.getNode(), error);
		throw new NodeOperationError(
			context.getNode(),
			'The event ledger is not available, so the state of the events is unknown',
			{
				itemIndex,
				description: `${error.message} Nothing was changed. Run the node again when the ledger is available.`,
			},
		);
	};
}

/** The ledger, with such errors. */
async function ledgerOf(
	{ context }: InputItem,
	fail: (error: unknown) => never,
): Promise<Pick<Ledger, 'look' | 'reopen' | 'readRecord' | 'swapRecord'>> {
	const ledger = await ledgerFor(context).catch(fail);
	return {
		look: (key) => ledger.look(key).catch(fail),
		reopen: (...asked) => ledger.reopen(...asked).catch(fail),
		readRecord: (key) => ledger.readRecord(key).catch(fail),
		swapRecord: (...asked) => ledger.swapRecord(...asked).catch(fail),
	};
}

/** An expression may return the value of n8n's workflow selector. */
const workflowId = pipe(
	union([
		plainText,
		pipe(
			object({ value: plainText }),
			transform(({ value }) => value),
		),
	]),
	transform(workflowIdIn),
);

/** The workflow ID in the parameter, or that of this workflow. */
function workflowIdOf(item: InputItem): string {
	const { name, displayName } = workflowField;
	return checked(item, name, displayName, workflowId) || (item.context.getWorkflow().id ?? '');
}
