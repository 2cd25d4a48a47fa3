/** Polls for a station trigger: connects the poll to n8n's executions, log, static data and time budget. */
import type { IPollFunctions } from 'n8n-workflow';
import type { ApiClient } from '../../lib/service';
import { pollStations } from '../../lib/station';
import { ledgerFor } from '../ledger';
import { createLogLimiter, type LogLimiter } from '../logLimiter';
import { logLine } from '../logLine';
import { handOver } from '../poll/handOver';
import { stationMemory } from './memory';
import { readStationSettings } from './settings';

const HOUR_MS = 60 * 60_000;
/** The budget that n8n reports where no scheduler limits the time of a poll. */
const UNSCHEDULED_BUDGET_MS = 5 * 60_000;

/** By node: one line per hour and kind. */
const limiters = new Map<string, LogLimiter>();

/** Resolves once the list has been read and decided about; starting continues. Throws the errors of `pollStations`, and the failure of a page. */
export async function pollForStations(context: IPollFunctions, client: ApiClient): Promise<null> {
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId } = context.getNode();
	const { station, batchSize } = readStationSettings((name, fallback) =>
		context.getNodeParameter(name, fallback),
	);
	const memory = stationMemory(context);
	// n8n before 2.41 lacks this method and sets no limit.
	const { getPollBudgetMs } = context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>;
	const budgetMs = getPollBudgetMs?.call(context);
	const node = JSON.stringify([workflowId, nodeId]);
	const { logger } = context;
	const limiter =
		limiters.get(node) ??
		createLogLimiter((line) => {
			logger.warn(line);
		}, HOUR_MS);
	limiters.set(node, limiter);
	const { failure } = await pollStations({
		...{ ledger: await ledgerFor(context), workflowId, nodeId, client },
		...{ settings: station, batchSize, memory, budgetMs },
		handOver: (items) => handOver(context, items),
		warn: (kind, message) => {
			limiter.write(kind, () => logLine(context, message));
		},
	});
	// n8n's scheduler may keep static data as a cursor, and drops an execution that would move it after the poll.
	if (budgetMs !== undefined && budgetMs < UNSCHEDULED_BUDGET_MS) memory.close();
	if (failure !== undefined) throw failure;
	return null;
}
