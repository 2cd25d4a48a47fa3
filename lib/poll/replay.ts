/**
 * Starts the events that a user wants to run again (`lib/accounts/requests.ts`), and nothing else. It reads the pages that hold
 * them, by their places in the list: the record before each. So the cost depends on how many there are and not on how old they
 * are. The list may have changed since the places were noted.
 */
import { notePublishedAt, type Requested, serveWaiting } from '../accounts';
import { oldestFirst, type ParsedEvent } from '../event';
import { DISORDER_MS, type Source, type WalkOptions, walk } from '../follow';
import { type Account, ledgerKey } from '../ledger';
import { counted } from '../shared/text';
import type { Startable } from '../start';
import type { PollScope } from './events';

/** An event is on the page after the record that was before it, or on the next one if others were listed late. */
const PAGES_AT_PLACE = 2;
/** The most pages that a poll reads for events that are no longer at their places. */
const PAGES_FROM_HEAD = 50;

interface Serving extends PollScope, Source {
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
export async function serveReplays(serving: Serving): Promise<void> {
	const { ledger, workflowId, isWanted, warn } = serving;
	const publication = await notePublishedAt(ledger, workflowId, serving.publishedAt);
	const isOwn = ({ incident }: Requested) => incident === undefined;
	await serveWaiting(serving, publication, isOwn, async (due) => {
		const { events, lost, isOver, failure } = await find(serving, due);
		const unwanted = events.filter((event) => !isWanted(event));
		const pairs = oldestFirst(events.filter(isWanted)).map(({ id, record }) => ({
			key: ledgerKey(workflowId, id),
			item: { record },
		}));
		const after = pairs.length > 0 ? await serving.start(pairs) : undefined;
		const left = (count: number, why: string) => {
			if (count > 0) warn(`did not start again: ${counted(count, 'event')}${why}`);
		};
		left(unwanted.length, ' that the trigger no longer wants');
		left(lost.length, ', since the list has changed. Run Replay again');
		if (failure !== undefined) {
			warn(`the next poll continues with the events that start again: ${failure.message}`);
		}
		return { after, given: new Set([...unwanted, ...lost].map(({ id }) => id)), isOver };
	});
}

/**
 * Reads the events at their places, neighbors together, then those that were not there from the head of the list. `lost`: those
 * that the list does not have any more, as far as it was read. `isOver`: the next poll continues.
 */
async function find({ client, pageSize, mayRequest, now }: Source, wanted: readonly Requested[]) {
	const left = new Map(wanted.map((event) => [event.id, event]));
	const events: ParsedEvent[] = [];
	const readUntilFound = async (
		some: readonly Requested[],
		pages: number,
		part: Pick<WalkOptions, 'after' | 'backTo'>,
	) => {
		let [asked, isRefused] = [0, false];
		const options = {
			client,
			pageSize,
			now,
			...part,
			mayRequest: () => asked++ < pages && !(isRefused = !mayRequest()),
		};
		const read = await walk(options, async (page) => {
			for (const { event } of page) if (left.delete(event.id)) events.push(event);
			return some.some(({ id }) => left.has(id));
		});
		const failure = read.isCursorRefused ? undefined : read.failure;
		return { isOver: isRefused || failure !== undefined, failure };
	};
	let end: Awaited<ReturnType<typeof readUntilFound>> = { isOver: false, failure: undefined };
	for (const group of groupsOf(wanted, pageSize)) {
		const place = { after: group[0]?.after, backTo: -Infinity };
		if (!end.isOver) end = await readUntilFound(group, PAGES_AT_PLACE, place);
	}
	if (!end.isOver && left.size > 0) {
		const lost = [...left.values()];
		const oldest = lost.reduce(
			(at, { createdAt = -Infinity }) => Math.min(at, createdAt),
			Infinity,
		);
		end = await readUntilFound(lost, PAGES_FROM_HEAD, { backTo: oldest - DISORDER_MS });
	}
	return { ...end, events, lost: end.isOver ? [] : [...left.values()] };
}

/** Events that were on one page of the list, in its order. */
function groupsOf(events: readonly Requested[], pageSize: number): Requested[][] {
	const groups: Requested[][] = [];
	for (const event of events.toSorted((a, b) => a.index - b.index)) {
		const last = groups.at(-1);
		if (last && event.index - (last[0]?.index ?? NaN) < pageSize) last.push(event);
		else groups.push([event]);
	}
	return groups;
}
