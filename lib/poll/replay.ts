/**
 * Starts the events that a user wants to run again (`lib/accounts/requests.ts`), and nothing else. It reads the pages that hold
 * them, by their places in the list, so the cost depends on how many there are and not on how old they are.
 */
import {
	notePublishedAt,
	readPublication,
	type ReplayScope,
	type Requested,
	serveWaiting,
	type StartedReplays,
} from '../accounts';
import { oldestFirst, type ParsedEvent } from '../event';
import { type Account, ledgerKey } from '../ledger';
import { counted } from '../shared/text';
import type { Startable } from '../start';
import { find, type ListReading } from './findByPlace';

interface Serving extends ListReading {
	/** Starts the items; returns what the ledger knows of each afterwards. */
	readonly start: (pairs: readonly Startable[]) => Promise<ReadonlyMap<string, Account>>;
	readonly isWanted: (event: ParsedEvent) => boolean;
	/** The time of publication by the poll's own state, in Unix milliseconds; 0 for all retained events. */
	readonly publishedAt: number;
	/** Called with messages for operators. */
	readonly warn: (message: string) => void;
}

/**
 * Starts the replayed events that wait for this trigger, the oldest first. If the list cannot be read, the next poll continues.
 * Throws `LedgerUnavailableError`.
 */
export async function serveReplays(scope: ReplayScope, serving: Serving): Promise<void> {
	const { ledger, workflowId } = scope;
	const publication = await readPublication(ledger, workflowId);
	await notePublishedAt(ledger, workflowId, { publication, at: serving.publishedAt });
	const isOwn = ({ incident }: Requested) => incident === undefined;
	const start = (due: readonly Requested[]) => startEvents(scope, serving, due);
	await serveWaiting(scope, { isOwn, start }, publication);
}

async function startEvents(
	{ workflowId }: ReplayScope,
	serving: Serving,
	due: readonly Requested[],
): Promise<StartedReplays> {
	const { events, lost, isOver, failure } = await find(serving, due);
	const unwanted = events.filter((event) => !serving.isWanted(event));
	const pairs = oldestFirst(events.filter((event) => !unwanted.includes(event))).map(
		({ id, record }) => ({ key: ledgerKey(workflowId, id), item: { record } }),
	);
	const after = pairs.length > 0 ? await serving.start(pairs) : undefined;
	if (unwanted.length > 0) {
		serving.warn(
			`did not start again: ${counted(unwanted.length, 'event')} that the trigger no longer wants`,
		);
	}
	if (lost.length > 0) {
		serving.warn(
			`did not start again: ${counted(lost.length, 'event')}, since the list has changed. Run Replay again`,
		);
	}
	if (failure !== undefined) {
		serving.warn(`the next poll continues with the events that start again: ${failure.message}`);
	}
	const given = new Set([...unwanted, ...lost].map(({ id }) => id));
	return { after, given, isOver };
}
