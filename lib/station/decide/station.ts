/** Decides about the incidents of a station: what opened and ended up to the watermark. */
import { incidentId, openedEntry, resolvedEntry } from '../common/incident';
import { isRepeated, type StationSettings } from '../common/settings';
import type { Entry, Fault, Incident, Report, StationState } from '../common/state';
import { codeOf, countFault } from '../fold/faults';
import { type Run, runsOf } from '../fold/timeline';
import { endOf, follow, type Step, united } from './duration';
import { removed } from './ended';
import type { MayOpen, Moment } from './moment';
import { followRepeats } from './repeats';
import { endedSessions } from './session';

/** Changes the state, and returns what is to be reported. */
export function decide(
	assetId: string,
	state: StationState,
	moment: Moment,
	mayOpen: MayOpen,
): Entry[] {
	const { toldUntil = -Infinity } = moment;
	if (state.sessions) {
		const ended = endedSessions(state.sessions, { ...moment, assetId });
		return ended.filter(({ t }) => t > toldUntil && mayOpen(assetId));
	}
	const parts = stepsOf(assetId, state, moment, mayOpen);
	const entries = parts.flatMap((steps) => entriesOf(assetId, steps, moment));
	return [...entries, ...removed(assetId, state, moment)];
}

/** The incident of a part that begins with a report. */
type Opener = (
	part: string,
) => (first: Omit<Report, 'key'>, connector: string | undefined) => Incident;

function stepsOf(assetId: string, state: StationState, moment: Moment, mayOpen: MayOpen): Step[][] {
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
	if (isRepeated(settings)) return repeats(state, moment, opener, keep);
	const horizon = settings.forMs === 0 ? moment.horizon : moment.watermark;
	return [...partsOf(state, settings, horizon)].map(([part, { connector, runs }]) => {
		const open = opener(part);
		const times = { ...moment, ...settings, horizon };
		const { steps, latest } = follow(runs, incidents[part], times, {
			open: (run) => ({ ...open(run.first, connector), ...endOf(run) }),
			note: (incident, { connector: of, first: { t, id, d = {} } }) => {
				if (settings.kind !== 'connectorFault') return;
				countFault(incident, { t, id, connector: of, same: id, d });
			},
		});
		keep(part, latest);
		return steps;
	});
}

interface Part {
	readonly connector: string | undefined;
	readonly runs: readonly Run[];
}

/** The stretches of each part of a station that can have an incident of its own, and the parts that have one. */
function partsOf(state: StationState, settings: StationSettings, horizon: number) {
	const parts = new Map<string, Part>();
	const isWhole = settings.kind === 'connectorFault' && settings.scope === 'station';
	for (const [name, line] of Object.entries(state.lines ?? {})) {
		const connector = name === '' || isWhole ? undefined : name;
		for (const run of runsOf(line, name, horizon)) {
			const part = isWhole || name === '' ? '' : `${name}|${run.first.key}`;
			parts.set(part, { connector, runs: [...(parts.get(part)?.runs ?? []), run] });
		}
	}
	for (const [part, { connector }] of Object.entries(state.incidents ?? {})) {
		if (!parts.has(part)) parts.set(part, { connector, runs: [] });
	}
	for (const [part, { connector, runs }] of parts) {
		if (isWhole) parts.set(part, { connector, runs: united(runs) });
	}
	return parts;
}

function repeats(
	state: StationState,
	{ settings, watermark, horizon, publishedAt }: Moment,
	opener: Opener,
	keep: (part: string, latest: Incident | undefined) => void,
): Step[][] {
	const { times, withinMs, scope } = settings;
	const partOf = ({ connector, d }: Fault) =>
		scope === 'station' ? '' : scope === 'connector' ? connector : `${connector}|${codeOf(d)}`;
	const faults = (state.faults ?? []).filter(({ t }) => t > publishedAt);
	const parts = new Set([...faults.map(partOf), ...Object.keys(state.incidents ?? {})]);
	return [...parts].map((part) => {
		const open = opener(part);
		const { steps, latest } = followRepeats(
			faults.filter((fault) => partOf(fault) === part),
			state.incidents?.[part],
			{ watermark, horizon, times, withinMs },
			(first) => open(first, scope === 'station' ? undefined : first.connector),
		);
		keep(part, latest);
		return steps;
	});
}

/** An incident that is over by now opens with its end. */
function entriesOf(assetId: string, steps: readonly Step[], moment: Moment): Entry[] {
	const place = { kind: moment.settings.kind, assetId, watermark: moment.watermark };
	const { toldUntil = -Infinity } = moment;
	const closed = new Map(
		steps.flatMap((one) => (one.step === 'closed' ? [[one.incident.id, one] as const] : [])),
	);
	return steps
		.filter((one) => decidedAt(one, moment.settings) > toldUntil)
		.flatMap((one) => {
			if (one.step === 'opened') {
				const until = closed.get(one.incident.id)?.until;
				return [openedEntry(closed.get(one.incident.id)?.incident ?? one.incident, place, until)];
			}
			if (!moment.settings.reportResolved) return [];
			return [resolvedEntry(one.incident, place, one.until, 'report')];
		});
}

/** The watermark from which a step is certain. */
function decidedAt(step: Step, settings: StationSettings): number {
	if (step.step === 'closed') {
		return isRepeated(settings) ? step.until : step.until + settings.resolveAfterMs;
	}
	const { since, faults = [] } = step.incident;
	return isRepeated(settings) ? (faults.at(-1)?.t ?? since) : since + settings.forMs;
}
