/**
 * Starts the events that a user wants to run again (`lib/accounts/requests.ts`), and nothing else. It reads the pages that hold
 * them, by their places in the list: the record before each. So the cost depends on how many there are and not on how old they
 * are. The list may have changed since the places were noted.
 */
import { notePublishedAt, readPublication, type Requested, serveWaiting } from '../accounts';
import { oldestFirst, type ParsedEvent } from '../event';
import { type Source, type WalkOptions, walk } from '../follow';
import { type Account, ledgerKey } from '../ledger';
import { counted } from '../shared/text';
import { MINUTE_MS } from '../shared/time';
import type { Startable } from '../start';

/** An event is on the page after the record that was before it, or on the next one if others were listed late. */
const PAGES_AT_PLACE = 2;
/** The most pages that a poll reads for events that are no longer at their places. */
const PAGES_FROM_HEAD = 50;
/** How far apart the order of the list and the times of its events may be, in milliseconds. */
const DISORDER_MS = 10 * MINUTE_MS;

type ServedScope = Parameters<typeof serveWaiting>[0];

interface Serving extends Source {
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
export async function serveReplays(scope: ServedScope, serving: Serving): Promise<void> {
	const { ledger, workflowId } = scope;
	const publication = await readPublication(ledger, workflowId);
	await notePublishedAt(ledger, workflowId, { publication, at: serving.publishedAt });
	const isOwn = ({ incident }: Requested) => incident === undefined;
	const start = (due: readonly Requested[]) => startEvents(scope, serving, due);
	await serveWaiting(scope, { isOwn, start }, publication);
}

async function startEvents(
	{ workflowId }: ServedScope,
	serving: Serving,
	due: readonly Requested[],
) {
	const { isWanted, warn } = serving;
	const { events, lost, isOver, failure } = await find(serving, due);
	const unwanted = events.filter((event) => !isWanted(event));
	const pairs = oldestFirst(events.filter(isWanted)).map(({ id, record }) => ({
		...{ key: ledgerKey(workflowId, id), item: { record } },
	}));
	const after = pairs.length > 0 ? await serving.start(pairs) : undefined;
	if (unwanted.length > 0) {
		const events = counted(unwanted.length, 'event');
		warn(`did not start again: ${events} that the trigger no longer wants`);
	}
	if (lost.length > 0) {
		const events = counted(lost.length, 'event');
		warn(`did not start again: ${events}, since the list has changed. Run Replay again`);
	}
	if (failure !== undefined) {
		warn(`the next poll continues with the events that start again: ${failure.message}`);
	}
	const given = new Set([...unwanted, ...lost].map(({ id }) => id));
	return { after, given, isOver };
}

/** Reads the events at their places, neighbors together, then those that were not there from the head of the list. */
async function find(source: Source, wanted: readonly Requested[]) {
	const events: ParsedEvent[] = [];
	/** The events that the list does not have any more, as far as it was read. */
	let lost: Requested[] = [];
	const groups = groupsOf(wanted, source.pageSize);
	const atPlaces = groups.map((group) => ({
		...{ group, after: group[0]?.after, backTo: -Infinity, pages: PAGES_AT_PLACE },
	}));
	for (const { group, ...where } of atPlaces) {
		const { left, ...read } = await readFor(source, group, where);
		events.push(...read.events);
		lost.push(...left);
		if (read.isOver) return { ...read, events, lost: [] };
	}
	if (lost.length === 0) return { events, lost, isOver: false, failure: undefined };
	const oldest = lost
		.map(({ createdAt = -Infinity }) => createdAt)
		.reduce((a, b) => Math.min(a, b));
	const fromHead = { backTo: oldest - DISORDER_MS, pages: PAGES_FROM_HEAD };
	const { left, ...read } = await readFor(source, lost, fromHead);
	lost = read.isOver ? [] : left;
	return { ...read, events: [...events, ...read.events], lost };
}

/** Events that were on one page of the list, in its order. */
function groupsOf(events: readonly Requested[], pageSize: number): Requested[][] {
	const groups: Requested[][] = [];
	for (const event of events.toSorted((a, b) => a.index - b.index)) {
		const last = groups.at(-1);
		const first = last?.[0];
		if (last && first && event.index - first.index < pageSize) last.push(event);
		else groups.push([event]);
	}
	return groups;
}

/** Reads pages until it has found all of these events. `left`: those that it has not. `isOver`: the next poll continues. */
async function readFor(
	{ client, pageSize, mayRequest, now }: Source,
	wanted: readonly Requested[],
	{ pages, ...where }: Pick<WalkOptions, 'after' | 'backTo'> & { readonly pages: number },
) {
	const left = new Map(wanted.map((event) => [event.id, event]));
	const events: ParsedEvent[] = [];
	let [asked, isRefused] = [0, false];
	const read = await walk(
		{
			...{ client, pageSize, now, ...where },
			mayRequest: () => {
				if (asked++ >= pages) return false;
				isRefused = !mayRequest();
				return !isRefused;
			},
		},
		async (page) => {
			for (const { event } of page) if (left.delete(event.id)) events.push(event);
			return left.size > 0;
		},
	);
	const failure = read.isCursorRefused ? undefined : read.failure;
	const isOver = isRefused || failure !== undefined;
	return { events, left: [...left.values()], isOver, failure };
}
