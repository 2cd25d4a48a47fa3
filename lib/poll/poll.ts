/**
 * One poll, step by step: list, find new events, start the workflow for them, remember the progress.
 *
 * The state of a poll trigger is a record of the ledger (`PollState`). How the list is followed is in `lib/follow`.
 *
 * - publication: `now` fixes `publishedAt`, the time from which events start, and starts nothing; `retained` begins
 *   with the whole list. Changing this setting is a new publication. Later publications change nothing.
 * - the *frontier*: every event created before it was listed and has settled: begun, or not wanted.
 * - new filters: what was read before they changed stays left out; what was unread then, or is created later, starts by them.
 *   An event that is listed late cannot be told from one that was left out, and starts if it is newer than the change.
 * - open: an event that was claimed, handed over or stored but has not begun, or may have to be repeated, is remembered with
 *   its place in the list. A poll looks it up in the ledger, and reads it again when it can start.
 * - when what is new has started, a poll looks back as long as there is time (`readOn`), so that this delays nothing.
 * - the state is written last: after a process that died, the next poll reads the same range again.
 * - forgotten: the record is gone or older than n8n's own memory of the polls, which has the time up to which the
 *   trigger polled. No event created before that time starts by itself; all later ones do, and a log line reports it.
 */
import type { ParsedEvent } from '../event';
import {
	advance,
	begin,
	Budget,
	follow,
	forgottenBy,
	type Polled,
	type Polling,
	type PollOutcome,
	positionAt,
	readOn,
	readSaved,
	type Saved,
	UntimedError,
	writeSaved,
} from '../follow';
import { ledgerKey } from '../ledger';
import { hintOf, messageOf } from '../shared/errors';
import { sleep } from '../shared/pace';
import { isUnsettled, start, type Start, type Startable } from '../start';
import {
	Finds,
	openOf,
	pollFormat,
	type PollState,
	rememberListed,
	settled,
	unsettledAt,
} from './events';
import { serveReplays } from './replay';

export interface PollOptions extends Polling {
	readonly startFrom: 'now' | 'retained';
	readonly isWanted: (event: ParsedEvent) => boolean;
	/** Describes `isWanted`: another text is another choice of events. */
	readonly wanted: string;
	readonly pageSize: number;
}

/** The time of a poll that replayed events may take. */
const REPLAY_SHARE = 0.25;
/** A poll that starts replayed events does not wait for them. */
const SAVED_WITHIN_MS = 1_000;
/** Events that are started together, which limits the memory; then the poll reads on. */
export const MOST_AT_ONCE = 10_000;

const CONTINUES = 'the next poll continues with the rest';

/** Nodes that are polling, or whose events are still being started. The next poll of such a node does nothing. */
const polling = new Set<string>();

/** A poll on its way. */
type RunningPoll = ReturnType<typeof running>;

function running(options: PollOptions) {
	const { workflowId, nodeId } = options;
	return { ...options, key: `poll:${workflowId}:${nodeId}`, budget: new Budget(options) };
}

/**
 * Polls once: starts the workflow for every event that the ledger has not seen, or that n8n stored but never ran.
 * Starting continues after the call returns. If a page of the list fails, events listed before it still start.
 * Throws `LedgerUnavailableError`, the client's errors at publication, and an `UntimedError`.
 */
export async function poll(options: PollOptions): Promise<PollOutcome> {
	const own = running(options);
	const saved = await readOrPublish(own);
	if (saved?.state === undefined || polling.has(own.key)) return {};
	polling.add(own.key);
	try {
		const first = await readOnce(own, saved, saved.state, follow);
		// Nothing of it starts: what is new could not be told from what is not.
		if (first.failure instanceof UntimedError) throw first.failure;
		const started = startAll(own, first)
			.catch((error: unknown) => {
				own.warn(`${CONTINUES}: ${messageOf(error)}`);
			})
			.finally(() => polling.delete(own.key));
		// With nothing to start, the state is saved soon, and the next poll finds this one over.
		if (first.isEmpty) await Promise.race([started, sleep(SAVED_WITHIN_MS, { keepAlive: false })]);
		return { failure: first.failure, started, readUpTo: first.readUpTo };
	} catch (error) {
		polling.delete(own.key);
		throw error;
	}
}

