/** Finds events in the list by their places: the record before each. The list may have changed since the places were noted. */
import type { Requested } from '../accounts';
import type { ParsedEvent } from '../event';
import { type WalkOptions, walk } from '../follow';
import type { ApiClient } from '../service';
import { MINUTE_MS } from '../shared/time';

export interface ListReading {
	readonly client: Pick<ApiClient, 'list'>;
	readonly pageSize: number;
	/** Called before each request; false leaves the rest to the next poll. */
	readonly mayRequest: () => boolean;
	readonly now: number;
}

/** An event is on the page after the record that was before it, or on the next one if others were listed late. */
const PAGES_AT_PLACE = 2;
/** The most pages that a poll reads for events that are no longer at their places. */
const PAGES_FROM_HEAD = 50;
/** How far apart the order of the list and the times of its events may be, in milliseconds. */
const DISORDER_MS = 10 * MINUTE_MS;
interface FoundEvents {
	readonly events: ParsedEvent[];
	/** The events that the list does not have any more, as far as it was read. */
	readonly lost: readonly Requested[];
	readonly isOver: boolean;
	readonly failure: Error | undefined;
}

/** Reads the events at their places, neighbours together, then those that were not there from the head of the list. */
export async function find(
	reading: ListReading,
	events: readonly Requested[],
): Promise<FoundEvents> {
	const found: ParsedEvent[] = [];
	const over = (failure?: Error): FoundEvents => ({
		events: found,
		lost: [],
		isOver: true,
		failure,
	});
	let lost: Requested[] = [];
	for (const group of groupsOf(events, reading.pageSize)) {
		const read = await readFor(reading, group, {
			...{ after: group[0]?.after, backTo: -Infinity, pages: PAGES_AT_PLACE },
		});
		found.push(...read.events);
		if (read.isOver) return over(read.failure);
		lost.push(...read.left);
	}
	if (lost.length > 0) {
		const times = lost.map(({ createdAt = -Infinity }) => createdAt);
		const oldest = times.reduce((a, b) => Math.min(a, b));
		const pages = PAGES_FROM_HEAD;
		const read = await readFor(reading, lost, { backTo: oldest - DISORDER_MS, pages });
		found.push(...read.events);
		if (read.isOver) return over(read.failure);
		lost = read.left;
	}
	return { events: found, lost, isOver: false, failure: undefined };
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

/** Reads pages until it has found all of these events. `left`: those that it has not. */
async function readFor(
	{ client, pageSize, mayRequest, now }: ListReading,
	wanted: readonly Requested[],
	{ pages, ...where }: Pick<WalkOptions, 'after' | 'backTo'> & { readonly pages: number },
) {
	const left = new Map(wanted.map((event) => [event.id, event]));
	const events: ParsedEvent[] = [];
	const asked = { pages: 0, isOver: false };
	const read = await walk(
		{
			...{ client, pageSize, now, ...where },
			mayRequest: () => {
				if (asked.pages++ >= pages) return false;
				asked.isOver = !mayRequest();
				return !asked.isOver;
			},
		},
		async (page) => {
			for (const { event } of page) if (left.delete(event.id)) events.push(event);
			return left.size > 0;
		},
	);
	const failure = read.isCursorRefused ? undefined : read.failure;
	return {
		events,
		left: [...left.values()],
		isOver: asked.isOver || failure !== undefined,
		failure,
	};
}
