/** What n8n gives to a poll of either polling trigger: its executions, log, static data and time budget. */
import type { IPollFunctions, IRun } from 'n8n-workflow';
import type { Item } from '../../lib/event';
import type { Memory, Polled } from '../../lib/follow';
import type { Ledger } from '../../lib/ledger';
import { type LastPoll, notePolled } from '../../lib/rejections';
import { PackageError, messageOf } from '../../lib/shared/errors';
import { printable } from '../../lib/shared/text';
import { HOUR_MS, MINUTE_MS, DAY_MS } from '../../lib/shared/time';
import {
	array,
	number,
	object,
	optional,
	safeParse,
	string,
	unknown,
	literal,
} from '../../lib/vendor/zod';
import { itemsOf } from '../execution/beginRun';
import { ledgerFor } from '../execution/ledger';
import { createLogLimiter, type LogLimiter, logLine, rejections } from '../log/log';

export interface Polling {
	readonly ledger: Ledger;
	readonly workflowId: string;
	readonly nodeId: string;
	readonly memory: Memory;
	readonly budgetMs: number;
	readonly handOver: (items: readonly Item[]) => Promise<boolean>;
	/** One line per kind in this time, an hour by default; a message without a kind is always logged. */
	readonly warn: (message: string, kind?: string, everyMs?: number) => void;
	/** Counts what the poll left out, for Get Rejections. `problem` is the message of the log. */
	readonly leaveOut: (kind: string, count: number, problem: string) => void;
}

interface PollOutcome extends Pick<LastPoll, 'readUpTo'> {
	/** How many stations the asset list has, for a trigger that reads it. */
	readonly stations?: number | undefined;
	/** Why the list could not be read further. */
	readonly failure?: Error | undefined;
}

/** The budget that n8n reports where no scheduler limits the time of a poll. */
const UNSCHEDULED_BUDGET_MS = 5 * MINUTE_MS;

/** An import can make the name of a node as long as it likes. */
const LONGEST_NAME = 100;

/** By node and time. */
const limiters = new Map<string, LogLimiter>();

/** Resolves once the list has been read; starting continues. Throws the errors of `poll`, and the failure of a page of the list. */
export async function runPoll(
	context: IPollFunctions,
	poll: (polling: Polling) => Promise<PollOutcome>,
): Promise<null> {
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId, name } = context.getNode();
	const nodeName = printable(name, LONGEST_NAME);
	const memory = staticMemory(context);
	// n8n before 2.41 lacks this method and sets no limit.
	const { getPollBudgetMs } = context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>;
	const allowedMs = getPollBudgetMs?.call(context);
	const ledger = await ledgerFor(context);
	const leaveOut = (kind: string, count: number, problem: string, advice?: string): void => {
		if (count === 0) return;
		const example = { count, problem, ...(advice !== undefined && { advice }) };
		const trigger = { workflowId, nodeId, nodeName };
		rejections.count(trigger, kind, () => ledgerFor({ logger: context.logger }), example);
	};
	const note = async ({ failure, readUpTo, stations }: PollOutcome): Promise<void> => {
		if (failure !== undefined) {
			const hint = failure instanceof PackageError ? failure.hint : '';
			leaveOut('poll_failed', 1, messageOf(failure), hint === '' ? undefined : hint);
		}
		const polled = {
			...{ nodeName, polledAt: Date.now() },
			...(readUpTo !== undefined && { readUpTo }),
			...(stations !== undefined && { stations }),
		};
		// No poll fails because of it.
		await notePolled(ledger, { workflowId, nodeId }, polled).catch(() => undefined);
	};
	const outcome = await poll({
		...{ ledger, workflowId, nodeId, memory, leaveOut },
		budgetMs: budgetOf(context.getNodeParameter('pollTimes', {}), allowedMs),
		handOver: (items) => handOver(context, items),
		warn: (message, kind, everyMs = HOUR_MS) => {
			const line = () => logLine(context, message);
			if (kind === undefined) context.logger.warn(line());
			else limiterOf(context, [workflowId, nodeId, everyMs], everyMs).write(kind, line);
		},
	}).catch(async (error: unknown) => {
		await note({ failure: error instanceof Error ? error : new Error(messageOf(error)) });
		throw error;
	});
	await note(outcome);
	// n8n's scheduler may keep static data as a cursor, and drops an execution that would move it after the poll.
	if (allowedMs !== undefined && allowedMs < UNSCHEDULED_BUDGET_MS) memory.close();
	if (outcome.failure !== undefined) throw outcome.failure;
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

