/** The parts that Reconcile and Replay share: the workflow whose events they inspect, its conditions, and the ledger. */
import { NodeOperationError, type INodeProperties } from 'n8n-workflow';
import { type Conditions, readConditions, type Survey } from '../../../../lib/event';
import { LedgerUnavailableError, type Ledger } from '../../../../lib/ledger';
import type { Account } from '../../../../lib/poll';
import { type ApiRecord, flattener, LISTS } from '../../../../lib/service';
import { object, pipe, safeParse, transform, union, unknown } from '../../../../lib/vendor/zod';
import { checkConditions } from '../../../../n8n/conditions';
import { ledgerFor } from '../../../../n8n/ledger';
import { toNodeError } from '../../../../n8n/nodeError';
import { type InputItem, parameter, plainText, wrongKindError } from '../../shared/parameters';
import type { Run } from '../../shared/resource';

type AccountLedger = Pick<Ledger, 'look' | 'reopen' | 'readRecord' | 'swapRecord'>;

/** A text field: the list of n8n's workflow selector contains only workflows with an Execute Workflow Trigger (2.41). */
export const workflowField: INodeProperties = {
	displayName: 'Workflow ID',
	name: 'workflowId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 8sGJPQxyRsLQ2ZnF',
	description:
		'ID or URL of the workflow that the events start, as in the address bar of its editor',
	hint: 'Leave empty for the workflow that this node is in',
};

const { id, type, createdAt, assetId } = LISTS.event.fields;
const flat = flattener({ id, type, createdAt, assetId });

/** An event as the node shows it; null for values that the record or the ledger does not have. */
export function accountItem(
	record: ApiRecord,
	{ state, executionId, begunAt, endedAt, attempts }: Account,
): ApiRecord {
	return {
		...flat(record),
		state,
		executionId: executionId ?? null,
		begunAt: timeText(begunAt),
		endedAt: timeText(endedAt),
		attempts: attempts ?? null,
	};
}

function timeText(time: number | undefined): string | null {
	return time === undefined ? null : new Date(time).toISOString();
}

/** @throws {NodeOperationError} for conditions that no event can meet. */
export function conditionsOf(item: InputItem): Conditions {
	const conditions = readConditions(parameter(item, 'conditions', unknown(), {}));
	checkConditions(item.context.getNode(), conditions);
	return conditions;
}

/** A condition on a field that no event has is probably misspelled. Not in the log, since it names fields of events. */
export function warnOfMissingFields({ warn }: Pick<Run, 'warn'>, { missing }: Survey): void {
	for (const message of missing) warn(message, { inLog: false });
}

/** The ledger, with errors that say what to do. */
export async function ledgerOf({ context, itemIndex }: InputItem): Promise<AccountLedger> {
	const fail = (error: unknown): never => {
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
	transform((idOrUrl) => /\/workflow\/([^/?#]+)/.exec(idOrUrl)?.[1] ?? idOrUrl),
);

/** The workflow ID in the parameter, or that of this workflow. */
export function workflowIdOf(item: InputItem): string {
	const given = parameter(item, workflowField.name, unknown());
	const parsed = safeParse(workflowId, given);
	if (parsed.success) return parsed.data || (item.context.getWorkflow().id ?? '');
	throw wrongKindError(item, 'Workflow ID', given);
}
