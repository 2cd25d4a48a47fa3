/** The first step of every run: the ledger says which of its events it goes on with. */
import { ledgerFor } from '../ledger';
import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { eventIdOf } from '../../lib/receiver/event';
import { beginOrWait, ledgerKey, LedgerUnavailableError } from '../../lib/ledger';
import { printable } from '../../lib/shared/printable';
import { toNodeError } from '../nodeError';

/** Modes in which n8n runs what a trigger of this package started. */
const OWN_MODES: ReadonlySet<string> = new Set(['webhook', 'trigger']);

/**
 * The items that the run goes on with: those whose events have begun in no other run. n8n repeats stored runs after
 * a restart, and stores one event twice when it is starved; the first run that asks wins.
 *
 * A retry by a person goes on whatever the ledger says, and marks its events as begun. Other modes (a test in the
 * editor, a sub-workflow, which could carry the id of any workflow) leave the ledger alone.
 * @throws {NodeOperationError} when the ledger was away for 30 s: nothing has begun then, so a later copy of the event starts it.
 */
export async function beginRun(
	context: IExecuteFunctions,
	retentionMs: number,
): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	const mode: string = context.getMode();
	const isRetry = mode === 'retry';
	if (!isRetry && !OWN_MODES.has(mode)) return items;

	const name = printable(context.getNode().name);
	const workflowId = context.getWorkflow().id ?? '';
	const events = items.flatMap((item) => {
		const id = eventIdOf(item.json);
		return id === undefined ? [] : [{ item, key: ledgerKey(workflowId, id) }];
	});
	try {
		const goesOn = await beginOrWait(
			() => ledgerFor(context),
			events.map(({ key }) => key),
			context.getExecutionId(),
			retentionMs,
			{ signal: context.getExecutionCancelSignal(), ...(isRetry && { waitMs: 0 }) },
		);
		const dropped = new Set(events.filter((_event, n) => !goesOn[n]).map(({ item }) => item));
		if (isRetry || dropped.size === 0) return items;
		context.logger.info(
			`${name} (workflow ${printable(workflowId)}): ${dropped.size} of ${items.length} events have begun in another run and are left to it`,
		);
		return items.filter((item) => !dropped.has(item));
	} catch (error) {
		if (!(error instanceof LedgerUnavailableError)) throw toNodeError(context.getNode(), error);
		if (isRetry) {
			context.logger.warn(`${name}: the retry goes on without the ledger: ${error.message}`);
			return items;
		}
		throw new NodeOperationError(
			context.getNode(),
			'The ledger of events seen was not available for 30 seconds, so nobody knows whether this event has begun in another run',
			{
				description: `${error.message} Nothing of the workflow has run. The event starts when the service delivers it again, or when you retry this execution.`,
			},
		);
	}
}
