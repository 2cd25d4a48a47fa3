/** The charging sessions of a station in a period that has passed. They are decided as by a trigger that polled all along. */
import type { Owner } from '../common/incident';
import type { LimitOf } from '../common/limits';
import { SESSION_WAIT_MS, type StationSettings } from '../common/settings';
import type { ReportEntry, StationState } from '../common/state';
import { endedSessions, openSessions, waitingSessions } from '../decide/session';
import type { OpenEntry } from '../decide/sessionItem';
import type { EventFacts } from '../facts';
import { compactSessions } from '../fold/compactSessions';
import { noSessions } from '../fold/sessions';
import { addEvent, inFoldOrder } from '../fold/station';
import type { StationFacts } from './log';
import type { PastPeriod } from './read';
import { pastMoment } from './state';

/** Events between two decisions: at least so many, and more if more parts of sessions are kept, which are gone through each time. */
const LEAST_TOGETHER = 50;
/** Parts of sessions: no bound, since nothing is stored. */
const MOST_PARTS = 10_000;

/** `namedAt` only of one that has not ended. */
type PastSession = ReportEntry & Partial<Pick<OpenEntry, 'namedAt'>>;

interface SessionQuestion {
	readonly owner: Owner;
	readonly includeOpen: boolean;
	readonly limitOf?: LimitOf;
}

/**
 * Those that ended in the period, in that order, then those that have not ended by its end. One that still waits for a late
 * message is not final.
 */
export function sessionsOf(
	[assetId, facts]: readonly [string, StationFacts],
	{ from, to, knownUpTo, serviceNow }: PastPeriod,
	settings: StationSettings,
	{ owner, includeOpen, limitOf }: SessionQuestion,
): PastSession[] {
	const unbounded = { ...settings, mostParts: MOST_PARTS };
	const state: StationState = {};
	const sessions = (state.sessions = noSessions());
	const placeAt = (watermark: number) => ({
		...pastMoment(owner, unbounded, watermark),
		assetId,
		...(limitOf && { limitOf }),
	});
	const events = facts.sessions.toSorted((a, b) => a.at - b.at);
	let read = 0;
	let decidedUpTo: number | undefined;
	const playTo = (until: number): ReportEntry[] => {
		const ended: ReportEntry[] = [];
		for (let isPlayed = false; !isPlayed;) {
			const some = eventsFrom(events, read, until, partsOf(sessions));
			read += some.length;
			isPlayed = (events[read]?.at ?? Infinity) > until;
			for (const event of some.toSorted(inFoldOrder)) addEvent(state, event, unbounded);
			const playedUpTo = isPlayed ? until : (some.at(-1)?.at ?? until);
			ended.push(...endedSessions(sessions, { ...placeAt(playedUpTo), decidedUpTo }));
			decidedUpTo = playedUpTo;
			compactSessions(sessions, playedUpTo, unbounded);
		}
		return ended;
	};
	// Whether a session has ended is certain some minutes later.
	const last = Math.min(to + SESSION_WAIT_MS, serviceNow);
	const certain = Math.min(knownUpTo, last);
	const found: ReportEntry[] = [];
	const keep = (entries: readonly ReportEntry[], isFinal: boolean): void => {
		for (const entry of entries) {
			if (from <= entry.t && entry.t < to) found.push(shown(entry, 'ended', isFinal));
		}
	};
	keep(playTo(Math.min(to - 1, certain)), true);
	keep(playTo(to - 1), false);
	const open = includeOpen ? openSessions(sessions, placeAt(to)) : [];
	keep(playTo(certain), true);
	keep(playTo(last), false);
	keep(waitingSessions(sessions, placeAt(last)), false);
	const inOrder: PastSession[] = found.sort((a, b) => a.t - b.t);
	const isOpen = (entry: ReportEntry) => !found.some((one) => isOfSameStart(one, entry));
	return inOrder.concat(open.filter(isOpen).map((entry) => shown(entry, 'open', false)));
}

/** Those of the same time are decided together. */
function eventsFrom(
	events: readonly EventFacts[],
	from: number,
	until: number,
	most: number,
): EventFacts[] {
	let end = from;
	for (; end < events.length; end++) {
		const at = events[end]?.at ?? Infinity;
		if (at > until || (end - from >= most && at !== events[end - 1]?.at)) break;
	}
	return events.slice(from, end);
}

const partsOf = ({ starts, stops, metered, named }: ReturnType<typeof noSessions>): number =>
	Math.max(LEAST_TOGETHER, starts.length + stops.length + metered.length + named.length);

/** One that ended before the start of the other was sent is another session, though the clock says the same. */
const isOfSameStart = (
	{ item: a, t: endedAt }: ReportEntry,
	{ item: b, t }: ReportEntry,
): boolean =>
	endedAt >= t && a['connector'] === b['connector'] && a['startedAt'] === b['startedAt'];

const shown = <Entry extends ReportEntry>(entry: Entry, state: string, final: boolean): Entry => ({
	...entry,
	item: { ...entry.item, state, final },
});
