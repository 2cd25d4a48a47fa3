/**
 * The state of the stations of a shard, as it is kept in a record of the ledger. Names are short, because there are
 * many of them. Times are in Unix milliseconds by the service's clock, unless they are named `at`: those are the station's.
 */
import type { Format } from '../../ledger';
import {
	array,
	boolean,
	enum as oneOf,
	number,
	object,
	optional,
	record,
	string,
	tuple,
	union,
	unknown,
	type output,
} from '../../vendor/zod';
import type { KnownPlaces } from './places';
import { type Base, type Sessions, sessionsOf, storedSessions, toStoredSessions } from './sessions';

export type {
	NamedStart,
	Register,
	SessionMeter,
	Sessions,
	SessionStart,
	SessionStop,
	ToldSession,
} from './sessions';

const text = optional(string());
const count = optional(number());

/** What a report says beyond its key. */
const detail = object({ status: text, error: text, vendor: text, info: text });

const report = object({
	t: number(),
	/** The ID of the event. */
	id: string(),
	/** What it says, as far as the trigger watches it: empty for a state that it does not watch. */
	key: string(),
	/** Of a problem: its code. Absent for a status, for a problem without a code, and if a component has none any more. */
	c: text,
	/** Where it is in its event; absent for the first. */
	n: count,
	/** Of two at the same time, the one that has more of this is in force; absent for none. */
	w: count,
	/** Of the station itself: whether it says so in OCPP 2.0.1. */
	v: optional(boolean()),
	/** A monitor reports it: no boot ends it. */
	m: optional(boolean()),
	/** No message of the component, but the boot that ended its state. */
	b: optional(boolean()),
	/** Kept only while it ends something: a sign of life, or a problem that is over. */
	quiet: optional(boolean()),
	d: optional(detail),
});

/**
 * Most reports are of a state that is not watched, and most timelines have no cut: they are stored shorter. The time of such a
 * report is that after the cut of the shard, and its ID lacks what the IDs of all of them begin with.
 */
const storedReport = union([
	report,
	tuple([number(), string()]),
	tuple([number(), string(), number()]),
]);
const cutTimeline = object({
	reports: array(storedReport),
	/** Reports before this time are left out, because there were too many. */
	cut: number(),
});
const storedTimeline = union([array(storedReport), cutTimeline]);

/** A station booted, or what tells that it did not: the service asked for the message, or refused the station. */
const boot = object({
	t: number(),
	id: string(),
	as: optional(oneOf(['asked', 'refused'])),
	/** The ID of the message. */
	m: text,
	/** It says why: the service did not ask for it. */
	r: optional(boolean()),
});

const codes = optional(array(string()));

const fault = object({
	t: number(),
	id: string(),
	connector: string(),
	/** The EVSE that it began with, if its only connector was known later. */
	began: text,
	/** Absent while it lasts. */
	until: count,
	d: detail,
	/** The codes that it has named, if there are more than one. */
	errors: codes,
	vendors: codes,
	/** The codes that name the incident which it opens. */
	opens: text,
});

/** It is the one that opened its incident, which says the rest: what the fault opens, empty for nothing, and its end. */
const openingFault = union([tuple([string()]), tuple([string(), number()])]);

const incident = object({
	id: string(),
	since: number(),
	/** When it began by what was known as it opened, if late reports have shown more of its beginning. */
	begun: count,
	/** When its state ended last; absent while it lasts. */
	until: count,
	/** When the incidents before it had ended that are decided: a late report never makes it, or another one, begin earlier. */
	after: count,
	/** When those before it began and ended of which that is not so yet, oldest first. */
	earlier: optional(array(object({ since: number(), until: number() }))),
	/** `muted`: not to be reported. `opened`: its opening is reported. `closed`: it is over, and reported as far as it has to be. */
	reported: oneOf(['muted', 'opened', 'closed']),
	/** Of one that is closed: the end that it had then. A late report can only move it forward. */
	closedUntil: count,
	connector: text,
	d: optional(detail),
	/** The event that opened it, and the one that ended it. */
	from: string(),
	to: text,
	/** A boot ended it. */
	boot: optional(boolean()),
	count: count,
	faults: optional(array(union([openingFault, fault]))),
	/** All codes that its faults have named. */
	errors: codes,
	vendors: codes,
	/** The asset list had the station when it opened. */
	listed: optional(boolean()),
	/** When a list first lacked the station. */
	missing: count,
});

