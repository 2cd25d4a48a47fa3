/** Decides what a poll does with a listed event, by the ledger and the time of the first publication. */
import { createdAt, type ParsedEvent } from '../event';
import { type Account, type EntryState, type Ledger, ledgerKey, MOST_ATTEMPTS } from '../ledger';
import { RETENTION_MS } from './bounds';

/** `fresh`: start it. `waiting`: unsettled, and not due. `done`: nothing left to do. */
export type Knowledge = 'fresh' | 'waiting' | 'done';

export interface Scope {
	readonly ledger: Ledger;
	readonly workflowId: string;
	readonly nodeId: string;
}

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
	const account = await ledger.look(ledgerKey(workflowId, event.id));
	if (!isUnsettled(account)) return 'done';
	if (account.state === 'overdue' || account.dueInMs === 0) return 'fresh';
	if (account.state !== 'free') return 'waiting';
	if (publishedAt === undefined) return 'fresh';
	if ((createdAt(event) ?? Infinity) < publishedAt) return 'done';
	return (await ledger.look(ledgerKey(listedBefore(scope), event.id))).state !== 'free'
		? 'done'
		: 'fresh';
}

const NOT_BEGUN: ReadonlySet<EntryState> = new Set(['free', 'pending', 'stored', 'overdue']);

/** Whether a poll has to read the event again: it has not begun, or may have to be repeated. */
export function isUnsettled({ state, attempts, dueInMs, repeats }: Account): boolean {
	const mayRepeat = repeats === true || dueInMs !== undefined;
	return NOT_BEGUN.has(state) || (mayRepeat && attempts < MOST_ATTEMPTS);
}

/** Begun is final, as needed here; no execution has this name. */
const LISTED = {
	run: 'baseline',
	acknowledge: 'stored',
	retentionMs: RETENTION_MS,
	reportsEnd: false,
} as const;

/** Records events as listed at publication. */
export async function rememberListed(scope: Scope, ids: readonly string[]): Promise<void> {
	const keys = ids.map((id) => ledgerKey(listedBefore(scope), id));
	for (let from = 0; from < keys.length; from += AT_ONCE) {
		await scope.ledger.begin(keys.slice(from, from + AT_ONCE), LISTED);
	}
}