/** The saved state; undefined if this poll is a publication that starts nothing. */
async function readOrPublish(own: RunningPoll): Promise<Saved<PollState> | undefined> {
	const { ledger, key, memory, startFrom: as } = own;
	const saved = await readSaved(ledger, key, pollFormat);
	const forgotten = forgottenBy(memory, as, saved.state?.polls);
	if (saved.state?.as === as && forgotten === undefined) return saved;
	const state = await firstState(own, forgotten);
	const published = await writeSaved(ledger, key, saved, state);
	if (forgotten !== undefined || as === 'retained') return published;
	const { publishedAt, polls } = state;
	memory.write({ as, publishedAt, at: publishedAt, polls });
	return undefined;
}

/**
 * The state that a trigger begins with, or continues with after the ledger lost its data. With `now`, events that are listed
 * by then do not start: the publication is at the newest time listed, at most `now`. Records from that time on, and those
 * without a time, are recorded one by one. Of an empty list, it is the service's own time, so that no event is lost if the
 * clock of the service is behind. Throws the error of the list.
 */
async function firstState(own: RunningPoll, forgotten: Polled | undefined): Promise<PollState> {
	const { client, pageSize, budget, startFrom: as, wanted, warn } = own;
	const now = own.now();
	const common = { as, wanted, wantedSince: 0, polls: forgotten?.polls ?? 0, open: [] };
	if (forgotten === undefined && as === 'retained') {
		return { ...common, publishedAt: 0, frontier: 0, position: positionAt(0) };
	}
	if (forgotten !== undefined) {
		warn(
			`the event ledger was replaced or lost its data: events created up to ${new Date(forgotten.at).toISOString()} do not start by themselves; later ones do, even if they have started before`,
		);
	}
	let known: { id: string; at: number | undefined }[] = [];
	let newest: number | undefined;
	const source = { client, pageSize, now, mayRequest: budget.mayRequest };
	const { failure, position, isWhole, serviceNow } = await begin(source, async (page) => {
		for (const { at } of page) if (at !== undefined) newest = Math.max(newest ?? at, at);
		const listed = [...known, ...page.map(({ event: { id }, at }) => ({ id, at }))];
		// Events created since an earlier publication are the missed ones.
		const isKnown = (at: number) => forgotten === undefined && at >= Math.min(newest ?? now, now);
		known = listed.filter(({ at }) => at === undefined || isKnown(at));
		return true;
	});
	if (failure !== undefined) throw failure;
	const ids = known.map(({ id }) => id);
	await rememberListed(own, ids);
	if (forgotten !== undefined) {
		const { at } = forgotten;
		return { ...common, publishedAt: at + 1, frontier: at, position: positionAt(at) };
	}
	const publishedAt = isWhole && newest !== undefined ? Math.min(newest, now) : serviceNow;
	return { ...common, publishedAt, frontier: publishedAt, position };
}

/** One reading of the list: as far as the time and the memory allow. */
interface Round extends PollOutcome {
	readonly publishedAt: number;
	/** Whether it found no event to start. */
	readonly isEmpty: boolean;
	/** Starts what was found and saves the progress. Returns what is saved if there is more to read, and time left. */
	readonly finish: () => Promise<Saved<PollState> | undefined>;
}

async function startAll(own: RunningPoll, first: Round): Promise<void> {
	const { now, clock, budgetMs } = own;
	const replaysUntil = clock() + budgetMs * REPLAY_SHARE;
	await serveReplays({
		...own,
		publishedAt: first.publishedAt,
		now: now(),
		mayRequest: () => clock() < replaysUntil,
		start: async (pairs) => await start(own, pairs),
	});
	for (let round: Round | undefined = first; round !== undefined;) {
		const last: Saved<PollState> | undefined = await round.finish();
		round = last?.state && (await readOnce(own, last, last.state, readOn));
		const failure = round?.failure;
		if (failure !== undefined)
			own.warn(`${CONTINUES}: ${messageOf(failure)}`, 'poll_failed', 1, hintOf(failure));
	}
}

