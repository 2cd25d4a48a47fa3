/** The first step of every execution: asks the ledger which of its events it continues with, and reports its end there. */
import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';
import { eventIdOf, type Item } from '../../lib/event';
import {
	type Acknowledge,
	beginOrWait,
	type Ledger,
	ledgerKey,
	LedgerUnavailableError,
	newAttempt,
	type Outcome,
	untilWritten,
} from '../../lib/ledger';
import { sleep } from '../../lib/shared/pace';
import { logLine } from '../log/log';
import { toNodeError } from '../log/nodeError';
import { onExecutionEnd } from './executionEnd';
import { ledgerFor } from './ledger';

/** The items that n8n gets for events that start a workflow. */
export function itemsOf(events: readonly Item[]): INodeExecutionData[] {
	return events.map(({ record }) => ({ json: record as IDataObject }));
}

interface BeginSettings {
	readonly acknowledge: Acknowledge;
	readonly retentionMs: number;
}

/** The modes of executions that a trigger of this package started. */
const OWN_MODES: ReadonlySet<string> = new Set(['webhook', 'trigger']);
/** The longest that the end of an execution waits for a ledger that is down. It is then written in the background. */
const END_WITHIN_MS = 20_000;
/** The first version of n8n with `onExecutionFinish`. */
const REPORTS_END = '2.33';

/**
 * The items that the execution continues with: those whose events have not begun in another execution. n8n starts one
 * stored execution twice (after a restart, with a second main), and stores one event twice when its database is slow; the
 * first to ask wins.
 *
 * A retry by a user continues whatever the ledger says, and takes the events that are neither done nor running. Other
 * modes (a test in the editor, a sub-workflow, which could carry the ID of any workflow) do not use the ledger.
 * @throws {NodeOperationError} when the ledger was not available for 30 s. Its events are then given back, so that the
 * next delivery of each starts it. Also when an execution must succeed and this n8n does not report how it ends.
 */
export async function beginRun(
	context: IExecuteFunctions,
	{ acknowledge, retentionMs }: BeginSettings,
): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	const mode: string = context.getMode();
	const isRetry = mode === 'retry';
	if (!isRetry && !OWN_MODES.has(mode)) return items;

	const workflowId = context.getWorkflow().id ?? '';
	const keyOf = new Map<INodeExecutionData, string>();
	for (const item of items) {
		const id = eventIdOf(item.json);
		if (id !== undefined) keyOf.set(item, ledgerKey(workflowId, id));
	}
	const keys = [...new Set(keyOf.values())];
	const run = newAttempt(context.getExecutionId());
	const { logger } = context;
	// Without the context, which holds the data of the execution.
	const openLedger = () => ledgerFor({ logger });
	const end = endOf(context, openLedger, { run, acknowledge });
	if (!end.isReported && acknowledge === 'succeeded') throw tooOld(context);
	const beginning = { run, acknowledge, retentionMs, isRetry, reportsEnd: end.isReported };
	try {
		if (isRetry) {
			await (await openLedger()).begin(keys, beginning);
			await end.begun();
			return items;
		}
		const signal = context.getExecutionCancelSignal();
		const continues = await beginOrWait(openLedger, keys, beginning, { signal });
		await end.begun();
		const won = new Set(keys.filter((_key, n) => continues[n]));
		// Only the first item of an event: a batch has two if the ledger lost its data while it gathered.
		const kept = items.filter((item) => {
			const key = keyOf.get(item);
			return key === undefined || won.delete(key);
		});
		if (kept.length === items.length) return items;
		logger.info(
			logLine(
				context,
				`${items.length - kept.length} of ${items.length} events skipped: another execution has already started them`,
			),
		);
		return kept;
	} catch (error) {
		if (!(error instanceof LedgerUnavailableError)) throw toNodeError(context.getNode(), error);
		if (isRetry) {
			void untilWritten(async () => {
				await (await openLedger()).begin(keys, beginning);
			}).then(end.begun);
			logger.warn(
				logLine(
					context,
					`the retry continues without the event ledger and will be recorded there later: ${error.message}`,
				),
			);
			return items;
		}
		throw new NodeOperationError(
			context.getNode(),
			'Event ledger unreachable: execution stopped before running any node',
			{
				description: `${error.message} Retry this execution, or wait until the service delivers the event again.`,
			},
		);
	}
}

/** Writes the end of the execution to the ledger. */
function endOf(
	context: IExecuteFunctions,
	openLedger: () => Promise<Ledger>,
	{ run, acknowledge }: { readonly run: string; readonly acknowledge: Acknowledge },
) {
	let ended: Outcome | undefined;
	let hasBegun = false;
	const write = async (outcome: Outcome): Promise<void> => {
		const written = untilWritten(async () => {
			await (await openLedger()).end(run, outcome);
		});
		// Otherwise n8n need not wait for the disk.
		const isAwaited = acknowledge === 'succeeded' || outcome === 'asleep';
		if (isAwaited) await Promise.race([written, sleep(END_WITHIN_MS, { keepAlive: false })]);
	};
	const isReported = onExecutionEnd(context, async (outcome) => {
		ended = outcome;
		if (hasBegun) await write(outcome);
	});
	return {
		isReported,
		/** Call when the events have begun: the execution may have been stopped in the meantime. */
		begun: async (): Promise<void> => {
			hasBegun = true;
			if (ended !== undefined) await write(ended);
		},
	};
}

function tooOld(context: IExecuteFunctions): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		"'If the Execution Fails' = 'Start Again' needs a newer version of n8n",
		{
			description: `This version of n8n does not report how an execution ends. Update n8n to ${REPORTS_END} or later, or set 'If the Execution Fails' to 'Do Not Start Again'.`,
		},
	);
}
