/** Decides about the incidents of a station: what opened and ended up to the watermark. */
import { incidentId, openedEntry, resolvedEntry } from '../common/incident';
import { isRepeated, STRAGGLER_MS, type StationSettings } from '../common/settings';
import type { ReportEntry, Incident, Report, StationState, Timeline } from '../common/state';
import { codesOf, isNone } from '../fold/codes';
import { countedFaultOf, countFault, dropFaults, openingsOf } from '../fold/faults';
import { endOf, follow, type IncidentStep } from './duration';
import { mayBeRemoved, removed } from './ended';
import type { MayOpen, Moment } from './moment';
import { faultsOf, partOf, partOfFault, partsOf } from './parts';
import { followRepeats } from './repeats';
import { endedSessions, mayEnd } from './session';

/**
 * Whether there is something to decide: most stations have reported only what is not watched, or that has been decided. What
 * was decided at the watermark `decidedAt` changes later only with a report, when a state has lasted long enough, or when
 * the time to resolve is over.
 */
export function isUndecided(
	assetId: string,
	state: StationState,
	moment: Moment,
	decidedAt = -Infinity,
): boolean {
	const { lines = {}, boots, faults = [], incidents = {}, sessions } = state;
	if (sessions) return mayEnd(sessions);
	const known = Object.values(incidents);
	const timelines = Object.values(lines);
	const isWatched = ({ reports }: Timeline) => reports.some(({ key }) => key !== '');
	if (known.length + faults.length === 0 && !timelines.some(isWatched)) return false;
	if (decidedAt === -Infinity || boots !== undefined || faults.length > 0) return true;
	const { settings, watermark } = moment;
	const { kind, forMs } = settings;
	// What counts at once may count before the watermark.
	const isFromNow = (t: number) => t > decidedAt && (forMs === 0 || t <= watermark);
	const isDue = ({ t }: Report) =>
		isFromNow(t) ||
		isFromNow(t + forMs) ||
		(kind === 'stationOffline' && isFromNow(t + STRAGGLER_MS));
	const overFor = isRepeated(settings) ? 0 : settings.resolveAfterMs;
	const isEnding = ({ reported, until = Infinity, earlier }: Incident) =>
		(reported !== 'closed' && until + overFor <= watermark) || earlier !== undefined;
	return (
		known.some(isEnding) ||
		mayBeRemoved(assetId, state, moment) ||
		timelines.some(({ reports }) => reports.some(isDue))
	);
}

/** Changes the state, and returns what is to be reported. */
export function decide(
	assetId: string,
	state: StationState,
	moment: Moment,
	mayOpen: MayOpen,
): ReportEntry[] {
	const { toldUntil = -Infinity } = moment;
	if (state.sessions) {
		const ended = endedSessions(state.sessions, { ...moment, assetId });
		return ended.filter(({ t }) => t > toldUntil && mayOpen(assetId));
	}
	const entries: ReportEntry[] = [];
	for (const steps of stepsOf(assetId, state, moment, mayOpen)) {
		for (const [n, step] of steps.entries()) {
			const entry = entryOf(assetId, step, steps[n + 1], moment);
			if (entry !== undefined) entries.push(entry);
		}
	}
	return entries.concat(removed(assetId, state, moment));
}

/** The incident of a part that begins with a report. */
type Opener = (
	part: string,
) => (first: Pick<Report, 't' | 'id' | 'd'>, connector: string | undefined) => Incident;

