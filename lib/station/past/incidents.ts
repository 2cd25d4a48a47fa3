/** The incidents of a station in a period that has passed: those that a station trigger would have reported. */
import { flatMapped, inSteps, sortedInSteps, type Steps } from '../../shared/steps';
import { openedEntry, type Owner } from '../common/incident';
import type { StationSettings } from '../common/settings';
import type { ReportEntry } from '../common/state';
import { deciding } from '../decide/station';
import type { Past, StationFacts } from './read';
import { pastMoment, stateOf } from './state';

export interface PastIncident {
	readonly assetId: string;
	readonly since: number;
	/** Undefined for one that is open. */
	readonly until: number | undefined;
	/** What a trigger would have reported: `opened`, and `resolved` unless it is open. */
	readonly entries: readonly ReportEntry[];
	/** In the shape of the trigger's items, without the station; `state` is `open` or `resolved`. */
	readonly item: Readonly<Record<string, unknown>>;
}

/** Those that lasted at some time of the period, oldest first, by the events that were created before its end. */
export function* incidentsOf(
	[assetId, facts]: readonly [string, StationFacts],
	{ from, to, watermark }: Pick<Past, 'from' | 'to' | 'watermark'>,
	settings: StationSettings,
	owner: Owner,
): Steps<PastIncident[]> {
	const state = yield* stateOf(facts, settings, to);
	const moment = pastMoment(owner, { ...settings, reportResolved: true }, watermark);
	const entries = yield* deciding(assetId, state, moment, () => true);
	// The newest of a part is known with all that belongs to it.
	const place = { kind: settings.kind, assetId, watermark };
	const open = new Map<unknown, ReportEntry>();
	for (const incident of Object.values(state.incidents ?? {})) {
		if (incident.reported === 'opened') open.set(incident.id, openedEntry(incident, place));
	}
	// Those of an incident follow each other.
	const all: ReportEntry[][] = [];
	yield* inSteps(entries, (entry) => {
		const last = all.at(-1);
		if (last?.[0]?.item['incident'] === entry.item['incident']) last?.push(entry);
		else all.push([open.get(entry.item['incident']) ?? entry]);
	});
	const found = yield* flatMapped(all, (own) => {
		const incident = incidentOf(assetId, own);
		const { since, until = Infinity } = incident;
		return since < to && until >= from ? [incident] : [];
	});
	return yield* sortedInSteps(found, (a, b) => a.since - b.since);
}

function incidentOf(assetId: string, entries: readonly ReportEntry[]): PastIncident {
	const item = entries.at(-1)?.item ?? {};
	const isOver = item['state'] === 'resolved';
	return {
		...{ assetId, entries, since: Date.parse(String(item['since'])) },
		until: isOver ? Date.parse(String(item['until'])) : undefined,
		// All with the same fields: n8n shows a missing one as "undefined" in a table.
		item: isOver ? item : { ...item, state: 'open', endedBy: null },
	};
}