/** The rest is for the ledger and a request in progress. */
const SHARE = 0.5;

/** n8n's own parameter of every polling trigger. */
const pollTimes = object({
	item: optional(
		array(object({ mode: string(), unit: optional(string()), value: optional(unknown()) })),
	),
});

/** The shortest time between two of these polls, in milliseconds: n8n allows a minute at least. */
function intervalOf(parameter: unknown): number {
	const { item: times = [] } = safeParse(pollTimes, parameter).data ?? {};
	const each = times.map(({ mode, unit, value }) => {
		if (mode === 'everyHour') return HOUR_MS;
		if (['everyDay', 'everyWeek', 'everyMonth'].includes(mode)) return DAY_MS;
		const count = safeParse(number(), Number(value)).data ?? 1;
		if (mode === 'everyX') return count * (unit === 'hours' ? HOUR_MS : MINUTE_MS);
		// A cron expression may have any interval.
		return MINUTE_MS;
	});
	return Math.max(MINUTE_MS, Math.min(...(each.length > 0 ? each : [MINUTE_MS])));
}

/** In milliseconds. `allowedMs`: what n8n allows; undefined for no limit. */
export function budgetOf(times: unknown, allowedMs: number | undefined): number {
	return SHARE * Math.min(intervalOf(times), allowedMs ?? Infinity);
}

/**
 * Whether n8n has stored the execution: known when it has ended, since n8n reports nothing earlier here.
 *
 * An execution that n8n dropped without an error counts as not stored: if there is one after all, the ledger lets only
 * one of it and its repetition continue.
 */
export async function handOver(context: IPollFunctions, items: readonly Item[]): Promise<boolean> {
	const done = context.helpers.createDeferredPromise<IRun | undefined>();
	context.__emit([itemsOf(items)], undefined, done);
	try {
		return (await done.promise) !== undefined;
	} catch (error) {
		return wasCancelled(error);
	}
}

/** An execution that a user cancelled was stored before that. */
function wasCancelled(error: unknown): boolean {
	return error instanceof Error && /Cancel/.test(error.constructor.name + error.name);
}

const FIELD = 'polledUntil';

/** By node. Always up to date, whereas n8n decides when it writes static data. */
const kept = new Map<string, Polled>();

/**
 * n8n saves static data when a workflow has been published and with each execution that a poll starts, but not after a
 * poll that starts nothing. A copy of the workflow includes the static data, so it names its node.
 */
export function staticMemory(context: IPollFunctions): Memory & { close(): void } {
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId } = context.getNode();
	// Read within the poll: later n8n may refuse it.
	const data = context.getWorkflowStaticData('node');
	const ours = object({
		workflowId: literal(workflowId),
		nodeId: literal(nodeId),
		...{ as: string(), publishedAt: number(), at: number(), polls: number() },
	});
	const node = JSON.stringify([workflowId, nodeId]);
	const saved = () => safeParse(ours, data[FIELD]).data;
	let isClosed = false;
	return {
		/** Later writes change only the memory of the process. */
		close: () => {
			isClosed = true;
		},
		read: (as) =>
			[kept.get(node), saved()]
				.flatMap((polled) => (polled?.as === as ? [polled] : []))
				.sort((a, b) => b.at - a.at)[0],
		write: (polled) => {
			kept.set(node, polled);
			if (isClosed) return;
			const before = saved();
			const { as, publishedAt, at, polls } = polled;
			// An assignment, even of the same value, makes n8n write all static data of the workflow.
			if (before?.at === at && before.polls === polls && before.as === as) return;
			data[FIELD] = { workflowId, nodeId, as, publishedAt, at, polls };
		},
	};
}
