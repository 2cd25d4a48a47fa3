/**
 * One poll, step by step: list, find new events, start the workflow for them, remember the progress.
 *
 * The state of a poll trigger is a record of the ledger (`PollState`). How the list is followed is in `lib/follow`.
 *
 * - publication: `now` fixes `publishedAt`, the time from which events start, and starts nothing; `retained` begins
 *   with the whole list. Changing this setting is a new publication. Later publications change nothing.
 * - the *frontier*: every event created before it was listed and has settled: begun, or not wanted. Below it, a free event
 *   is one that was listed late, unless it is older than the last change of the filters, which had left it out.
 * - open: an event that was claimed, handed over or stored but has not begun, or may have to be repeated, is remembered with
 *   its place in the list. A poll looks it up in the ledger, and reads it again when it can start.
 * - the state is written last: after a process that died, the next poll reads the same range again.
 * - forgotten: the record is gone or older than n8n's own memory of the polls, which has the time up to which the
 *   trigger polled. No event created before that time starts by itself; all later ones do, and a log line reports it.
 */
import { forgottenBy, type Memory } from '../follow';
import { messageOf } from '../shared/errors';
import { sleep } from '../shared/pace';
import { start } from '../start';
import { firstState } from './publication';
import { serveReplays } from './replay';
import { readOnce, type Round, type RoundOptions } from './round';
import { type PollState, readState, type Saved, type StartFrom, writeState } from './state';

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

interface PollResult {
	/** Why the list could not be read further. */
	readonly failure?: Error | undefined;
	/** Resolves when the events have started and the progress is saved. */
	readonly started?: Promise<void>;
	/** Everything created up to then has been read, in Unix milliseconds. Absent if this poll did not read. */
	readonly readUpTo?: number;
}

/** The time of a poll that replayed events may take. */
const REPLAY_SHARE = 0.25;
/** A poll that starts replayed events does not wait for them. */
const SAVED_WITHIN_MS = 1_000;

/** Nodes that are polling, or whose events are still being started. The next poll of such a node does nothing. */
const polling = new Set<string>();

/**
 * Polls once: starts the workflow for every event that the ledger has not seen, or that n8n stored but never ran.
 * Starting continues after the call returns. If a page of the list fails, events listed before it still start.
 * Throws `LedgerUnavailableError`, and the client's errors at publication.
 */
export async function poll(options: PollOptions): Promise<PollResult> {
	const { workflowId, nodeId, memory, warn, budgetMs = Infinity } = options;
	const { now = Date.now, clock = () => performance.now() } = options;
	const node = JSON.stringify([workflowId, nodeId]);
	const stateKey = `poll:${workflowId}:${nodeId}`;
	const deadline = clock() + budgetMs;
	const isOver = () => clock() >= deadline;
	const saved = await readOrPublish(options, { stateKey, polledAt: now(), isOver });
	if (saved?.state === undefined || polling.has(node)) return {};

	polling.add(node);
	const read = async (last: Saved & { state: PollState }): Promise<Round> =>
		await readOnce(options, last, wantedNow(last.state, options.wanted), {
			...{ stateKey, memory, isOver, polledAt: now() },
		});
	const finish = async (first: Round, { publishedAt }: PollState): Promise<void> => {
		const replaysFrom = clock();
		await serveReplays(options, {
			...{ ...options, publishedAt, now: now() },
			mayRequest: () => clock() < replaysFrom + budgetMs * REPLAY_SHARE,
			start: async (pairs) => await start(options, pairs),
		});
		for (let round: Round | undefined = first; round !== undefined;) {
			const last: Saved | undefined = await round.finish();
			round = last?.state && (await read({ ...last, state: last.state }));
		}
	};
	try {
		const first = await read({ ...saved, state: saved.state });
		const started = finish(first, saved.state)
			.catch((error: unknown) => {
				warn(`the next poll continues with the rest: ${messageOf(error)}`);
			})
			.finally(() => polling.delete(node));
		// With nothing to start, the state is saved soon, and the next poll finds this one over.
		if (first.isEmpty) await Promise.race([started, sleep(SAVED_WITHIN_MS, { keepAlive: false })]);
		return { failure: first.failure, started, readUpTo: first.readUpTo };
	} catch (error) {
		polling.delete(node);
		throw error;
	}
}

interface Publishing {
	readonly stateKey: string;
	readonly polledAt: number;
	readonly isOver: () => boolean;
}

/** The saved state; undefined if this poll is a publication that starts nothing. */
async function readOrPublish(
	options: PollOptions,
	{ stateKey, polledAt, isOver }: Publishing,
): Promise<Saved | undefined> {
	const { ledger, client, pageSize, memory, startFrom, wanted = '', warn } = options;
	const saved = await readState(ledger, stateKey);
	const forgotten = forgottenBy(memory, startFrom, saved.state?.polls);
	if (saved.state?.startFrom === startFrom && forgotten === undefined) return saved;
	const source = { client, pageSize, now: polledAt, mayRequest: () => !isOver() };
	const state = await firstState(options, source, { startFrom, wanted, forgotten, warn });
	const published = await writeState(ledger, stateKey, saved, state);
	if (forgotten !== undefined || startFrom === 'retained') return published;
	const { publishedAt, polls } = state;
	memory.write({ as: startFrom, publishedAt, at: publishedAt, polls });
	return undefined;
}

/** The state, with another choice of events noted. */
function wantedNow(state: PollState, wanted = ''): PollState {
	if (state.wanted === wanted) return state;
	return { ...state, wanted, wantedSince: state.position.newestAt };
}
