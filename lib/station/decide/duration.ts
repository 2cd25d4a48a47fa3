/**
 * Incidents of states that last, from the stretches of time in which a state was in force.
 *
 * An incident opens when a stretch has lasted long enough. It ends when the state has been over for the time to
 * resolve; a stretch that begins before that belongs to it. The latest incident of each part is remembered, and when those
 * were that may still be among late reports. A stretch that touches one is the same one: a late report can change when it
 * began or ended, and never make a second.
 */
import { MOST_EARLIER } from '../common/settings';
import type { Incident } from '../common/state';
import type { Opening } from '../fold/faults';
import type { Run } from '../fold/runs';

interface Times {
	/** Everything up to here is known. */
	readonly watermark: number;
	/** What is read, perhaps beyond the watermark: decides about states that count at once. */
	readonly horizon: number;
	readonly forMs: number;
	readonly resolveAfterMs: number;
	/** Stretches that ended by then may be forgotten, though older ones of other connectors are known. */
	readonly forgottenUpTo: number;
}

export type IncidentStep =
	| { readonly step: 'opened'; readonly incident: Incident }
	| { readonly step: 'closed'; readonly incident: Incident; readonly until: number };

interface IncidentHandlers {
	/** The incident that a stretch begins. */
	readonly open: (run: Opening) => Incident;
	/** Called with each stretch that belongs to an incident. */
	readonly note: (incident: Incident, run: Opening) => void;
	/** Called with each stretch that is none of an incident, though it may have been noted: what ended in between was not known yet. */
	readonly drop: (incident: Incident, run: Opening) => void;
}

/** Returns what happened, the latest incident, and those before it that are over. */
export function follow(
	runs: readonly Opening[],
	before: Incident | undefined,
	times: Times,
	handlers: IncidentHandlers,
): {
	readonly steps: IncidentStep[];
	readonly latest: Incident | undefined;
	readonly past: readonly Incident[];
} {
	const { watermark, horizon, forMs, resolveAfterMs, forgottenUpTo } = times;
	const { open, note, drop } = handlers;
	const steps: IncidentStep[] = [];
	const past: Incident[] = [];
	let latest = before && { ...before, ...beginningOf(before, runs, times) };
	let isSeen = false;
	const close = () => {
		if (latest?.until === undefined || latest.reported === 'closed') return;
		if (latest.reported === 'opened') {
			steps.push({ step: 'closed', incident: { ...latest }, until: latest.until });
		}
		latest.reported = 'closed';
		latest.closedUntil = latest.until;
		// It was reported as what it is now: what is in it is no other one.
		latest.begun = undefined;
	};
	const early = runs.filter(
		(run) => latest !== undefined && isEarlier(run, latest, resolveAfterMs),
	);
	if (latest !== undefined && early.length > 0) {
		// Another one has opened since: they are over.
		const over = follow(early, undefined, { ...times, watermark: Infinity }, handlers);
		const found = over.latest === undefined ? [] : [...over.past, over.latest];
		steps.push(...over.steps);
		past.push(...found);
		if (latest.reported !== 'closed') for (const run of early) drop(latest, run);
		latest.earlier = [...(latest.earlier ?? []), ...found.flatMap(spanOf)].sort(bySince);
	}
	for (const run of runs) {
		if (latest !== undefined && touches(run, latest, resolveAfterMs)) {
			// The end of an older stretch of another connector is not its end.
			const isOld = !isSeen && before !== undefined && before.since < forgottenUpTo;
			if (isOld && latest.reported !== 'closed') {
				latest.until = Math.min(latest.until ?? Infinity, forgottenUpTo);
				isSeen = true;
			}
			extend(latest, run, isSeen);
			note(latest, run);
			isSeen = true;
		} else if (run.since > (latest?.since ?? -Infinity)) {
			if (latest !== undefined && latest.reported !== 'closed') drop(latest, run);
			if (lastsMs(run, horizon) < forMs) continue;
			close();
			if (latest !== undefined) past.push(latest);
			const { after } = latest ?? {};
			const earlier = latest && [...(latest.earlier ?? []), ...spanOf(latest)];
			latest = {
				...open(run),
				...(after !== undefined && { after }),
				...(earlier !== undefined && { earlier }),
			};
			// Else each of thousands would know all before it.
			settle(latest, watermark);
			note(latest, run);
			isSeen = true;
			if (latest.reported === 'opened') steps.push({ step: 'opened', incident: { ...latest } });
		}
	}
	if (latest?.until !== undefined && watermark - latest.until >= resolveAfterMs) close();
	if (latest !== undefined) settle(latest, watermark);
	return { steps, latest, past };
}

