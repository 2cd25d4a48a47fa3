/**
 * The incidents of a list, by plain loops over all of its events in the order of their creation: no state, no polls, no code
 * of the package.
 */
import type { Saying, StationSettings } from '../../history';

const MINUTE_MS = 60_000;

/** An event of a station; times are in Unix milliseconds by the service's clock. */
export interface Said {
	readonly event: string;
	readonly at: number;
	readonly asset: string;
	readonly says: Saying;
	readonly listedAt: number;
}

export interface Incident {
	/** What it is of: a station, a connector, or a connector in a state. */
	readonly part: string;
	readonly since: number;
	/** Infinity while it lasts. */
	until: number;
	/** From when on it is certain that it opens, and that it is over. */
	readonly opensAt: number;
	closesAt: number;
}

/** A stretch of time in which a part is in a state that counts. */
interface Stretch {
	readonly part: string;
	readonly since: number;
	readonly until: number;
}

export const isRepeated = ({ kind, times }: StationSettings): boolean =>
	kind === 'connectorFault' && times > 1;

/** `said` are events of one station, sorted by time. */
export function incidentsOf(said: readonly Said[], settings: StationSettings): Incident[] {
	if (isRepeated(settings)) return repeatedFaults(said, settings);
	const forMs = settings.forMinutes * MINUTE_MS;
	const resolveMs = settings.resolveAfterMinutes * MINUTE_MS;
	const latest = new Map<string, Incident>();
	const all: Incident[] = [];
	for (const { part, since, until } of stretchesOf(said, settings)) {
		const before = latest.get(part);
		if (before !== undefined && since - before.until < resolveMs) {
			before.until = until;
			before.closesAt = until + resolveMs;
		} else if (until - since >= forMs) {
			const [opensAt, closesAt] = [since + forMs, until + resolveMs];
			const incident = { part, since, until, opensAt, closesAt };
			latest.set(part, incident);
			all.push(incident);
		}
	}
	return all;
}

function stretchesOf(said: readonly Said[], settings: StationSettings): Stretch[] {
	const state = new Map<string, readonly Saying[]>();
	const open = new Map<string, number>();
	const stretches: Stretch[] = [];
	for (const { asset, at, says } of said) {
		const place = 'connector' in says ? says.connector : '';
		// A fault lasts until another status: what it names meanwhile, it names as well.
		const fault = isFault(says) ? (state.get(place) ?? []).filter(isFault) : [];
		state.set(place, [...fault, says]);
		// Whatever a station sends shows that it is connected.
		if (says.about !== 'connection') state.delete('');
		const active = new Set(
			[...state.values()].flat().flatMap((each) => partOf(asset, each, settings)),
		);
		for (const part of active) if (!open.has(part)) open.set(part, at);
		for (const [part, since] of open) {
			if (active.has(part)) continue;
			stretches.push({ part, since, until: at });
			open.delete(part);
		}
	}
	for (const [part, since] of open) stretches.push({ part, since, until: Infinity });
	return stretches.sort((a, b) => a.since - b.since);
}

const isFault = (says: Saying): boolean => says.about === 'status' && says.status === 'Faulted';

/** The part that what is said puts into a state that counts. */
export function partOf(asset: string, says: Saying, settings: StationSettings): string[] {
	const { kind, statuses, scope } = settings;
	if (says.about === 'connection')
		return kind === 'stationOffline' && !says.isConnected ? [asset] : [];
	if (says.about !== 'status') return [];
	const { connector, status, code = '' } = says;
	if (kind === 'connectorStatus')
		return statuses.includes(status) ? [`${asset} ${connector} ${status}`] : [];
	if (kind !== 'connectorFault' || status !== 'Faulted') return [];
	if (scope === 'station') return [asset];
	return [scope === 'connector' ? `${asset} ${connector}` : `${asset} ${connector} ${code}`];
}

/** One opens with so many faults within a time, and is over when there was none for that time and none of them lasts. */
function repeatedFaults(said: readonly Said[], settings: StationSettings): Incident[] {
	const withinMs = settings.withinMinutes * MINUTE_MS;
	const faults = new Map<string, { readonly at: number; until: number }[]>();
	/** Of the connectors that are faulted: the codes that their fault has named, and the faults that last. */
	const lasting = new Map<
		string,
		{ readonly codes: Set<string>; readonly all: { until: number }[] }
	>();
	for (const { asset, at, says } of said) {
		if (says.about !== 'status') continue;
		const { connector, code = '' } = says;
		const [part] = partOf(asset, says, settings);
		const own = lasting.get(connector);
		if (part === undefined) {
			for (const fault of own?.all ?? []) fault.until = at;
			lasting.delete(connector);
			continue;
		}
		// Repeated while it lasts, it is the same fault; by code, a new code is another one.
		const isNews = own === undefined || (settings.scope === 'code' && !own.codes.has(code));
		const { codes, all } = own ?? { codes: new Set(), all: [] };
		lasting.set(connector, { codes: codes.add(code), all });
		if (!isNews) continue;
		const fault = { at, until: Infinity };
		all.push(fault);
		faults.set(part, [...(faults.get(part) ?? []), fault]);
	}
	return [...faults].flatMap(([part, own]) => {
		const all: Incident[] = [];
		let window: typeof own = [];
		for (const fault of own) {
			const { at } = fault;
			const last = all.at(-1);
			if (last !== undefined && at <= last.until) {
				last.until = last.closesAt = Math.max(last.until, at + withinMs, fault.until);
				continue;
			}
			window = [...window.filter((each) => at - each.at <= withinMs), fault];
			const [{ at: since } = fault] = window;
			if (window.length < settings.times) continue;
			const until = Math.max(at + withinMs, ...window.map((each) => each.until));
			all.push({ part, since, until, opensAt: at, closesAt: until });
			window = [];
		}
		return all;
	});
}
