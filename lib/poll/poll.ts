/**
 * One poll, step by step: list, find new events, start the workflow for them, remember the progress.
 *
 * The states of a poll trigger, kept in a record of the ledger (`PollState`):
 *
 *     unpublished ──publication──▶ published ◀───────── poll ─────────┐
 *                                      │                              │
 *                                      └─ too much to read ─▶ walking, until polls reach the end of each part
 *
 * - publication: `now` fixes `publishedAt`, the time from which events start, and starts nothing; `retained` begins
 *   with a walk to the end of the list. Changing this setting is a new publication. Later publications change nothing.
 * - poll: reads the new events, then a little behind them, and more the longer that was not done (`LOOK_BACKS`). What it
 *   has no time for is a part to be walked by the next polls, which read their new events first (`reading.ts`).
 * - the *frontier*: every event created before it was listed and has settled: begun, or not wanted. Below it, a free event
 *   is one that was listed late, unless it is older than the last change of the filters, which had left it out.
 * - open: an event that was claimed, handed over or stored but has not begun, or may have to be repeated, is remembered with
 *   its place in the list. A poll looks it up in the ledger, and reads it again when it can start.
 * - the state is written last: after a process that died, the next poll reads the same range again.
 * - forgotten: the record is gone or older than n8n's own memory of the polls, which has the time up to which the
 *   trigger polled. No event created before that time starts by itself; all later ones do, and a log line reports it.
 *
 * A list that begins with the oldest event is read at its end, where its new events are (`trail.ts`).
 */
import { start } from '../start';
import { messageOf } from '../shared/thrown';
import { Budget } from './budget';
import { type Memory, ProcessMemory } from './memory';
import { firstState } from './publication';
import { serveReplays } from './replay';
import { readOnce, type Round, type RoundOptions } from './round';
import { type PollState, readState, type Remembered, type StartFrom, writeState } from './state';

export interface PollOptions extends RoundOptions {
	readonly startFrom: StartFrom;
	/** Describes `isWanted`: another text is another choice of events. */
	readonly wanted?: string;
	/** Survives the loss of the ledger. */
	readonly memory: Memory;
	/** How long the poll may read the list, in milliseconds. */
	readonly budgetMs?: number | undefined;
	readonly now?: () => number;
	/** Milliseconds of a clock that nobody sets. */
	readonly clock?: () => number;
}

interface Polled {
	/** Why the list could not be read further. */
	readonly failure?: Error | undefined;
	/** Resolves when the events have started and the progress is saved. */
	readonly started?: Promise<void>;
}

/** The time of a poll that replayed events may take. */
const REPLAY_SHARE = 0.25;

/** Nodes that are polling, or whose events are still being started. The next poll of such a node does nothing. */
const polling = new Set<string>();

/**
 * Polls once: starts the workflow for every event that the ledger has not seen, or that n8n stored but never ran.
 * Starting continues after the call returns. If a page of the list fails, events listed before it still start.
 * Throws `LedgerUnavailableError`, and the client's errors at publication.
 */
export async function poll(options: PollOptions): Promise<Polled> {
	const { workflowId, nodeId, startFrom, warn, budgetMs = Infinity } = options;
	const { now = Date.now, clock = () => performance.now() } = options;
	const node = JSON.stringify([workflowId, nodeId]);
	const stateKey = `poll:${workflowId}:${nodeId}`;
	const memory = new ProcessMemory(node, startFrom, options.memory);
	const remembered = await readOrPublish(options, stateKey, memory, now());
	if (remembered?.state === undefined || polling.has(node)) return {};

	polling.add(node);
	const deadline = clock() + budgetMs;
	const read = async (saved: Remembered & { state: PollState }): Promise<Round> => {
		const before = wantedNow(saved.state, options.wanted);
		const context = { stateKey, memory, clock, deadline, polledAt: now() };
		return await readOnce(options, saved, before, context);
	};
	const finish = async (first: Round, { publishedAt }: PollState): Promise<void> => {
		await serveReplays(options, {
			...{ ...options, publishedAt, now: now() },
			mayRequest: Budget.ofTime(budgetMs * REPLAY_SHARE, clock).share(1),
			start: async (pairs) => await start(options, pairs),
		});
		for (let round: Round | undefined = first; round !== undefined;) {
			const saved: Remembered | undefined = await round.finish();
			round = saved?.state && (await read({ ...saved, state: saved.state }));
		}
	};
	try {
		const first = await read({ ...remembered, state: remembered.state });
		const started = finish(first, remembered.state)
			.catch((error: unknown) => {
				warn(`the next poll continues with the rest: ${messageOf(error)}`);
			})
			.finally(() => polling.delete(node));
		return { failure: first.failure, started };
	} catch (error) {
		polling.delete(node);
		throw error;
	}
}

/** The saved state; undefined if this poll is a publication that starts nothing. */
async function readOrPublish(
	options: PollOptions,
	stateKey: string,
	memory: ProcessMemory,
	polledAt: number,
): Promise<Remembered | undefined> {
	const { ledger, startFrom, wanted = '' } = options;
	const remembered = await readState(ledger, stateKey);
	const { until } = memory;
	const isForgotten = until !== undefined && until.polls > (remembered.state?.polls ?? -1);
	if (remembered.state?.startFrom === startFrom && !isForgotten) return remembered;
	const forgotten = isForgotten ? until : undefined;
	const state = await firstState(options, { ...options, wanted, now: polledAt, forgotten });
	const saved = await writeState(ledger, stateKey, remembered, state);
	if (forgotten !== undefined || startFrom === 'retained') return saved;
	memory.write(state.publishedAt, state.polls);
	return undefined;
}

/** The state, with another choice of events noted. */
function wantedNow(state: PollState, wanted = ''): PollState {
	return state.wanted === wanted ? state : { ...state, wanted, wantedSince: state.readTo };
}
