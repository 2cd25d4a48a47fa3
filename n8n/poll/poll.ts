/** One poll, step by step: list, find what is new, start the workflow for it. */
import { ledgerFor } from '../ledger';
import { messageOf } from '../../lib/shared/thrown';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ledgerKey, type Ledger } from '../../lib/ledger';
import { eventFromList, type ParsedEvent } from '../../lib/receiver/event';
import type { ApiClient } from '../../lib/service';
import { createdAt, type Knowledge, listFresh } from '../../lib/receiver/listFresh';
import { readPollSettings, RETENTION_MS, type PollSettings } from './settings';
import { startEvents } from './startEvents';
import { readState, writeState } from './state';

/** A delivery may come late, and clocks differ: each poll looks this far behind the last one. */
const OVERLAP_MS = 10 * 60 * 1000;
/** How many of the newest events the baseline holds; behind a whole page of them a poll reads no further. */
const BASELINE_EVENTS = 1000;
/** How many are written in one step of the ledger, so that no step takes long. */
const WRITTEN_AT_ONCE = 100;

/** Nodes whose events are being started: the next poll leaves them to it. */
const starting = new Set<string>();

/**
 * Polls once: starts the workflow for every event that the ledger has not seen, or that n8n stored and never ran.
 * Starting goes on after the answer. When a page of the list fails, what was listed before it still starts, and the
 * failure is thrown.
 */
export async function pollEvents(context: IPollFunctions, client: ApiClient): Promise<null> {
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId } = context.getNode();
	const node = JSON.stringify([workflowId, nodeId]);

	const settings = readPollSettings((name, fallback) => context.getNodeParameter(name, fallback));
	const { startFrom, pageSize } = settings;
	const ledger = await ledgerFor(context);
	const stateKey = `poll:${workflowId}:${nodeId}`;
	const baseline = JSON.stringify([workflowId, nodeId, 'listed before publication']);
	let remembered = await readState(ledger, stateKey);
	if (remembered.state?.startFrom !== startFrom) {
		const newestAt =
			startFrom === 'now' ? await writeBaseline(client, ledger, baseline, settings) : 0;
		const state = { startFrom, baselineAt: newestAt, newestAt };
		remembered = await writeState(ledger, stateKey, remembered, state);
		if (startFrom === 'now') return null;
	}
	if (starting.has(node)) return null;

	const { baselineAt = 0, newestAt = 0, waitingSince = Infinity } = remembered.state ?? {};
	const look = async ({ id }: ParsedEvent): Promise<Knowledge> => {
		const state = await ledger.look(ledgerKey(workflowId, id));
		if (state === 'pending' || state === 'stored') return 'waiting';
		if (state === 'begun') return 'done';
		if (state === 'overdue' || startFrom === 'retained') return 'fresh';
		return (await ledger.look(ledgerKey(baseline, id))) === 'begun' ? 'done' : 'fresh';
	};
	const listing = await listFresh(
		client.list('event', { pageSize }),
		{ isWanted: ({ type }) => settings.isWanted(type), look },
		{ pageSize, backTo: Math.min(waitingSince, Math.max(newestAt - OVERLAP_MS, baselineAt)) },
	);
	if (listing.withoutId > 0) {
		context.logger.warn(
			`Asset Service Poll Trigger: ${listing.withoutId} listed events have no id and were left out`,
		);
	}

	const finish = async () => {
		const allStarted = await startEvents(context, ledger, workflowId, listing.fresh);
		// What is left over may lie far back: the next poll reads as far as this one.
		if (!allStarted || !listing.complete) return;
		await writeState(ledger, stateKey, remembered, {
			startFrom,
			baselineAt,
			newestAt: Math.max(listing.newestAt ?? 0, newestAt),
			waitingSince: listing.waitingSince,
		});
	};
	starting.add(node);
	void finish()
		.catch((error: unknown) => {
			context.logger.warn(
				`Asset Service Poll Trigger: the rest is left to the next poll: ${messageOf(error)}`,
			);
		})
		.finally(() => starting.delete(node));
	if (listing.failure !== undefined) throw listing.failure;
	return null;
}

/** The newest event of the list, for "Fetch Test Event": nothing is recorded. */
export async function newestEvent(
	client: ApiClient,
	{ isWanted, pageSize }: Pick<PollSettings, 'isWanted' | 'pageSize'>,
): Promise<INodeExecutionData | undefined> {
	let newest: ParsedEvent | undefined;
	for await (const record of client.list('event', { limit: pageSize })) {
		const parsed = eventFromList(record);
		if (!parsed.ok || !isWanted(parsed.event.type)) continue;
		const isNewer =
			newest === undefined || (createdAt(parsed.event) ?? 0) > (createdAt(newest) ?? 0);
		if (isNewer) newest = parsed.event;
	}
	return newest && { json: newest.record as IDataObject };
}

/**
 * Writes into the ledger what is listed now, which this node is not to start; a webhook may still deliver it.
 * Answers the time of the newest event in unix milliseconds, 0 when none tells one.
 */
async function writeBaseline(
	client: ApiClient,
	ledger: Ledger,
	scope: string,
	{ pageSize }: PollSettings,
): Promise<number> {
	const keys: string[] = [];
	let newestAt = 0;
	let firstAt: number | undefined;
	for await (const record of client.list('event', { pageSize })) {
		const parsed = eventFromList(record);
		if (!parsed.ok) continue;
		const at = createdAt(parsed.event) ?? 0;
		firstAt ??= at;
		newestAt = Math.max(newestAt, at);
		keys.push(ledgerKey(scope, parsed.event.id));
		if (keys.length >= BASELINE_EVENTS && newestAt === firstAt) break;
	}
	for (let from = 0; from < keys.length; from += WRITTEN_AT_ONCE) {
		// Begun is final, which is what a baseline needs; no run has this name.
		await ledger.begin(keys.slice(from, from + WRITTEN_AT_ONCE), 'baseline', RETENTION_MS);
	}
	return newestAt;
}
