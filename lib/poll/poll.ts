/**
 * One poll, step by step: list, find new events, start the workflow for them, remember the progress.
 *
 * The states of a poll trigger, kept in a record of the ledger (`PollState`):
 *
 *     unpublished ──publication──▶ published ◀───────── poll ─────────┐
 *                                      │                              │
 *                                      └─ too much to read ─▶ walking, until a poll reaches the end
 *
 * - publication: `now` fixes `publishedAt`, the time from which events start, and starts nothing; `retained` begins
 *   with a walk to the end of the list. Changing this setting is a new publication. Later publications change nothing.
 * - poll: reads from the newest event back to the *frontier* minus an overlap, and once an hour a whole day back.
 *   Every event created before the frontier was listed and has settled: begun, or not wanted. An event that was
 *   claimed, handed over or stored but has not begun holds the frontier back, so a later poll reads it again. So does
 *   an event that n8n gave back, or whose execution may have to be repeated.
 * - replay: a user reopened events. The next poll lowers the frontier to the oldest of them, once per request.
 * - walking: a poll may send a bounded number of requests. If it needs more, it remembers where it stopped, and the
 *   next polls read new events first and then continue there. The frontier stays until the walk reaches the end.
 * - the frontier is written last: after a page that failed or a process that died, the next poll reads the same range again.
 * - forgotten: the record is gone or older than n8n's own memory of the polls, which has the time up to which the
 *   trigger polled. No event created before that time starts by itself; all later ones do, and a log line reports it.
 *
 * A list that begins with the oldest event is read from an `anchor` to its end, where its new events are.
 */
import type { ParsedEvent } from '../event';
import type { ApiClient } from '../service';
import { counted } from '../shared/counted';
import { messageOf } from '../shared/thrown';
import { LISTING_SHARE, MOST_REQUESTS } from './bounds';
import { knowledgeOf, type Scope } from './knowledge';
import { Listing } from './listing';
import { type Memory, ProcessMemory } from './memory';
import { nextState, oldestUnsettled, readStretches } from './progress';
import { firstState } from './publication';
import { start as startItems } from '../start';
import { serveReplays } from './replay';
import { type Start, startEvents } from './start';
import { readState, type StartFrom, writeState } from './state';

export interface PollOptions extends Scope, Pick<Start, 'batchSize' | 'handOver'> {
	readonly client: Pick<ApiClient, 'list'>;
	readonly startFrom: StartFrom;
	readonly pageSize: number;
	readonly isWanted: (event: ParsedEvent) => boolean;
	/** Survives the loss of the ledger. */
	readonly memory: Memory;
	/** Called with messages for operators. */
	readonly warn: (message: string) => void;
	/** How long the poll may take, in milliseconds. */
	readonly budgetMs?: number | undefined;
	readonly now?: () => number;
}

interface Polled {
	/** Why the list could not be read further. */
	readonly failure?: Error | undefined;
	/** Resolves when the events have started and the progress is saved. */
	readonly started?: Promise<void>;
}

/** Nodes whose events are still being started. The next poll of such a node does nothing. */
const starting = new Set<string>();

/**
 * Polls once: starts the workflow for every event that the ledger has not seen, or that n8n stored but never ran.
 * Starting continues after the call returns. If a page of the list fails, events listed before it still start.
 * Throws `LedgerUnavailableError`, and the client's errors at publication.
 */
export async function poll(options: PollOptions): Promise<Polled> {
	const { ledger, workflowId, nodeId, client, pageSize, startFrom, warn } = options;
	const { now = Date.now, budgetMs = Infinity } = options;
	const polledAt = now();
	const deadline = performance.now() + budgetMs * LISTING_SHARE;
	const node = JSON.stringify([workflowId, nodeId]);
	const stateKey = `poll:${workflowId}:${nodeId}`;
	const memory = new ProcessMemory(node, startFrom, options.memory);
	let remembered = await readState(ledger, stateKey);
	const { until } = memory;
	const isForgotten = until !== undefined && until.polls > (remembered.state?.polls ?? -1);
	const isPublication = remembered.state?.startFrom !== startFrom;
	if (isPublication || isForgotten) {
		const forgotten = isForgotten ? until : undefined;
		const first = await firstState(options, { ...options, now: polledAt, forgotten });
		remembered = await writeState(ledger, stateKey, remembered, first);
		if (forgotten === undefined && startFrom === 'now') {
			memory.write(first.publishedAt, first.polls);
			return {};
		}
	}
	if (remembered.state === undefined || starting.has(node)) return {};
	const { frontier, publishedAt } = remembered.state;
	memory.advance(Math.max(frontier - 1, publishedAt), remembered.state.polls);
	const { state } = remembered;

	const isUnbounded = startFrom === 'retained' && state.publishedAt === 0;
	let requests = 0;
	const listing = new Listing({
		...{ client, pageSize, now: polledAt, isWanted: options.isWanted },
		mayRequest: () =>
			requests++ === 0 || (requests <= MOST_REQUESTS && performance.now() < deadline),
		look: (event) => knowledgeOf(options, event, isUnbounded ? undefined : state.publishedAt),
	});
	const reading = await readStretches(listing, state, polledAt);
	if (listing.withoutId > 0) {
		warn(`left out ${counted(listing.withoutId, 'listed event')} without an ID`);
	}

	const { fresh } = listing;
	const finish = async (): Promise<void> => {
		const isAll = reading.end === 'whole' && !state.walk && listing.waitingAt === undefined;
		const polls = state.polls + Number(fresh.length > 0);
		// Before n8n can know of this poll.
		if (polls > state.polls) {
			remembered = await writeState(ledger, stateKey, remembered, { ...state, polls });
			if (remembered.state === undefined) return;
		}
		const onProgress = (at: number) => {
			if (isAll) memory.advance(Math.min(at, polledAt), polls);
		};
		const failed = await serveReplays(options, {
			...{ client, pageSize, isWanted: options.isWanted, now: polledAt, warn },
			mayRequest: () => performance.now() < deadline,
			start: async (pairs) => await startItems(options, pairs),
		});
		if (failed !== undefined)
			warn(`the next poll continues with replayed events: ${failed.message}`);
		const open = await startEvents({ ...options, onProgress }, fresh);
		const next = nextState(listing, { ...state, polls }, { ...reading, open, polledAt });
		if (next === undefined) return;
		await writeState(ledger, stateKey, remembered, next);
		const settledAt = Math.min(next.frontier, oldestUnsettled(listing, open) - 1);
		memory.write(Math.max(settledAt, next.publishedAt), polls);
	};
	starting.add(node);
	const started = finish()
		.catch((error: unknown) => {
			warn(`the next poll continues with the rest: ${messageOf(error)}`);
		})
		.finally(() => starting.delete(node));
	return { failure: listing.failure, started };
}
