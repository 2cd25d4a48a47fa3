/** One poll, step by step: list, find what is new, start the workflow for it. */
import { checkConditions } from '../conditions';
import { ledgerFor } from '../ledger';
import { printable } from '../../lib/shared/printable';
import { messageOf } from '../../lib/shared/thrown';
import type { IPollFunctions } from 'n8n-workflow';
import { ledgerKey } from '../../lib/ledger';
import { type ParsedEvent, unwanted } from '../../lib/receiver/event';
import type { ApiClient } from '../../lib/service';
import { type Knowledge, listFresh } from '../../lib/receiver/listFresh';
import { writeBaseline } from './baseline';
import { readPollSettings } from './settings';
import { startEvents } from './startEvents';
import { readState, writeState } from './state';

/** A delivery may come late, and clocks differ: each poll looks this far behind the last one. */
const OVERLAP_MS = 10 * 60 * 1000;
/** Nodes whose events are being started: the next poll leaves them to it. */
const starting = new Set<string>();

/**
 * Polls once: starts the workflow for every event that the ledger has not seen, or that n8n stored and never ran.
 * Starting goes on after the answer. When a page of the list fails, what was listed before it still starts, and the
 * failure is thrown.
 */
export async function pollEvents(context: IPollFunctions, client: ApiClient): Promise<null> {
	const workflowId = context.getWorkflow().id ?? '';
	const { id: nodeId, name } = context.getNode();
	const nodeName = `Asset Service Poll Trigger (node "${printable(name)}", workflow ${printable(workflowId)})`;
	const node = JSON.stringify([workflowId, nodeId]);

	const settings = readPollSettings((name, fallback) => context.getNodeParameter(name, fallback));
	checkConditions(context.getNode(), settings.conditions);
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
		{ isWanted: (event) => unwanted(event, settings) === undefined, look },
		{ pageSize, backTo: Math.min(waitingSince, Math.max(newestAt - OVERLAP_MS, baselineAt)) },
	);
	if (listing.withoutId > 0) {
		context.logger.warn(
			`${nodeName}: ${listing.withoutId} listed events have no id and were left out`,
		);
	}

	const finish = async () => {
		const { batchSize } = settings;
		const start = { context, ledger, workflowId, batchSize };
		const allStarted = await startEvents(start, listing.fresh);
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
			context.logger.warn(`${nodeName}: the rest is left to the next poll: ${messageOf(error)}`);
		})
		.finally(() => starting.delete(node));
	if (listing.failure !== undefined) throw listing.failure;
	return null;
}
