/** Says of each listed event whether it started a workflow, and so which are missing. Reads alone: nothing is started or written. */
import { NodeOperationError, type INodeProperties } from 'n8n-workflow';
import { eventTypeFilter, readConditions } from '../../../../lib/event';
import { LedgerUnavailableError, type Ledger } from '../../../../lib/ledger';
import { listedStates } from '../../../../lib/poll';
import { LISTS, type ApiRecord } from '../../../../lib/service';
import { printable } from '../../../../lib/shared/printable';
import { safeParse, unknown } from '../../../../lib/vendor/zod';
import { checkConditions, conditionsProperty } from '../../../../n8n/conditions';
import { eventTypeProperties } from '../../../../n8n/eventTypeProperties';
import { ledgerFor } from '../../../../n8n/ledger';
import { toNodeError } from '../../../../n8n/nodeError';
import { eventTypesOf } from '../../shared/eventTypes';
import { onlyParallelItems } from '../../shared/parallelItems';
import { parameter, parameterError, plainText } from '../../shared/parameters';
import type { Operation, Run } from '../../shared/resource';
import { flattener } from '../../shared/simplify';
import { createdAfterField, createdAfterOf } from '../../shared/times';

const DAYS_BACK = 1;

const workflowField: INodeProperties = {
	displayName: 'Workflow ID',
	name: 'workflowId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 8sGJPQxyRsLQ2ZnF',
	description:
		'ID of the workflow that the events start: what follows "/workflow/" in its address in the browser',
	hint: 'Leave empty for the workflow that this node is in',
};

export const reconcile: Operation = {
	name: 'Reconcile',
	description:
		'Compare recent events with what started a workflow, to find those that are missing. Starts nothing.',
	action: 'Reconcile events with a workflow',
	fields: [
		workflowField,
		...eventTypeProperties({
			description: 'Types of the events that start the workflow: pick those of its trigger',
			hint: 'Leave empty for all event types',
		}),
		{
			...conditionsProperty,
			description: 'What the events meet that start the workflow: copy them from its trigger',
		},
		createdAfterField({
			description: 'Only events of this time or later, and those without a time',
			hint: 'Leave empty for the last 24 hours',
		}),
		onlyParallelItems,
	],
	run,
};

const { id, type, createdAt, assetId } = LISTS.event.fields;
const flat = flattener({ id, type, createdAt, assetId });

async function run(item: Run): Promise<ApiRecord[]> {
	const { context, client, warn } = item;
	const workflowId = workflowIdOf(item) || (context.getWorkflow().id ?? '');
	const isWanted = eventTypeFilter(eventTypesOf(item, 'eventTypes'));
	const conditions = readConditions(parameter(item, 'conditions', unknown(), {}));
	checkConditions(context.getNode(), conditions);
	const createdAfter = createdAfterOf(item, DAYS_BACK, Date.now());
	const { listed, withoutId } = await listedStates(
		client.list('event', { createdAfter }),
		{
			ledger: await ledgerOf(item),
			workflowId,
			wanted: { isWanted, conditions },
		},
		(record, { begunAt, ...account }) => ({
			...flat(record),
			...account,
			...(begunAt !== undefined && { begunAt: new Date(begunAt).toISOString() }),
		}),
	);
	if (withoutId > 0) {
		warn(`${withoutId} listed events have no ID that can be read and were left out.`);
	}
	if (listed.length > 0 && listed.every(({ state }) => state === 'missing')) {
		throw new NodeOperationError(
			context.getNode(),
			`No listed event has reached the workflow "${printable(workflowId)}"`,
			{
				itemIndex: item.itemIndex,
				description: `All ${listed.length} listed events are missing. Check "Workflow ID", "Event Types" and "Conditions": they must be those of the workflow that the events start. If they are right, check that the workflow is published and that the service delivers to its production URL.`,
			},
		);
	}
	return listed;
}

/** What reconciling needs of the ledger, with errors that say what to do. */
async function ledgerOf({ context, itemIndex }: Run): Promise<Pick<Ledger, 'look'>> {
	const fail = (error: unknown): never => {
		if (!(error instanceof LedgerUnavailableError)) throw toNodeError(context.getNode(), error);
		throw new NodeOperationError(
			context.getNode(),
			'The ledger of events seen is not available, so nobody knows which events have begun.',
			{
				itemIndex,
				description: `${error.message} Nothing was changed. Execute the node again when the ledger is back.`,
			},
		);
	};
	const ledger = await ledgerFor(context).catch(fail);
	return { look: (key) => ledger.look(key).catch(fail) };
}

function workflowIdOf(item: Run): string {
	const parsed = safeParse(plainText, parameter(item, 'workflowId', unknown()));
	if (parsed.success) return parsed.data;
	throw parameterError(item, 'Workflow ID cannot be read.', 'Check what its expression gives.');
}
