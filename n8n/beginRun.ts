/** The first step of every execution: asks the ledger which of its events it continues with. */
import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';
import { eventIdOf, type Item } from '../lib/event';
import {
	beginOrWait,
	ledgerKey,
	LedgerUnavailableError,
	markBegun,
	newAttempt,
} from '../lib/ledger';
import { ledgerFor } from './ledger';
import { logLine } from './logLine';
import { toNodeError } from './nodeError';

/** The property of an item with the token of its claim, for `begin`. It is next to `json`, so no workflow sees it. */
const TOKEN = 'assetServiceClaim';

/** The items that n8n gets for events that start a workflow. */
export function handedOver(events: readonly Item[]): INodeExecutionData[] {
	return events.map(({ record, claim }) => ({
		json: record as IDataObject,
		...(claim !== undefined && { [TOKEN]: claim }),
	}));
}

function tokenOf(item: INodeExecutionData): string | undefined {
	const token = item[TOKEN];
	return typeof token === 'string' ? token : undefined;
}

function withoutToken(item: INodeExecutionData): INodeExecutionData {
	const { [TOKEN]: _token, ...rest } = item;
	return rest;
}

/** The modes of executions that a trigger of this package started. */
const OWN_MODES: ReadonlySet<string> = new Set(['webhook', 'trigger']);

/**
 * The items that the execution continues with: those whose events have not begun in another run. n8n starts one stored
 * execution twice (after a restart, with a second main), and stores one event twice when its database is slow; the
 * first run to ask wins.
 *
 * A retry by a person continues whatever the ledger says, and marks its events as begun. Other modes (a test in the
 * editor, a sub-workflow, which could carry the ID of any workflow) do not use the ledger.
 * @throws {NodeOperationError} when the ledger was not available for 30 s. Its events are then given back, so that the
 * next copy of each starts it.
 */
export async function beginRun(
	context: IExecuteFunctions,
	retentionMs: number,
): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	const mode: string = context.getMode();
	if (mode !== 'retry' && !OWN_MODES.has(mode)) return items;

	const workflowId = context.getWorkflow().id ?? '';
	const events = items.flatMap((item) => {
		const id = eventIdOf(item.json);
		return id === undefined ? [] : [{ item, key: ledgerKey(workflowId, id) }];
	});
	const keys = events.map(({ key }) => key);
	const tokens = events.map(({ item }) => tokenOf(item));
	const openLedger = () => ledgerFor(context);
	const run = newAttempt(context.getExecutionId());
	try {
		if (mode === 'retry') {
			await markBegun(openLedger, keys, run, retentionMs);
			return items.map(withoutToken);
		}
		const signal = context.getExecutionCancelSignal();
		const continues = await beginOrWait(openLedger, keys, run, retentionMs, {
			signal,
			tokens,
		});
		const dropped = new Set(events.filter((_event, n) => !continues[n]).map(({ item }) => item));
		const kept = items.filter((item) => !dropped.has(item)).map(withoutToken);
		if (dropped.size === 0) return kept;
		context.logger.info(
			logLine(
				context,
				`${dropped.size} of ${items.length} events skipped: another execution has already started them`,
			),
		);
		return kept;
	} catch (error) {
		if (!(error instanceof LedgerUnavailableError)) throw toNodeError(context.getNode(), error);
		if (mode === 'retry') {
			context.logger.warn(
				logLine(
					context,
					`the retry continues without the event ledger and will be recorded there later: ${error.message}`,
				),
			);
			return items.map(withoutToken);
		}
		throw new NodeOperationError(
			context.getNode(),
			'The event ledger was not available for 30 seconds, so this execution stopped before running any node',
			{
				description: `${error.message} Retry this execution, or wait until the service delivers the event again.`,
			},
		);
	}
}
