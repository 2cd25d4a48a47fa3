/**
 * What the station trigger of a history watched when, and which incidents it had to report: an epoch lasts as long as the
 * settings that decide about what counts as the same incident.
 */
import type { StationSettings } from '../../history';
import type { View } from '../view';
import { type Incident, incidentsOf, isRepeated, type Said } from './reference';

/** Listed later than this after their creation, events may be late for a decision. Clocks differ by 2 s. */
const LATE_MS = 50_000;
/** Of a station: all subsets of them are tried. */
const MOST_LATE = 8;

export interface Epoch {
	/** When it was published. */
	readonly from: number;
	/** When the first poll of it had ended; Infinity if none did. */
	readonly polledAt: number;
	/** When the next one was published; Infinity for the last one. */
	readonly to: number;
	/** Its settings differ in times and in what is reported. */
	readonly versions: readonly StationSettings[];
	/** When the last of them was published. */
	readonly changedAt: number;
}

/** The publications that have polled, without those that a poll of the next one overtook before they wrote anything. */
export function epochsOf(view: View): Epoch[] {
	const polling = new Set(view.all('polling').map(({ version }) => version));
	const heads = view.all('generation').filter(({ record }) => record.endsWith(':head'));
	const epochs: Epoch[] = [];
	for (const [n, { at, settings }] of view.publications.entries()) {
		const { station } = settings;
		if (station === undefined || !polling.has(n + 1)) continue;
		const last = epochs.at(-1);
		const before = last?.versions.at(-1);
		if (last !== undefined && before !== undefined && digestOf(before) === digestOf(station)) {
			epochs[epochs.length - 1] = { ...last, versions: [...last.versions, station], changedAt: at };
			continue;
		}
		const next = view.publications[n + 1]?.at ?? Infinity;
		const isOver = view.polled('station').findLast(({ version }) => version === n + 1)?.at;
		const until = Math.max(next, isOver ?? Infinity);
		if (last !== undefined && !heads.some((head) => head.at >= at && head.at <= until)) continue;
		if (last !== undefined) epochs[epochs.length - 1] = { ...last, to: at };
		const polledAt =
			view.polled('station').find((poll) => poll.error === undefined && (poll.version ?? 0) > n)
				?.at ?? Infinity;
		epochs.push({ from: at, polledAt, to: Infinity, versions: [station], changedAt: at });
	}
	return epochs;
}

/** Other settings are a new publication. */
function digestOf(settings: StationSettings): string {
	const { kind, statuses, scope } = settings;
	const parts = {
		...{ stationOffline: [], sessionEnded: [], connectorStatus: [...statuses].sort() },
		connectorFault: [scope, isRepeated(settings)],
	};
	return JSON.stringify([kind, parts[kind]]);
}

/** By station, in the order of their creation. */
export function saidBy(view: View): Map<string, Said[]> {
	const stations = new Map<string, Said[]>();
	for (const { id, created, listedAt } of view.events) {
		const { asset, says, createdAt } = created;
		if (asset === undefined || says === undefined || createdAt === undefined) continue;
		const all = stations.get(asset) ?? [];
		all.push({ event: id, at: createdAt, asset, says, listedAt });
		stations.set(asset, all);
	}
	for (const all of stations.values()) all.sort((a, b) => a.at - b.at);
	return stations;
}

export const isLate = ({ at, listedAt }: Said): boolean => listedAt - at > LATE_MS;

/**
 * The incidents of a station by each of its possible knowledges: with and without each late event, by each version of the
 * settings, and for repeated faults with and without those from around the publication. Undefined for too many.
 */
export function variantsOf(said: readonly Said[], epoch: Epoch): Incident[][] | undefined {
	const watched = said.filter((each) => isWatched(each, epoch));
	const late = watched.filter(isLate);
	if (late.length > MOST_LATE) return undefined;
	const variants: Incident[][] = [];
	for (let subset = 0; subset < 2 ** late.length; subset += 1) {
		const left = new Set(late.filter((_each, n) => (subset & (1 << n)) === 0));
		const known = watched.filter((each) => !left.has(each));
		for (const settings of epoch.versions) {
			const begins = isRepeated(settings) ? [-Infinity, epoch.from, epoch.polledAt] : [-Infinity];
			for (const from of begins)
				variants.push(
					incidentsOf(
						known.filter(({ at }) => at > from),
						settings,
					),
				);
		}
	}
	return variants;
}

/** The incidents of what the trigger has read by then, by each version of the settings: the past before a publication is read later. */
export function readIncidents(
	said: readonly Said[],
	epoch: Epoch,
	isRead: (said: Said) => boolean,
) {
	const watched = said.filter((each) => isWatched(each, epoch));
	const known = watched.filter((each) => each.at > epoch.polledAt || isRead(each));
	if (known.length === watched.length) return [];
	return epoch.versions.flatMap((settings) => incidentsOf(known, settings));
}

/** Whether what counted as over before the times changed may count as the same incident by the new ones. */
export function isContinued(
	said: readonly Said[],
	epoch: Epoch,
	{ part, since }: Incident,
): boolean {
	const [settings] = epoch.versions;
	if (settings === undefined || epoch.versions.length === 1) return false;
	const resolveAfterMinutes = Math.max(...epoch.versions.map((each) => each.resolveAfterMinutes));
	const widest = { ...settings, forMinutes: 0, resolveAfterMinutes };
	const all = incidentsOf(
		said.filter((each) => isWatched(each, epoch)),
		widest,
	);
	return all.some(
		(each) =>
			each.part === part && each.since <= Math.min(since, epoch.changedAt) && each.until >= since,
	);
}

function isWatched({ says }: Said, { versions }: Epoch): boolean {
	const isOffline = versions[0]?.kind === 'stationOffline';
	return isOffline ? says.about !== 'session' : says.about === 'status';
}
