/** Says what a poll has to do about a listed event, by the ledger and by when the workflow was first published. */
import { createdAt, type ParsedEvent } from '../event';
import { type Ledger, ledgerKey } from '../ledger';
import { RETENTION_MS } from './bounds';

/** `fresh`: start it. `waiting`: it was handed over and has not begun, so it is not settled. `done`: nothing is left to do. */
export type Knowledge = 'fresh' | 'waiting' | 'done';

export interface Scope {
	readonly ledger: Ledger;
	readonly workflowId: string;
	readonly nodeId: string;
}

/** Written together into the ledger, so that no step of it takes long. */
const AT_ONCE = 100;

/** A scope of its own in the ledger: a webhook may still deliver these events, and then they start. */
const listedBefore = ({ workflowId, nodeId }: Scope): string =>
	JSON.stringify([workflowId, nodeId, 'listed before publication']);

/**
 * What is known of an event. `publishedAt` decides about one that nothing has started: created before, it does not
 * start. From then on, or without a time, it starts unless it was listed at the publication. Undefined is no such bound.
 */
export async function knowledgeOf(
	scope: Scope,
	event: ParsedEvent,
	publishedAt: number | undefined,
): Promise<Knowledge> {
	const { ledger, workflowId } = scope;
	const { state } = await ledger.look(ledgerKey(workflowId, event.id));
	if (state === 'pending' || state === 'stored') return 'waiting';
	if (state === 'begun') return 'done';
	if (state === 'overdue' || publishedAt === undefined) return 'fresh';
	if ((createdAt(event) ?? Infinity) < publishedAt) return 'done';
	return (await ledger.look(ledgerKey(listedBefore(scope), event.id))).state === 'begun'
		? 'done'
		: 'fresh';
}

/** Remembers events as listed at the publication. */
export async function rememberListed(scope: Scope, ids: readonly string[]): Promise<void> {
	const keys = ids.map((id) => ledgerKey(listedBefore(scope), id));
	for (let from = 0; from < keys.length; from += AT_ONCE) {
		// Begun is final, which is what this needs; no run has this name.
		await scope.ledger.begin(keys.slice(from, from + AT_ONCE), 'baseline', RETENTION_MS);
	}
}
