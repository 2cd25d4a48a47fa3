/** Says of each listed event whether it started a workflow, and so which are missing. Reads alone: nothing is started or written. */
import { NodeOperationError, type INodeProperties } from 'n8n-workflow';
import { LedgerUnavailableError, type Ledger } from '../../../../lib/ledger';
import { eventTypeFilter, readConditions } from '../../../../lib/receiver/event';
import { listedStates } from '../../../../lib/receiver/listedStates';
import { since, type ApiRecord } from '../../../../lib/service';
import { safeParse, unknown, type Schema } from '../../../../lib/vendor/zod';
import { checkConditions, conditionsProperty } from '../../../../n8n/conditions';
import { ledgerFor } from '../../../../n8n/ledger';
import { toNodeError } from '../../../../n8n/nodeError';
import { createdAfterField, createdAfterOf } from '../../shared/createdAfter';
import { eventTypes, eventTypesField } from '../../shared/eventFilters';
import { parameter, parameterError, plainText } from '../../shared/parameters';
import { onlyParallelItems } from '../../shared/parallelItems';
import { EVENT_SHAPE, flattener } from '../../shared/simplify';
import type { Operation, Run } from '../resource';

const DAYS_BACK = 1;

const workflowField: INodeProperties = {
	displayName: 'Workflow ID',
	name: 'workflowId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 8sGJPQxyRsLQ2ZnF',
	description:
		'ID of the workflow that the events start, which its address in the browser ends with. Empty means the workflow that this node is in.',
};

export const reconcile: Operation = {
	name: 'Reconcile',
	description:
		'Compare recent events with what started a workflow, to find those that are missing. Starts nothing.',
	action: 'Reconcile events with a workflow',
	fields: [
		workflowField,
		eventTypesField,
		{
			...conditionsProperty,
			description: 'What the events meet that start the workflow: copy them from its trigger',
		},
		createdAfterField(
			'Only events of this time or later, and those without a time. Empty means the last 24 hours.',
		),
		onlyParallelItems,
	],
	run,
};

const { id, type, createdAt, assetId } = EVENT_SHAPE;
const flat = flattener({ id, type, createdAt, assetId });

async function run(item: Run): Promise<ApiRecord[]> {
	const { context, client, warn } = item;
	const workflowId = read(item, 'workflowId', 'Workflow ID', plainText);
	const isWanted = eventTypeFilter(read(item, 'eventTypes', 'Event Types', eventTypes));
	const conditions = readConditions(parameter(item, 'conditions', unknown(), {}));
	checkConditions(context.getNode(), conditions);
	const createdAfter = createdAfterOf(item, DAYS_BACK, Date.now());
	const { listed, withoutId } = await listedStates(
		since(client.list('event', {}), createdAfter),
		{
			ledger: await ledgerOf(item),
			workflowId: workflowId || (context.getWorkflow().id ?? ''),
			wanted: { isWanted, conditions },
		},
		(record, state) => ({ ...flat(record), state }),
	);
	if (withoutId > 0) {
		warn(`${withoutId} listed events have no ID that can be read and were left out.`);
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

function read<T>(item: Run, name: string, label: string, schema: Schema<T>): T {
	const parsed = safeParse(schema, parameter(item, name, unknown()));
	if (parsed.success) return parsed.data;
	throw parameterError(item, `${label} cannot be read.`, 'Check what its expression gives.');
}