/** Those of each part. */
function stepsOf(
	assetId: string,
	state: StationState,
	moment: Moment,
	mayOpen: MayOpen,
): IncidentStep[][] {
	const incidents = (state.incidents ??= {});
	const { settings, publishedAt, listing } = moment;
	const opener: Opener = (part) => (first, connector) => {
		const isNews = first.t > publishedAt && mayOpen(assetId);
		const isListed = listing?.has(assetId) === true;
		return {
			id: incidentId(moment, settings.kind, [assetId, part, first.t]),
			since: first.t,
			reported: isNews ? ('opened' as const) : ('muted' as const),
			...(connector !== undefined && { connector }),
			d: first.d,
			from: first.id,
			...(isListed && { listed: true }),
		};
	};
	const keep = (part: string, latest: Incident | undefined) => {
		if (latest !== undefined) incidents[part] = latest;
	};
	if (isRepeated(settings)) {
		const { times, withinMs, scope } = settings;
		const all: IncidentStep[][] = [];
		for (const [part, faults] of faultsOf(state, moment)) {
			const bounds = { ...moment, times, withinMs };
			const { steps, latest } = followRepeats(faults, incidents[part], bounds, (first) => {
				const open = opener(partOfFault(first, first.connector, settings));
				return open(first, scope === 'station' ? undefined : first.connector);
			});
			keep(part, latest);
			all.push(steps);
		}
		return all;
	}
	const { forMs, resolveAfterMs, kind } = settings;
	const isAtOnce = forMs === 0 && kind !== 'stationOffline';
	const horizon = isAtOnce ? moment.horizon : moment.watermark;
	const isOfLines = kind === 'connectorFault' && settings.scope === 'station';
	const forgottenUpTo = isOfLines ? cutOf(state.lines) : -Infinity;
	const times = { watermark: moment.watermark, horizon, forMs, resolveAfterMs, forgottenUpTo };
	const renamed: (readonly [part: string, incident: Incident])[] = [];
	const all: IncidentStep[][] = [];
	for (const [part, { connector, known, runs }] of partsOf(state, moment)) {
		const open = opener(part);
		const names = new Map<string, string>();
		const { steps, latest, past } = follow(runs, known, times, {
			open: (run) => ({
				...open({ t: run.since, id: run.first.id, d: run.d }, connector),
				...endOf(run),
			}),
			note: (incident, run) => {
				names.set(partOf(run, settings), incident.id);
				if (kind !== 'connectorFault') return;
				const own = run.parts?.flatMap((one) => openingsOf(one, settings)) ?? [run];
				for (const opening of own) countFault(incident, countedFaultOf(opening, settings));
				// A later report of the fault may be the first that names a code.
				if (isNone(codesOf(incident.d))) incident.d = run.d;
			},
			drop: dropFaults,
		});
		keep(part, latest);
		for (const [name, id] of names) {
			const incident = past.find((one) => one.id === id);
			if (incident !== undefined && name !== part) renamed.push([name, incident]);
		}
		all.push(steps);
	}
	// A late report has changed what it is named by: its stretch is looked for by that name from now on.
	for (const [part, incident] of renamed) {
		if ((incidents[part]?.since ?? -Infinity) < incident.since) keep(part, incident);
	}
	return all;
}

/** Up to when one of them, which had too many reports, has forgotten what the others still know. */
const cutOf = (lines: StationState['lines'] = {}): number =>
	Math.max(...Object.values(lines).map(({ cut = -Infinity }) => cut));

/** An incident that is over by now opens with its end: that is the next step of its part. */
function entryOf(
	assetId: string,
	one: IncidentStep,
	next: IncidentStep | undefined,
	moment: Moment,
): ReportEntry | undefined {
	const place = { kind: moment.settings.kind, assetId, watermark: moment.watermark };
	const { toldUntil = -Infinity } = moment;
	if (decidedAt(one, moment.settings) <= toldUntil) return undefined;
	if (one.step === 'opened') {
		return next?.step === 'closed'
			? openedEntry(next.incident, place, next.until)
			: openedEntry(one.incident, place);
	}
	if (!moment.settings.reportResolved) return undefined;
	return resolvedEntry(one.incident, place, one.until, one.incident.boot ? 'boot' : 'report');
}

/** The watermark from which a step is certain. */
function decidedAt(step: IncidentStep, settings: StationSettings): number {
	if (step.step === 'closed') {
		return isRepeated(settings) ? step.until : step.until + settings.resolveAfterMs;
	}
	const { since, faults = [] } = step.incident;
	return isRepeated(settings) ? (faults.at(-1)?.t ?? since) : since + settings.forMs;
}
