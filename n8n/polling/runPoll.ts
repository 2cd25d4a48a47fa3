/** Both polling triggers on n8n: it gives a poll its executions, log, static data and time budget. */
import type { IPollFunctions, IRun } from 'n8n-workflow';
import { isWanted, type Item } from '../../lib/event';
import type { Memory, Polled, Polling, PollOutcome } from '../../lib/follow';
import { poll } from '../../lib/poll';
import { notePolled } from '../../lib/rejections';
import type { ApiClient } from '../../lib/service';
import { hintOf, messageOf } from '../../lib/shared/errors';
import { KnownIds } from '../../lib/shared/knownIds';
import { printable } from '../../lib/shared/text';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/shared/time';
import { connectionSettings, pollStations } from '../../lib/station';
import { array, number, object, optional, safeParse, string, unknown } from '../../lib/vendor/zod';
import { apiClientFor } from '../api/apiClient';
import { recordPublication } from '../execution/accountAccess';
import { itemsOf } from '../execution/beginRun';
import { ledgerFor } from '../execution/ledger';
import { checkConditions } from '../fields/conditions';
import { createLogLimiter, logLine, rejections } from '../log/log';
import { readPollSettings } from './poll';
import { checkStationSettings, readStationSettings } from './station/settings';

/** How often a warning of a kind is logged, if not once per hour: some stay until somebody changes a setting. */
const WARNED_EVERY_MS: Readonly<Record<string, number>> = {
	words: DAY_MS,
	settings: DAY_MS,
	record_invalid: 0,
};
/** Warnings of which Get Rejections shows nothing. */
const NOT_COUNTED: ReadonlySet<string> = new Set(['start', 'lost']);

/** The budget that n8n reports where no scheduler limits the time of a poll. */
const UNSCHEDULED_BUDGET_MS = 5 * MINUTE_MS;

/** An import can make the name of a node as long as it likes. */
const LONGEST_NAME = 100;

/** The records that the polls of a node have left out, by node. */
const leftOut = new Map<string, KnownIds>();

/** Its warnings are those of the poll, and each record that cannot be used is one once. */
async function clientOf(
	context: IPollFunctions,
	{ workflowId, nodeId, warn }: NodePolling,
): Promise<ApiClient> {
	const node = JSON.stringify([workflowId, nodeId]);
	const known = leftOut.get(node) ?? new KnownIds();
	leftOut.set(node, known);
	return await apiClientFor(context, warn, { known });
}

/** By node and time. */
const limiters = new Map<string, ReturnType<typeof createLogLimiter>>();

/** Polls for a poll trigger, as `runPoll`. Throws for conditions that no event can meet. */
export async function pollEvents(context: IPollFunctions): Promise<null> {
	return await runPoll(context, async (polling) => {
		const settings = readPollSettings((name, fallback) => context.getNodeParameter(name, fallback));
		checkConditions(context.getNode(), settings.conditions);
		const client = await clientOf(context, polling);
		const { startFrom, wanted, pageSize, batchSize, problems } = settings;
		if (problems.length > 0) polling.warn(problems.join('. '), 'settings');
		const since = startFrom === 'retained' ? 0 : Date.now();
		await recordPublication(context, polling.ledger, 'poll', since);
		return await poll({
			...polling,
			client,
			startFrom,
			wanted,
			pageSize,
			batchSize,
			isWanted: (event) => isWanted(event, settings),
		});
	});
}

/** Polls for a station trigger, as `runPoll`. Throws for settings that would not be applied as entered. */
export async function pollForStations(context: IPollFunctions): Promise<null> {
	const begunAt = Date.now();
	return await runPoll(context, async (polling) => {
		const read = readStationSettings((name, fallback) => context.getNodeParameter(name, fallback));
		checkStationSettings(read);
		const { station, batchSize } = read;
		const client = await clientOf(context, polling);
		const settings = { ...station, ...connectionSettings(client.serviceInterface) };
		await recordPublication(context, polling.ledger, 'station', Date.now(), station);
		return await pollStations({ ...polling, begunAt, client, settings, batchSize });
	});
}

/** What both triggers poll with, but for the list and a setting. */
type NodePolling = Omit<Polling, 'client' | 'batchSize'>;

/** Resolves once the list has been read; starting continues. Throws the errors of the poll, and the failure of a page of the list. */
async function runPoll(
	context: IPollFunctions,
	pollWith: (polling: NodePolling) => Promise<PollOutcome>,
): Promise<null> {
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId, name } = context.getNode();
	const nodeName = printable(name, LONGEST_NAME);
	const memory = staticMemory(context);
	// n8n before 2.41 lacks this method and sets no limit.
	const { getPollBudgetMs } = context as Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>;
	const allowedMs = getPollBudgetMs?.call(context);
	const ledger = await ledgerFor(context);
	/** Counts what the poll left out, for Get Rejections. `problem` is the message of the log. */
	const leaveOut = (kind: string, count: number, problem: string, advice?: string): void => {
		if (count === 0) return;
		const example = { count, problem, ...(advice !== undefined && { advice }) };
		const trigger = { workflowId, nodeId, nodeName };
		rejections.count(trigger, kind, () => ledgerFor({ logger: context.logger }), example);
	};
	const warn: Polling['warn'] = (message, kind, count = 1, advice) => {
		const line = () => logLine(context, advice === undefined ? message : `${message}. ${advice}`);
		const everyMs = kind === undefined ? 0 : (WARNED_EVERY_MS[kind] ?? HOUR_MS);
		if (kind !== undefined && !NOT_COUNTED.has(kind)) leaveOut(kind, count, message, advice);
		if (kind === undefined || everyMs === 0) context.logger.warn(line());
		else limiterOf(context, [workflowId, nodeId, everyMs], everyMs).call(kind, line);
	};
	const note = async ({ failure, readUpTo, stations }: PollOutcome): Promise<void> => {
		if (failure !== undefined) {
			leaveOut('poll_failed', 1, messageOf(failure), hintOf(failure));
		}
		const polled = {
			nodeName,
			polledAt: Date.now(),
			...(readUpTo !== undefined && { readUpTo }),
			...(stations !== undefined && { stations }),
		};
		// No poll fails because of it.
		await notePolled(ledger, { workflowId, nodeId }, polled).catch(() => undefined);
	};
	const outcome = await pollWith({
		ledger,
		workflowId,
		nodeId,
		memory,
		warn,
		budgetMs: budgetOf(context.getNodeParameter('pollTimes', {}), allowedMs),
		handOver: (items) => handOver(context, items),
		now: () => Date.now(),
		clock: () => performance.now(),
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
): ReturnType<typeof createLogLimiter> {
	const name = JSON.stringify(key);
	const limiter = limiters.get(name) ?? createLogLimiter(logger, everyMs);
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
const savedPolled = object({
	workflowId: string(),
	nodeId: string(),
	as: string(),
	publishedAt: number(),
	at: number(),
	polls: number(),
});

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
	const node = JSON.stringify([workflowId, nodeId]);
	const saved = () => {
		const polled = safeParse(savedPolled, data[FIELD]).data;
		return polled?.workflowId === workflowId && polled.nodeId === nodeId ? polled : undefined;
	};
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
