/** Decides what a poll does with a listed event, by the ledger and the time of the first publication. */
import { createdAt, type ParsedEvent } from '../event';
import { type Ledger, ledgerKey } from '../ledger';
import { RETENTION_MS } from './bounds';

/** `fresh`: start it. `waiting`: not settled (not begun, running, or to start again later). `done`: nothing left to do. */
export type Knowledge = 'fresh' | 'waiting' | 'done';

export interface Scope {
	readonly ledger: Ledger;
	readonly workflowId: string;
	readonly nodeId: string;
}

const MINUTE_MS = 60_000;
/**
 * How long after its first, second, ... failure an event that must succeed starts again. After the last one it stays
 * failed until a delivery or a Replay starts it.
 */
const START_AGAIN_AFTER_MS = [1, 5, 30, 120, 360].map((minutes) => minutes * MINUTE_MS);

/** Written to the ledger together; small enough that no write takes long. */
const AT_ONCE = 100;

/** A separate scope in the ledger: a webhook may still deliver these events, and they start then. */
const listedBefore = ({ workflowId, nodeId }: Scope): string =>
	JSON.stringify([workflowId, nodeId, 'listed before publication']);

/**
 * Decides about an event. If it has not started, `publishedAt` decides: an event created before that does not start. An
 * event created later, or without a time, starts unless it was listed at publication. Undefined means no such bound.
 */
export async function knowledgeOf(
	scope: Scope,
	event: ParsedEvent,
	publishedAt: number | undefined,
): Promise<Knowledge> {
	const { ledger, workflowId } = scope;
	const { state, attempts, failedMs = 0 } = await ledger.look(ledgerKey(workflowId, event.id));
	if (state === 'pending' || state === 'stored' || state === 'running') return 'waiting';
	if (state === 'begun' || state === 'done') return 'done';
	if (state === 'failed') return afterFailure(attempts, failedMs);
	if (state === 'overdue' || publishedAt === undefined) return 'fresh';
	if ((createdAt(event) ?? Infinity) < publishedAt) return 'done';
	return (await ledger.look(ledgerKey(listedBefore(scope), event.id))).state === 'begun'
		? 'done'
		: 'fresh';
}

function afterFailure(attempts: number, failedMs: number): Knowledge {
	const waitMs = START_AGAIN_AFTER_MS[attempts - 1];
	if (waitMs === undefined) return 'done';
	return failedMs < waitMs ? 'waiting' : 'fresh';
}

/** Records events as listed at publication. */
export async function rememberListed(scope: Scope, ids: readonly string[]): Promise<void> {
	const keys = ids.map((id) => ledgerKey(listedBefore(scope), id));
	for (let from = 0; from < keys.length; from += AT_ONCE) {
		// Begun is final, as needed here; no run has this name.
		await scope.ledger.begin(keys.slice(from, from + AT_ONCE), 'baseline', RETENTION_MS);
	}
}
