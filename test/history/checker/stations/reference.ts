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

/** One opens with so many faults within a time, and is over when there was none for that time. */
function repeatedFaults(said: readonly Said[], settings: StationSettings): Incident[] {
	const withinMs = settings.withinMinutes * MINUTE_MS;
	const faults = new Map<string, number[]>();
	/** Of the connectors that are faulted: the codes that their fault has named. */
	const lasting = new Map<string, Set<string>>();
	for (const { asset, at, says } of said) {
		if (says.about !== 'status') continue;
		const { connector, code = '' } = says;
		const [part] = partOf(asset, says, settings);
		if (part === undefined) {
			lasting.delete(connector);
			continue;
		}
		const named = lasting.get(connector);
		// Repeated while it lasts, it is the same fault; by code, a new code is another one.
		const isNews = named === undefined || (settings.scope === 'code' && !named.has(code));
		lasting.set(connector, (named ?? new Set()).add(code));
		if (isNews) faults.set(part, [...(faults.get(part) ?? []), at]);
	}
	return [...faults].flatMap(([part, times]) => {
		const all: Incident[] = [];
		let window: number[] = [];
		for (const at of times) {
			const last = all.at(-1);
			if (last !== undefined && at <= last.until) {
				last.until = last.closesAt = at + withinMs;
				continue;
			}
			window = [...window.filter((each) => at - each <= withinMs), at];
			const [since = at] = window;
			if (window.length < settings.times) continue;
			const until = at + withinMs;
			all.push({ part, since, until, opensAt: at, closesAt: until });
			window = [];
		}
		return all;
	});
}
