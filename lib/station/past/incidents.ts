/** The incidents of a station in a period that has passed: those that a station trigger would have reported. */
import type { Steps } from '../../shared/pace';
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
	readonly entries: ReadonlyMap<unknown, ReportEntry>;
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
	for (const incident of Object.values(state.incidents ?? {})) {
		if (incident.reported === 'opened') entries.push(openedEntry(incident, place));
	}
	const byIncident = Map.groupBy(entries, ({ item }) => item['incident']);
	const found = [...byIncident.values()].map((all): PastIncident => {
		const states = new Map(all.map((entry) => [entry.item['state'], entry]));
		const resolved = states.get('resolved');
		const item = (resolved ?? states.get('opened'))?.item ?? {};
		const since = Date.parse(String(item['since']));
		return {
			...{ assetId, since, entries: states },
			until: resolved && Date.parse(String(item['until'])),
			// All with the same fields: n8n shows a missing one as "undefined" in a table.
			item: { ...item, ...(resolved === undefined && { state: 'open', endedBy: null }) },
		};
	});
	return found
		.filter(({ since, until = Infinity }) => since < to && until >= from)
		.sort((a, b) => a.since - b.since);
}