const entry = object({
	/** The ID of the item; the ledger has an entry for it. */
	id: string(),
	/** When it happened: orders what is reported. */
	t: number(),
	assetId: string(),
	/** The item without its station. */
	item: record(string(), unknown()),
});

const station = object({
	/** By component; the connection has the empty name. */
	lines: optional(record(string(), storedTimeline)),
	boots: optional(array(boot)),
	faults: optional(array(fault)),
	incidents: optional(record(string(), incident)),
	sessions: optional(storedSessions),
});

/** Of the text of a shard. */
export const SHARD_FORMAT: Format = {
	what: 'the state of the stations of a Station Trigger',
	number: 1,
};

export const storedShard = object({
	/** Of the settings that it was kept for, */
	kind: oneOf(['stationOffline', 'connectorStatus', 'connectorFault', 'sessionEnded']),
	/** and of the publication. */
	generation: number(),
	/** Reports before this time are folded into the bases of the timelines; later ones of that time are left out. */
	cut: number(),
	/** The watermark of the last write. */
	written: count,
	/** What the IDs of short reports and of sessions begin with. Absent before they were stored without it, and with their whole time. */
	ids: text,
	stations: array(tuple([string(), station])),
	toTell: array(entry),
});

export type Detail = output<typeof detail>;
export type Report = output<typeof report>;
/** The reports of a component. */
export interface Timeline {
	reports: Report[];
	cut?: number | undefined;
}
export type Boot = output<typeof boot>;
export type Fault = output<typeof fault>;
type StoredIncident = output<typeof incident>;
export type Incident = Omit<StoredIncident, 'faults'> & { faults?: Fault[] | undefined };
type StoredStation = output<typeof station>;
export type StationState = Omit<StoredStation, 'lines' | 'incidents' | 'sessions'> & {
	lines?: Record<string, Timeline> | undefined;
	incidents?: Record<string, Incident> | undefined;
	sessions?: Sessions | undefined;
	/** Since when components of OCPP 2.0.1 are known: kept in a record of its own. */
	known?: KnownPlaces;
};
export type ReportEntry = output<typeof entry>;
export type StoredShard = output<typeof storedShard>;
export type ShardState = Omit<StoredShard, 'stations' | 'ids'> & {
	stations: Map<string, StationState>;
};

/** Of a copy: an assignment makes no property of every name, and `Object.fromEntries` takes long for a whole network. */
function mapped<A, B>(all: Readonly<Record<string, A>>, next: (one: A) => B): Record<string, B> {
	const changed: Record<string, A | B> = { ...all };
	for (const [name, one] of Object.entries(all)) changed[name] = next(one);
	return changed as Record<string, B>;
}

/** Of the reports and sessions of a shard, as it is now. */
export function baseOf({ cut, stations }: ShardState): Base {
	let ids: string | undefined;
	const add = ({ id }: { readonly id: string }) => {
		ids ??= id;
		while (!id.startsWith(ids)) ids = ids.slice(0, -1);
	};
	for (const { lines = {}, sessions } of stations.values()) {
		for (const { reports } of Object.values(lines)) {
			for (const one of reports) if (isShort(one)) add(one);
		}
		for (const one of sessions?.starts ?? []) add(one);
		for (const one of sessions?.stops ?? []) add(one);
	}
	return { cut, ids: ids ?? '' };
}

