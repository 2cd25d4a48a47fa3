/** One poll, step by step: list, tell what is new, start the workflow for it. */
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ledgerKey, openLedger, type Ledger } from '../../lib/ledger';
import { eventFromList, type ParsedEvent } from '../../lib/event';
import type { ApiClient } from '../../lib/api';
import { createdAt, listFresh } from './listing';
import { readPollSettings, RETENTION_MS, type PollSettings } from './settings';
import { startEvents } from './startEvents';
import { readState, writeState } from './state';

/** A delivery may come late, and clocks differ: each poll looks so far behind the last one. */
const OVERLAP_MS = 10 * 60 * 1000;
/** So many of the newest events are marked at publication; behind a whole page of marks a poll reads no further. */
const BASELINE_EVENTS = 1000;

/** Contexts that have begun: n8n makes a new one when the workflow is published. */
const begun = new WeakSet();
/** Nodes whose events are being started: the next poll leaves them to it. */
const starting = new Set<string>();

/** Polls once: starts the workflow for every event that the ledger has not seen. Starting goes on after the answer. */
export async function pollEvents(context: IPollFunctions, client: ApiClient): Promise<null> {
	const isPublication = !begun.has(context) && context.getActivationMode() === 'activate';
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId } = context.getNode();
	const place = JSON.stringify([workflowId, nodeId]);
	if (starting.has(place)) return null;

	const settings = readPollSettings((name, fallback) => context.getNodeParameter(name, fallback));
	const ledger = openLedger({
		log: (line) => {
			context.logger.info(line);
		},
	});
	const stateKey = `poll:${workflowId}:${nodeId}`;
	const remembered = await readState(ledger, stateKey);
	const baselineScope = [workflowId, nodeId, 'listed before publication'];

	const needsBaseline =
		settings.startFrom === 'now' && (isPublication || remembered.state?.baselineAt === undefined);
	if (needsBaseline) {
		const newestAt = await markAsSeen(client, ledger, baselineScope, settings);
		const state = { baselineAt: newestAt ?? null, ...(newestAt !== undefined && { newestAt }) };
		await writeState(ledger, stateKey, remembered, state);
		begun.add(context);
		return null;
	}

	const { baselineAt, newestAt: lastAt } = remembered.state ?? {};
	const known = async (scope: readonly string[], { id }: ParsedEvent) =>
		(await ledger.look(ledgerKey(scope, id))) !== 'free';
	const listing = await listFresh(
		client.list('event', { pageSize: settings.pageSize }),
		{
			isWanted: ({ type }) => settings.isWanted(type),
			isKnown: async (event) =>
				(await known([workflowId], event)) ||
				(settings.startFrom === 'now' && (await known(baselineScope, event))),
		},
		{
			pageSize: settings.pageSize,
			backTo: Math.max((lastAt ?? 0) - OVERLAP_MS, baselineAt ?? 0),
		},
	);
	if (listing.withoutId > 0) {
		context.logger.warn(
			`Asset Service Poll Trigger: ${listing.withoutId} listed events have no id and were left out`,
		);
	}

	const finish = async () => {
		const allStarted = await startEvents(context, ledger, [workflowId], listing.fresh);
		// What is left over may lie far back: the next poll reads as far as this one.
		if (!allStarted || !listing.complete) return;
		const newestAt = Math.max(listing.newestAt ?? 0, lastAt ?? 0);
		await writeState(ledger, stateKey, remembered, {
			...(baselineAt !== undefined && { baselineAt }),
			...(newestAt > 0 && { newestAt }),
		});
	};
	starting.add(place);
	void finish()
		.catch((error: unknown) => {
			const reason = error instanceof Error ? error.message : 'unknown error';
			context.logger.warn(
				`Asset Service Poll Trigger: the rest is left to the next poll: ${reason}`,
			);
		})
		.finally(() => starting.delete(place));
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

/** Marks what is listed now as not to be started by this node; a webhook may still deliver it. */
async function markAsSeen(
	client: ApiClient,
	ledger: Ledger,
	scope: readonly string[],
	{ pageSize }: PollSettings,
): Promise<number | undefined> {
	let newestAt: number | undefined;
	let firstAt: number | undefined;
	let listed = 0;
	for await (const record of client.list('event', { pageSize })) {
		const parsed = eventFromList(record);
		if (!parsed.ok) continue;
		const at = createdAt(parsed.event);
		firstAt ??= at;
		if (at !== undefined) newestAt = Math.max(newestAt ?? at, at);
		const answer = await ledger.claim(ledgerKey(scope, parsed.event.id), 60_000);
		if (answer.state === 'claimed') await ledger.commit(answer.claim, RETENTION_MS);
		listed += 1;
		const newestFirst = newestAt === firstAt;
		if (listed >= BASELINE_EVENTS && newestFirst) break;
	}
	return newestAt;
}
