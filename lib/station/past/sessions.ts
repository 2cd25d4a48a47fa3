/** The charging sessions of a station in a period that has passed. They are decided as by a trigger that polled all along. */
import { flatMapped, sortedInSteps, type Steps } from '../../shared/steps';
import type { Owner } from '../common/incident';
import { MINUTE_MS, SESSION_WAIT_MS, type StationSettings } from '../common/settings';
import type { ReportEntry, StationState } from '../common/state';
import { endedSessions, openSessions } from '../decide/session';
import type { EventFacts } from '../facts';
import { compactSessions } from '../fold/compactSessions';
import { noSessions } from '../fold/sessions';
import { addEvent, inFoldOrder } from '../fold/station';
import type { Past, StationFacts } from './read';
import { pastMoment } from './state';

/**
 * Of a station, between two decisions: fewer than a state keeps of anything, and fewer still if each is compared with many parts,
 * so that the event loop is not blocked.
 */
const EVENTS_TOGETHER = { most: 40, least: 5 };
const COMPARED_TOGETHER = 10_000;
/** Parts of sessions: no bound, since nothing is stored. */
const MOST_PARTS = 10_000;

/** Those that ended in the period, in that order, then those that have not ended by its end. */
export function* sessionsOf(
	[assetId, facts]: readonly [string, StationFacts],
	{ from, to, knownUpTo }: Past,
	settings: StationSettings,
	{ owner, includeOpen }: { readonly owner: Owner; readonly includeOpen: boolean },
): Steps<ReportEntry[]> {
	const unbounded = { ...settings, mostParts: MOST_PARTS };
	const state: StationState = { t: 0 };
	const ended: ReportEntry[] = [];
	const placeAt = (watermark: number) => ({
		...pastMoment(owner, unbounded, watermark),
		assetId,
	});
	const play = ({ events, until }: SessionStep) => {
		for (const event of events.toSorted(inFoldOrder)) addEvent(state, event, unbounded);
		if (state.sessions === undefined) return;
		ended.push(...endedSessions(state.sessions, placeAt(until)));
		compactSessions(state.sessions, until, unbounded);
	};
	let playedUpTo = -Infinity;
	const playAll = function* (events: readonly EventFacts[], until: number): Steps<void> {
		for (const step of stepsOf(events, until, () => togetherOf(state))) {
			// Many decisions can be due in a time without events.
			const dueUpTo = Math.min(step.until, playedUpTo + SESSION_WAIT_MS + MINUTE_MS);
			const isLarge = togetherOf(state) < EVENTS_TOGETHER.most;
			for (let at = playedUpTo + MINUTE_MS; isLarge && at < dueUpTo; at += MINUTE_MS) {
				play({ events: [], until: at });
				yield;
			}
			play(step);
			playedUpTo = step.until;
			yield;
		}
	};
	const sorted = yield* sortedInSteps(facts.sessions, (a, b) => a.at - b.at);
	const firstAfter = sorted.findIndex(({ at }) => at >= to);
	const before = firstAfter < 0 ? sorted : sorted.slice(0, firstAfter);
	yield* playAll(before, to);
	const { sessions } = state;
	const open = includeOpen && sessions ? openSessions(sessions, placeAt(to)) : [];
	const decided = ended.length;
	// Whether a session has ended is certain some minutes later.
	const last = Math.max(to, Math.min(to + SESSION_WAIT_MS, knownUpTo));
	yield* playAll(
		sorted.slice(before.length).filter(({ at }) => at <= last),
		last,
	);
	const inPeriod = yield* flatMapped(ended, (entry) =>
		from <= entry.t && entry.t < to ? [withState(entry, 'ended')] : [],
	);
	const inOrder = yield* sortedInSteps(inPeriod, (a, b) => a.t - b.t);
	const endedSince = ended.slice(decided).filter(({ t }) => t < to);
	const isOpen = (entry: ReportEntry) => !endedSince.some((one) => isOfSameStart(one, entry));
	return inOrder.concat(open.filter(isOpen).map((entry) => withState(entry, 'open')));
}

const isOfSameStart = ({ item: a }: ReportEntry, { item: b }: ReportEntry): boolean =>
	a['connector'] === b['connector'] && a['startedAt'] === b['startedAt'];

const withState = (entry: ReportEntry, state: string): ReportEntry => ({
	...entry,
	item: { ...entry.item, state },
});

interface SessionStep {
	readonly events: EventFacts[];
	/** When the last of them was created. */
	until: number;
}

/** Those of the same time are in the same step. The last step ends at `end`. */
function* stepsOf(
	sorted: readonly EventFacts[],
	end: number,
	most: () => number,
): Generator<SessionStep> {
	let step: SessionStep | undefined;
	for (const event of sorted) {
		if (step !== undefined && step.events.length >= most() && step.until !== event.at) {
			yield step;
			step = undefined;
		}
		step ??= { events: [], until: event.at };
		step.events.push(event);
		step.until = event.at;
	}
	if (step !== undefined) yield step;
	yield { events: [], until: end };
}

function togetherOf({ sessions = noSessions() }: StationState): number {
	const { transactions, ...lists } = sessions;
	const parts = [
		...Object.values(lists),
		...transactions.flatMap(({ starts, ends, readings }) => [starts, ends, readings]),
	].reduce((sum, { length }) => sum + length, 1);
	const { most, least } = EVENTS_TOGETHER;
	return Math.max(least, Math.min(most, COMPARED_TOGETHER / parts));
}
