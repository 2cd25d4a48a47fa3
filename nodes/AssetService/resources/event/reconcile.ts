/** Reports for each listed event whether it started a workflow, to show the missing ones. Read-only: starts and writes nothing. */
import { NodeOperationError } from 'n8n-workflow';
import { eventTypeFilter, Survey } from '../../../../lib/event';
import { listedStates, publishedAt } from '../../../../lib/poll';
import { type ApiRecord, createdAtOf } from '../../../../lib/service';
import { counted } from '../../../../lib/shared/counted';
import { printable } from '../../../../lib/shared/printable';
import { conditionsProperty } from '../../../../n8n/conditions';
import { eventTypeProperties } from '../../../../n8n/eventTypeProperties';
import { eventTypesOf } from '../../shared/eventTypes';
import { onlyParallelItems } from '../../shared/parallelItems';
import type { Operation, Run } from '../../shared/resource';
import { createdAfterField, createdAfterOf } from '../../shared/times';
import {
	accountItem,
	conditionsOf,
	ledgerOf,
	warnOfMissingFields,
	workflowField,
	workflowIdOf,
} from './account';

const DAYS_BACK = 1;

export const reconcile: Operation = {
	name: 'Reconcile',
	description:
		'Compare the listed events with those that started a workflow, to find missing events',
	action: 'Reconcile events with a workflow',
	fields: [
		workflowField,
		...eventTypeProperties({
			description:
				"Event types that start the workflow: the same as in 'Trigger On' of its trigger",
			hint: 'Leave empty for all event types',
		}),
		{
			...conditionsProperty,
			description: 'Conditions that events meet to start the workflow: the same as in its trigger',
		},
		createdAfterField({
			description: 'Only events created at this time or later, and those without a time',
			hint: 'Leave empty for the last 24 hours',
		}),
		onlyParallelItems,
	],
	run,
};

const OWN =
	"They were compared with the workflow that this node is in: if they start another one, enter it in 'Workflow ID'.";

async function run(item: Run): Promise<ApiRecord[]> {
	const { context, client, warn } = item;
	const workflowId = workflowIdOf(item);
	const isWantedType = eventTypeFilter(eventTypesOf(item, 'eventTypes'));
	const survey = new Survey({ isWantedType, conditions: conditionsOf(item) });
	const createdAfter = createdAfterOf(item, DAYS_BACK, Date.now());
	const ledger = await ledgerOf(item);
	const { listed: states, withoutId } = await listedStates(
		client.list('event', { createdAfter }),
		{ ledger, workflowId, isWanted: survey.look },
		(record, account) => ({ record, account }),
	);
	const since = (await publishedAt(ledger, workflowId)) ?? 0;
	const listed = states.filter(
		({ record, account }) => account.state !== 'missing' || (createdAtOf(record) ?? since) >= since,
	);
	if (listed.length < states.length) {
		warn(
			`Left out ${counted(states.length - listed.length, 'event')} from before the workflow was first published.`,
		);
	}
	if (withoutId > 0) {
		warn(`Left out ${counted(withoutId, 'listed event')} without a readable ID.`);
	}
	warnOfMissingFields(item, survey);
	const isOwn = workflowId === context.getWorkflow().id;
	if (listed.length > 0 && listed.every(({ account }) => account.state === 'missing')) {
		throw new NodeOperationError(
			context.getNode(),
			`No listed event has reached the workflow "${printable(workflowId)}"`,
			{
				itemIndex: item.itemIndex,
				description:
					`${listed.length === 1 ? 'The only listed event is' : `All ${listed.length} listed events are`} missing. ${isOwn ? OWN : "Check 'Workflow ID'."} Check 'Event Types' and 'Conditions' too: they must be those of its trigger. If they are right, check that the workflow is published and that the service delivers to its production URL. ${survey.missing.join(' ')}`.trim(),
			},
		);
	}
	return listed.map(({ record, account }) => accountItem(record, account));
}
