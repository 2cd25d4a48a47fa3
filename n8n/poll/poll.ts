/** Polls for a node: connects the poll to n8n's executions, log, static data and time budget. */
import type { IPollFunctions } from 'n8n-workflow';
import { isWanted } from '../../lib/event';
import { poll } from '../../lib/poll';
import type { ApiClient } from '../../lib/service';
import { MINUTE_MS } from '../../lib/shared/durations';
import { recordPublication } from '../accountAccess';
import { checkConditions } from '../conditions';
import { ledgerFor } from '../ledger';
import { logLine } from '../logLine';
import { budgetOf } from './budget';
import { handOver } from './handOver';
import { staticMemory } from './memory';
import { readPollSettings } from './settings';

/** The budget that n8n reports where no scheduler limits the time of a poll. */
const UNSCHEDULED_BUDGET_MS = 5 * MINUTE_MS;

/** Resolves once the list has been read; starting continues. Throws the errors of `poll`, and the failure of a page of the list. */
export async function pollEvents(context: IPollFunctions, client: ApiClient): Promise<null> {
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId } = context.getNode();
	const settings = readPollSettings((parameter, fallback) =>
		context.getNodeParameter(parameter, fallback),
	);
	checkConditions(context.getNode(), settings.conditions);
	const { startFrom, wanted, pageSize, batchSize } = settings;
	const memory = staticMemory(context);
	const allowedMs = allowedBy(context);
	const ledger = await ledgerFor(context);
	await recordPublication(context, ledger, 'poll', startFrom === 'retained' ? 0 : Date.now());
	const { failure } = await poll({
		ledger,
		workflowId,
		nodeId,
		client,
		startFrom,
		wanted,
		pageSize,
		batchSize,
		isWanted: (event) => isWanted(event, settings),
		handOver: (items) => handOver(context, items),
		memory,
		budgetMs: budgetOf(context.getNodeParameter('pollTimes', {}), allowedMs),
		warn: (message) => {
			context.logger.warn(logLine(context, message));
		},
	});
	// n8n's scheduler may keep static data as a cursor, and drops an execution that would move it after the poll.
	if (allowedMs !== undefined && allowedMs < UNSCHEDULED_BUDGET_MS) memory.close();
	if (failure !== undefined) throw failure;
	return null;
}

/** n8n before 2.41 lacks this method and sets no limit. */
function allowedBy(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number | undefined {
	return context.getPollBudgetMs?.();
}