/**
 * When the incident began, if late reports have shown more of its beginning, or that this was over before it: the stretches before
 * the one that it opened with, followed as if they had been listed in time. Not what belongs to an incident before it, which is over.
 */
function beginningOf(
	incident: Incident,
	runs: readonly Opening[],
	times: Times,
): Pick<Incident, 'since' | 'begun'> {
	const { horizon, forMs, resolveAfterMs } = times;
	const { since: known, begun: opened = known } = incident;
	// Of what is forgotten, it knows more than the stretches.
	if (!runs.some(({ since }) => since <= known)) return { since: known, begun: incident.begun };
	const decided = decidedUpTo(incident);
	let begun: { readonly since: number; until: number } | undefined;
	for (const run of runs) {
		const { since, until = Infinity } = run;
		if (since >= opened) break;
		const isPart = until > opened;
		const isOfOther = since <= decided || since - decided < resolveAfterMs;
		if (!isPart && isOfOther) continue;
		if (begun !== undefined && since - begun.until < resolveAfterMs) {
			begun.until = Math.max(begun.until, until);
		} else if (isPart || lastsMs(run, horizon) >= forMs) {
			begun = { since: Math.max(decided, since), until };
		}
	}
	const isPart = begun !== undefined && opened - begun.until < resolveAfterMs;
	const since = Math.min(opened, isPart ? (begun?.since ?? opened) : opened);
	return since === opened ? { since, begun: undefined } : { since, begun: opened };
}

/** Whether the stretch was over before the incident, and belongs to none of those that are known before it. */
function isEarlier(run: Run, incident: Incident, resolveAfterMs: number): boolean {
	const { after = -Infinity, earlier = [], since } = incident;
	const { until = Infinity } = run;
	const isBefore = (from: number) => run.since < from && from - until >= resolveAfterMs;
	const isAfter = (to: number) => run.since > to && run.since - to >= resolveAfterMs;
	return (
		isBefore(since) &&
		isAfter(after) &&
		earlier.every((one) => isBefore(one.since) || isAfter(one.until))
	);
}

const decidedUpTo = ({ after = -Infinity, earlier = [] }: Incident): number =>
	Math.max(after, ...earlier.map(({ until }) => until));

const spanOf = ({ since, until }: Incident) => (until === undefined ? [] : [{ since, until }]);
const bySince = (a: Pick<Run, 'since'>, b: Pick<Run, 'since'>) => a.since - b.since;

/** What was before the watermark is decided. Of many in so short a time, the latest are known by themselves. */
function settle(incident: Incident, watermark: number): void {
	const { after = -Infinity, earlier = [] } = incident;
	const isLeft = ({ until }: { readonly until: number }, n: number) =>
		until > watermark && n >= earlier.length - MOST_EARLIER;
	const left = earlier.filter(isLeft);
	if (left.length === earlier.length) return;
	const decided = earlier.filter((one) => !left.includes(one)).map(({ until }) => until);
	incident.after = Math.max(after, ...decided);
	incident.earlier = left.length > 0 ? left : undefined;
}

/** Whether the stretch belongs to the incident by its time. */
export function touches(
	run: Run,
	{ since, until = Infinity }: Pick<Incident, 'since' | 'until'>,
	resolveAfterMs: number,
): boolean {
	// One that ends just when the incident begins is over by then.
	if (run.since < since) return (run.until ?? Infinity) > since;
	return run.since - until < resolveAfterMs;
}

/**
 * The first stretch that is seen of an incident replaces what was known of its end: a late report may have ended it. The
 * end of one that is closed only moves forward: it is reported.
 */
function extend(incident: Incident, run: Run, isSeen: boolean): void {
	const { until, closedUntil = -Infinity } = incident;
	const end = run.until ?? Infinity;
	const isEnded = incident.reported === 'closed' && until !== undefined;
	if ((isSeen || isEnded) && end <= (until ?? Infinity)) return;
	// Not deleted: with its fields in another order, a state that is the same would be written again.
	incident.until = undefined;
	if (end < closedUntil) incident.until = closedUntil;
	else {
		incident.to = run.to;
		incident.until = run.until;
		incident.boot = run.isEndedByBoot;
	}
}

/** How long a stretch has certainly lasted: not while a station that booted may still report something else. */
export const lastsMs = ({ since, until, heldAt = Infinity }: Run, horizon: number): number =>
	Math.min(until ?? heldAt, horizon) - since;

/** The fields of a run for its end: none if it lasts. */
export function endOf({ until, to, isEndedByBoot }: Run): Pick<Incident, 'until' | 'to' | 'boot'> {
	if (until === undefined || to === undefined) return {};
	return { until, to, ...(isEndedByBoot === true && { boot: true }) };
}
