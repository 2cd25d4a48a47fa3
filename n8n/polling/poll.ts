/** What n8n gives to a poll of either polling trigger: its executions, log, static data and time budget. */
import type { IPollFunctions } from 'n8n-workflow';
import type { Item } from '../../lib/event';
import type { Memory } from '../../lib/follow';
import type { Ledger } from '../../lib/ledger';
import { HOUR_MS, MINUTE_MS } from '../../lib/shared/durations';
import { ledgerFor } from '../ledger';
import { createLogLimiter, type LogLimiter } from '../logLimiter';
import { logLine } from '../logLine';
import { budgetOf } from './budget';
import { handOver } from './handOver';
import { staticMemory } from './memory';

export interface Polling {
	readonly ledger: Ledger;
	readonly workflowId: string;
	readonly nodeId: string;
	readonly memory: Memory;
	readonly budgetMs: number;
	readonly handOver: (items: readonly Item[]) => Promise<boolean>;
	/** One line per kind in this time, an hour by default; a message without a kind is always logged. */
	readonly warn: (message: string, kind?: string, everyMs?: number) => void;
}

/** The budget that n8n reports where no scheduler limits the time of a poll. */
const UNSCHEDULED_BUDGET_MS = 5 * MINUTE_MS;

/** By node and time. */
const limiters = new Map<string, LogLimiter>();

/** Resolves once the list has been read; starting continues. Throws the errors of `poll`, and the failure of a page of the list. */
export async function runPoll(
	context: IPollFunctions,
	poll: (polling: Polling) => Promise<{ readonly failure?: Error | undefined }>,
): Promise<null> {
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId } = context.getNode();
	const memory = staticMemory(context);
	// n8n before 2.41 lacks this method and sets no limit.
	const { getPollBudgetMs } = context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>;
	const allowedMs = getPollBudgetMs?.call(context);
	const { failure } = await poll({
		...{ ledger: await ledgerFor(context), workflowId, nodeId, memory },
		budgetMs: budgetOf(context.getNodeParameter('pollTimes', {}), allowedMs),
		handOver: (items) => handOver(context, items),
		warn: (message, kind, everyMs = HOUR_MS) => {
			const line = () => logLine(context, message);
			if (kind === undefined) context.logger.warn(line());
			else limiterOf(context, [workflowId, nodeId, everyMs], everyMs).write(kind, line);
		},
	});
	// n8n's scheduler may keep static data as a cursor, and drops an execution that would move it after the poll.
	if (allowedMs !== undefined && allowedMs < UNSCHEDULED_BUDGET_MS) memory.close();
	if (failure !== undefined) throw failure;
	return null;
}

function limiterOf(
	{ logger }: IPollFunctions,
	key: readonly (string | number)[],
	everyMs: number,
): LogLimiter {
	const name = JSON.stringify(key);
	const limiter =
		limiters.get(name) ??
		createLogLimiter((line) => {
			logger.warn(line);
		}, everyMs);
	limiters.set(name, limiter);
	return limiter;
}
