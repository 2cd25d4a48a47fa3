/** The incidents of a station in a period that has passed: those that a station trigger would have reported. */
import { isoOf, minutesOf, openedEntry, type Owner } from '../common/incident';
import { certainAfter, type StationSettings } from '../common/settings';
import type { ReportEntry } from '../common/state';
import { decide } from '../decide/station';
import { heardAt } from './history';
import type { StationFacts } from './log';
import type { Past } from './read';
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
export function incidentsOf(
	station: readonly [assetId: string, facts: StationFacts],
	period: Pick<Past, 'from' | 'to' | 'watermark' | 'knownUpTo' | 'heardUpTo' | 'serviceNow'>,
	settings: StationSettings,
	owner: Owner,
	isRemoved: boolean,
): PastIncident[] {
	const { from, to, watermark, knownUpTo } = period;
	const found = decided(station, settings, owner, { end: to, watermark });
	// Whether what is over by then comes back in time to be the same incident, and whether a boot ended it, shows only after the period.
	const end = Math.min(to + certainAfter(settings), knownUpTo);
	const isSettled = end <= watermark || !found.some(isOpen);
	const later = isSettled ? [] : decided(station, settings, owner, { end, watermark: end });
	const over = new Map(
		later.filter(({ until = Infinity }) => until < to).map((one) => [one.item['incident'], one]),
	);
	// Only if the list was read up to now: later messages of the station could have ended it.
	const isGone = isRemoved && period.heardUpTo >= period.serviceNow;
	const goneAt = isGone ? (heardAt(station[1]).at(-1) ?? -Infinity) : Infinity;
	return found
		.flatMap((one) => {
			const last = isOpen(one) ? (over.get(one.item['incident']) ?? one) : one;
			const known = isOpen(last) && goneAt < to ? removed(last, goneAt) : last;
			const { since, until = Infinity } = known;
			return since < to && until >= from ? [known] : [];
		})
		.sort((a, b) => a.since - b.since);
}

const isOpen = ({ until }: PastIncident): boolean => until === undefined;

/** A trigger resolves it when the asset list lacks the station; later, only its last sign is known. */
function removed(one: PastIncident, goneAt: number): PastIncident {
	const { assetId, since, entries } = one;
	const until = Math.max(since, goneAt);
	const { incident } = one.item;
	const item = {
		...one.item,
		...{ until: isoOf(until), minutes: minutesOf(until - since), endedBy: 'removed' },
		...{ state: 'resolved', id: `${String(incident)}.resolved` },
	};
	return { ...one, until, item, entries: [...entries, { id: item.id, t: until, assetId, item }] };
}

/** All, by the events that were created before `end`. */
function decided(
	[assetId, facts]: readonly [string, StationFacts],
	settings: StationSettings,
	owner: Owner,
	{ end, watermark }: { readonly end: number; readonly watermark: number },
): PastIncident[] {
	const state = stateOf(facts, settings, end);
	const moment = pastMoment(owner, { ...settings, reportResolved: true }, watermark);
	const entries = decide(assetId, state, moment, () => true);
	// The newest of a part is known with all that belongs to it.
	const place = { kind: settings.kind, assetId, watermark };
	const open = new Map<unknown, ReportEntry>();
	for (const incident of Object.values(state.incidents ?? {})) {
		if (incident.reported === 'opened') open.set(incident.id, openedEntry(incident, place));
	}
	// Those of an incident follow each other.
	const all: ReportEntry[][] = [];
	for (const entry of entries) {
		const last = all.at(-1);
		if (last?.[0]?.item['incident'] === entry.item['incident']) last?.push(entry);
		else all.push([open.get(entry.item['incident']) ?? entry]);
	}
	return all.map((own) => incidentOf(assetId, own));
}

function incidentOf(assetId: string, entries: readonly ReportEntry[]): PastIncident {
	const item = entries.at(-1)?.item ?? {};
	const isOver = item['state'] === 'resolved';
	return {
		assetId,
		entries,
		since: Date.parse(String(item['since'])),
		until: isOver ? Date.parse(String(item['until'])) : undefined,
		// All with the same fields: n8n shows a missing one as "undefined" in a table.
		item: isOver ? item : { ...item, state: 'open', endedBy: null },
	};
}
