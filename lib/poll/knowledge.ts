/** Decides what a poll does with a listed event, by the ledger and the state of the trigger. */
import { type Account, type Ledger, ledgerKey } from '../ledger';
import { dueIn, isUnsettled, RETENTION_MS } from '../start';
import type { Listed } from '../walk';
import type { PollState } from './state';

/** `start`: start it. `wait`: unsettled, and not due. `done`: nothing left to do. */
export type Knowledge =
	{ readonly next: 'start' | 'done' } | { readonly next: 'wait'; readonly account: Account };

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

export async function knowledgeOf(
	scope: Scope,
	listed: Listed,
	state: PollState,
): Promise<Knowledge> {
	const account = await scope.ledger.look(ledgerKey(scope.workflowId, listed.event.id));
	if (!isUnsettled(account)) return { next: 'done' };
	if (account.state === 'free') {
		return { next: (await isNew(scope, listed, state)) ? 'start' : 'done' };
	}
	if (dueIn(account) === 0) return { next: 'start' };
	return { next: 'wait', account };
}

/**
 * Whether an event that the ledger does not know starts: one created since the publication, or that may have been,
 * unless it was listed then. Below the frontier, an event that is older than the last change of the filters was filtered
 * out before it.
 */
async function isNew(
	scope: Scope,
	listed: Listed,
	{ publishedAt, frontier, wantedSince, startFrom, open, trail }: PollState,
): Promise<boolean> {
	const { event } = listed;
	const at = (trail === undefined ? listed.by : listed.at) ?? Infinity;
	const isBelow = at <= frontier && at <= wantedSince;
	if (isBelow && !open.some(({ id }) => id === event.id)) return false;
	if (startFrom === 'retained' && publishedAt === 0) return true;
	if (at < publishedAt) return false;
	return (await scope.ledger.look(ledgerKey(listedBefore(scope), event.id))).state === 'free';
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