/** Without the places. */
export function toStored(
	{ known: _known, lines, incidents, sessions, ...station }: StationState,
	base: Base,
): StoredStation {
	return {
		...station,
		...(sessions && { sessions: toStoredSessions(sessions, base) }),
		...(incidents && { incidents: mapped(incidents, storedIncident) }),
		...(lines && { lines: mapped(lines, (line) => storedLine(line, base)) }),
	};
}

function storedLine({ reports, cut }: Timeline, base: Base) {
	const stored = reports.map((one) => (isShort(one) ? shortOf(one, base) : one));
	return cut === undefined ? stored : { reports: stored, cut };
}

/** Its time, its ID and the empty key. */
const SHORT_FIELDS = 3;

/** Whether it says no more than that, and how bad its state is. */
const isShort = (one: Report): boolean =>
	one.key === '' && Object.keys(one).length === SHORT_FIELDS + (one.w === undefined ? 0 : 1);

function shortOf({ t, id, w }: Report, { cut, ids }: Base): output<typeof storedReport> {
	const [after, end] = [t - cut, id.slice(ids.length)];
	return w === undefined ? [after, end] : [after, end, w];
}

function storedIncident(incident: Incident): StoredIncident {
	const { faults } = incident;
	if (faults === undefined) return incident;
	return {
		...incident,
		faults: faults.map((one) => {
			const { opens = '', until } = one;
			const short: OpeningFault = until === undefined ? [opens] : [opens, until];
			const isSame = JSON.stringify(openingOf(incident, short)) === JSON.stringify(one);
			return isSame ? short : one;
		}),
	};
}

type OpeningFault = output<typeof openingFault>;

/** With its fields in their order: a poll compares texts of the state. */
function openingOf(
	{ since: t, from: id, connector = '', d = {}, errors, vendors }: StoredIncident,
	[opens, until]: OpeningFault,
): Fault {
	return {
		...{ t, id, connector },
		...(until !== undefined && { until }),
		d: { ...d },
		...(errors && { errors: [...errors] }),
		...(vendors && { vendors: [...vendors] }),
		...(opens !== '' && { opens }),
	};
}

function incidentOf(stored: StoredIncident): Incident {
	const { faults, ...incident } = stored;
	const faultOf = (one: Fault | OpeningFault) =>
		Array.isArray(one) ? openingOf(stored, one) : one;
	// In its place: a poll compares texts of the state.
	return faults === undefined ? incident : { ...stored, faults: faults.map(faultOf) };
}

export function fromStored({ stations, ids, ...shard }: StoredShard): ShardState {
	const base = ids === undefined ? { cut: 0, ids: '' } : { cut: shard.cut, ids };
	const stationOf = ({ lines, incidents, sessions, ...station }: StoredStation): StationState => ({
		...station,
		...(sessions && { sessions: sessionsOf(sessions, base) }),
		...(incidents && { incidents: mapped(incidents, incidentOf) }),
		...(lines && { lines: mapped(lines, (line) => lineOf(line, base)) }),
	});
	return { ...shard, stations: new Map(stations.map(([id, one]) => [id, stationOf(one)])) };
}

export function toStoredShard({ stations, ...shard }: ShardState): StoredShard {
	const base = baseOf({ ...shard, stations });
	const all = [...stations].map(([id, one]): [string, StoredStation] => {
		return [id, toStored(one, base)];
	});
	return { ...shard, ids: base.ids, stations: all };
}

function lineOf(stored: output<typeof storedTimeline>, base: Base): Timeline {
	const { reports, cut } = Array.isArray(stored) ? { reports: stored } : stored;
	const all = reports.map((one) => {
		if (!Array.isArray(one)) return one;
		const [after, end, w] = one;
		const about = { t: base.cut + after, id: base.ids + end, key: '' };
		return w === undefined ? about : { ...about, w };
	});
	return cut === undefined ? { reports: all } : { reports: all, cut };
}
