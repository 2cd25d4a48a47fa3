/** Polls for a station trigger: connects the poll to n8n's executions, log, static data and time budget. */
import type { IPollFunctions } from 'n8n-workflow';
import type { ApiClient } from '../../lib/service';
import { connectionSettings, pollStations } from '../../lib/station';
import { ledgerFor } from '../ledger';
import { createLogLimiter, type LogLimiter } from '../logLimiter';
import { logLine } from '../logLine';
import { handOver } from '../poll/handOver';
import { stationMemory } from './memory';
import { readStationSettings } from './settings';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** The budget that n8n reports where no scheduler limits the time of a poll. */
const UNSCHEDULED_BUDGET_MS = 5 * 60_000;

/** By node and pause: one line per pause and kind. */
const limiters = new Map<string, LogLimiter>();
/** Of warnings that stay until somebody changes a setting. */
const DAILY: ReadonlySet<string> = new Set(['words']);

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
	const limiterFor = (kind: string) => {
		const pauseMs = DAILY.has(kind) ? DAY_MS : HOUR_MS;
		const key = `${node} ${pauseMs}`;
		const limiter =
			limiters.get(key) ??
			createLogLimiter((line) => {
				logger.warn(line);
			}, pauseMs);
		limiters.set(key, limiter);
		return limiter;
	};
	const { failure } = await pollStations({
		...{ ledger: await ledgerFor(context), workflowId, nodeId, client },
		...{ batchSize, memory, budgetMs },
		settings: { ...station, ...connectionSettings(client.serviceInterface) },
		handOver: (items) => handOver(context, items),
		warn: (kind, message) => {
			limiterFor(kind).write(kind, () => logLine(context, message));
		},
	});
	// n8n's scheduler may keep static data as a cursor, and drops an execution that would move it after the poll.
	if (budgetMs !== undefined && budgetMs < UNSCHEDULED_BUDGET_MS) memory.close();
	if (failure !== undefined) throw failure;
	return null;
}
