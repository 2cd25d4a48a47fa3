/** The charging sessions of a station in a period that has passed. They are decided as by a trigger that polled all along. */
import type { Owner } from '../common/incident';
import { GRACE_MS, START_WAIT_MS, type StationSettings } from '../common/settings';
import type { ReportEntry, StationState } from '../common/state';
import { endedSessions, openSessions } from '../decide/session';
import type { EventFacts } from '../facts';
import { compactSessions } from '../fold/compactSessions';
import { addEvent } from '../fold/station';
import type { Past, StationFacts } from './read';
import { pastMoment } from './state';

/** Of a station, between two decisions: fewer than a state keeps of anything. */
const EVENTS_TOGETHER = 40;
/** Parts of sessions: no bound, since nothing is stored. */
const MOST_PARTS = 10_000;

/** Those that ended in the period, in that order, then those that have not ended by its end. */
export function sessionsOf(
	[assetId, facts]: readonly [string, StationFacts],
	{ from, to, serviceNow }: Past,
	settings: StationSettings,
	{ owner, includeOpen }: { readonly owner: Owner; readonly includeOpen: boolean },
): ReportEntry[] {
	const unbounded = { ...settings, mostParts: MOST_PARTS };
	const state: StationState = { t: 0 };
	const ended: ReportEntry[] = [];
	const placeAt = (watermark: number) => ({
		...pastMoment(owner, unbounded, watermark),
		assetId,
	});
	const play = ({ events, until }: SessionStep) => {
		for (const event of events) addEvent(state, event, unbounded);
		if (state.sessions === undefined) return;
		ended.push(...endedSessions(state.sessions, placeAt(until)));
		compactSessions(state.sessions, until, unbounded);
	};
	const sorted = facts.sessions.toSorted((a, b) => a.at - b.at);
	for (const step of stepsOf(sorted.filter(({ at }) => at < to))) play(step);
	play({ events: [], until: to });
	const { sessions } = state;
	const open = includeOpen && sessions ? openSessions(sessions, placeAt(to)) : [];
	// Whether a session has ended is certain some minutes later.
	const last = Math.max(to, Math.min(to + START_WAIT_MS, serviceNow - GRACE_MS));
	for (const step of stepsOf(sorted.filter(({ at }) => to <= at && at <= last))) play(step);
	play({ events: [], until: last });
	const inPeriod = ended.filter(({ t }) => from <= t && t < to).sort((a, b) => a.t - b.t);
	return [
		...inPeriod.map((entry) => withState(entry, 'ended')),
		...open.map((entry) => withState(entry, 'open')),
	];
}

const withState = (entry: ReportEntry, state: string): ReportEntry => ({
	...entry,
	item: { ...entry.item, state },
});

interface SessionStep {
	readonly events: EventFacts[];
	/** When the last of them was created. */
	until: number;
}

/** Those of the same time are in the same step. */
function stepsOf(sorted: readonly EventFacts[]): SessionStep[] {
	const steps: SessionStep[] = [];
	for (const event of sorted) {
		const step = steps.at(-1);
		const isFull = (step?.events.length ?? 0) >= EVENTS_TOGETHER && step?.until !== event.at;
		if (step === undefined || isFull) steps.push({ events: [event], until: event.at });
		else {
			step.events.push(event);
			step.until = event.at;
		}
	}
	return steps;
}