async function readOnce(
	own: RunningPoll,
	read: Saved<PollState>,
	last: PollState,
	reading: typeof follow,
): Promise<Round> {
	const { ledger, workflowId, key, memory, budget, client, pageSize, wanted } = own;
	const polledAt = own.now();
	const isSame = last.wanted === wanted;
	const before = isSame ? last : { ...last, wanted, wantedSince: last.position.newestAt };
	const { publishedAt, as } = before;
	const polled = (at: number, polls: number) => ({
		as,
		publishedAt,
		polls,
		at: Math.max(at, publishedAt),
	});
	advance(memory, polled(before.frontier - 1, before.polls));

	const finds = new Finds(own, own.isWanted, before, polledAt);
	const { due, again, waiting } = await openOf(own, before);
	const isFull = () => finds.fresh.size >= MOST_AT_ONCE;
	const mayRequest = () => !isFull() && budget.mayRequest();
	const source = { client, pageSize, mayRequest, again, now: polledAt };
	const followed = await reading(before.position, source, finds.take);
	const { position, failure, onward } = followed;
	// It may not have come to them; one that reads on does not look for them.
	const isLeft = position.stretches.some(({ kind }) => kind === 'again');
	if (isLeft || failure !== undefined || reading === readOn) waiting.push(...due);

	const finish = async (): Promise<Saved<PollState> | undefined> => {
		const fresh = finds.oldestFirst(position.order === 'oldestFirst');
		const polls = before.polls + Number(fresh.length > 0);
		let saved = read;
		// Before n8n can know of this poll.
		if (polls > before.polls) {
			saved = await writeSaved(ledger, key, read, { ...before, polls });
			if (saved.state === undefined) return undefined;
		}
		const byKey = new Map(fresh.map((each) => [ledgerKey(workflowId, each.event.id), each]));
		const after = { ...before, position, polls };
		const isAll = failure === undefined && [before, after].every(isSettled);
		const timeOf = ({ key }: Startable) => byKey.get(key)?.at ?? -Infinity;
		const onProgress: Start['onProgress'] = (batch, unsettled) => {
			if (!isAll || finds.open.size > 0) return;
			const upTo = unsettled === undefined ? polledAt : timeOf(unsettled) - 1;
			const at = Math.min(Math.max(...batch.map(timeOf)), upTo, polledAt);
			advance(memory, polled(at, polls));
		};
		const pairs = [...byKey].map(([key, { event }]) => ({ key, item: { record: event.record } }));
		const accounts = await start({ ...own, onProgress }, pairs);
		for (const [key, listed] of byKey) {
			const account = accounts.get(key);
			if (account && isUnsettled(account)) finds.leaveOpen(listed, account);
		}
		const open = new Map([...waiting.map((each) => [each.id, each] as const), ...finds.open]);
		const next = settled(after, open.values(), polledAt);
		saved = await writeSaved(ledger, key, saved, next);
		const settledAt = unsettledAt(next) - Number(!isSettled(next));
		if (failure === undefined) memory.write(polled(Math.min(settledAt, polledAt), polls));
		const isStuck = isFull() && finds.open.size > fresh.length / 2;
		if (onward === undefined || saved.state === undefined || !budget.isLeft || isStuck)
			return undefined;
		const state = settled({ ...saved.state, position: onward }, open.values(), polledAt);
		return { ...saved, state };
	};
	const { knownUpTo: readUpTo } = position;
	return { failure, readUpTo, publishedAt, isEmpty: finds.fresh.size === 0, finish };
}

/** Whether everything up to the newest event listed has been listed and has begun. */
const isSettled = (state: PollState) => unsettledAt(state) === state.position.newestAt;
