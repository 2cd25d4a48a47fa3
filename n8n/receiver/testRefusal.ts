/** Shows a person who listens for a test event why a delivery does not start the workflow: as the error of the node. */
import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type IWebhookResponseData,
	NodeOperationError,
} from 'n8n-workflow';
import type { NoStart } from '../../lib/receiver';
import { printable } from '../../lib/shared/printable';

/** The one field of the item by which `webhook` tells `execute`: nothing else reaches it in every process. */
const FIELD = 'deliveryNotTaken';

/** What starts the test of the workflow, for it to end at the trigger. */
export function testRefusal({
	log,
	ignoredBecause,
}: NoStart): Pick<IWebhookResponseData, 'workflowData'> {
	const detail = log?.detail === undefined ? '' : `: ${printable(log.detail, 1000)}`;
	const why = log === undefined ? (ignoredBecause ?? '') : `${log.reason}${detail}`;
	return { workflowData: [[{ json: { [FIELD]: why, refused: log !== undefined } }]] };
}

/** @throws {NodeOperationError} when the item says that the delivery was not taken. */
export function throwTestRefusal(context: IExecuteFunctions): void {
	if (context.getMode() !== 'manual') return;
	const [item] = context.getInputData() as (INodeExecutionData | undefined)[];
	const why = item?.json[FIELD];
	if (typeof why !== 'string') return;
	const isRefused = item?.json['refused'] === true;
	throw new NodeOperationError(
		context.getNode(),
		isRefused ? 'A delivery came and was refused' : 'An event came and was ignored',
		{
			description: isRefused
				? `The reason is ${why}.`
				: `It would not start the workflow, since ${why}.`,
		},
	);
}
