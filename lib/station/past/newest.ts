/** The incidents that a test in the editor can show, from the past: nothing is recorded. */
import type { ApiClient, ApiRecord } from '../../service';
import { SECOND_MS } from '../../shared/time';
import { asText, isRecord } from '../../shared/values';
import { checkListed, type Directory, directoryNow } from '../common/directory';
import type { Owner } from '../common/incident';
import { DAY_MS, HOUR_MS, type StationSettings } from '../common/settings';
import { incidentsIn, onlyOf, sessionsIn } from './ask';
import type { PastIncident } from './incidents';
import { type Past, readPast, WANTS_OF } from './read';

/** A person waits for it. */
const MOST_EVENTS = 100_000;
const MOST_MS = 20_000;
/** What the settings would have reported is counted over a day; the newest one may be older. */
const COUNTED_MS = DAY_MS;
const OLDEST_MS = 7 * DAY_MS;

interface Asking {
	readonly client: Pick<ApiClient, 'list'>;
	readonly settings: StationSettings;
	/** The trigger: IDs are those that it gives when it is published. */
	readonly owner: Owner;
	readonly now?: number;
	/** Milliseconds of a clock that nobody sets. */
	readonly clock?: () => number;
}

/** An incident, or an ended session. */
export interface Shown {
	readonly assetId: string;
	/** What a choice in the editor is known by. */
	readonly id: string;
	/** When it began or, of a session, ended. In Unix milliseconds. */
	readonly at: number;
	/** Its items by `state`, `opened` and `resolved`; a session has one, without a state. */
	readonly items: ReadonlyMap<unknown, ApiRecord>;
}

export interface Found {
	/** Newest first. */
	readonly all: readonly Shown[];
	/** Of the last day, or of as much of it as was read: how many the settings would have reported, of how many stations. */
	readonly incidents: number;
	readonly stations: number;
	/** How far back it was read, in milliseconds: a day, unless there are too many events, or the list is younger. */
	readonly countedMs: number;
	readonly readMs: number;
	readonly events: number;
	/** Whether the list has nothing older than what was read. */
	readonly isAll: boolean;
	/** Why stations have only their IDs. */
	readonly unnamed?: unknown;
}

/** @throws the client's error */
export async function newestIncidents(asking: Asking, isEnough = hasAny): Promise<Found> {
	const { clock = () => performance.now() } = asking;
	const deadline = clock() + MOST_MS;
	const day = await read(asking, COUNTED_MS, deadline);
	// Another day may have one. The service's clock has whole seconds: a day can be some milliseconds short.
	const isCut = day.countedMs <= COUNTED_MS - SECOND_MS || clock() > deadline;
	if (isEnough(day) || isCut) return day;
	const { all, readMs, events, isAll } = await read(asking, OLDEST_MS, deadline);
	return { ...day, all, readMs, events, isAll };
}

const hasAny = ({ all }: Found) => all.length > 0;

/** Those of the last seven days. */
export async function incidentsToChoose(asking: Asking): Promise<Found> {
	return await newestIncidents(asking, () => false);
}

async function read(asking: Asking, backMs: number, deadline: number): Promise<Found> {
	const { client, settings, owner, now = Date.now() } = asking;
	const { clock = () => performance.now() } = asking;
	const mayRequest = () => clock() < deadline;
	const { kind, forMs, resolveAfterMs, withinMs } = settings;
	const longest = kind === 'sessionEnded' ? DAY_MS : forMs + resolveAfterMs + withinMs + HOUR_MS;
	const past = await readPast({
		client,
		now,
		mayRequest,
		wants: WANTS_OF[kind],
		words: settings,
		maxEvents: MOST_EVENTS,
		from: now - backMs,
		lookBackMs: longest,
	});
	const from = Math.max(past.from, past.readBackTo);
	const directory = await directoryNow(client, () => clock() < deadline + MOST_MS / 2);
	const found = await shownOf({ past: { ...past, from }, owner, directory }, settings);
	checkListed(settings.onlyStations ?? [], directory.listing?.has, 'Only These Stations');
	const all = found
		.sort((a, b) => b.at - a.at)
		.map(({ items, ...one }) => ({
			...one,
			items: new Map(
				[...items].map(([state, item]) => [
					state,
					{ station: directory.fieldsOf(one.assetId), ...item },
				]),
			),
		}));
	const isAll = past.events > 0 && past.oldestAt !== undefined && past.oldestAt > from;
	const readMs = past.serviceNow - (isAll ? past.oldestAt : from);
	return {
		all,
		readMs,
		events: past.events,
		countedMs: Math.min(readMs, backMs),
		isAll,
		...(directory.failure !== undefined && { unnamed: directory.failure }),
		incidents: all.length,
		stations: new Set(all.map(({ assetId }) => assetId)).size,
	};
}

interface Reported {
	/** From when on. */
	readonly past: Past;
	readonly owner: Owner;
	readonly directory: Directory;
}

/** Those that would have been reported from then on. */
async function shownOf(
	{ past, owner, directory }: Reported,
	settings: StationSettings,
): Promise<Shown[]> {
	const { from } = past;
	const asked = { past, owner, directory, assetIds: onlyOf(settings) };
	if (settings.kind !== 'sessionEnded') {
		const incidents = await incidentsIn(asked, settings);
		return incidents
			.filter((one) => openedAt(one, settings) >= from)
			.map(({ assetId, since, entries, item }) => ({
				assetId,
				at: since,
				id: choiceOf(assetId, since, item),
				items: new Map(entries.map(({ item }) => [item['state'], item])),
			}));
	}
	const sessions = await sessionsIn(asked, settings, false);
	return sessions.flatMap(({ assetId, t, item: { state: _state, final, ...item } }) =>
		final === true
			? [{ assetId, at: t, id: choiceOf(assetId, t, item), items: new Map([[undefined, item]]) }]
			: [],
	);
}

/** When it opened: faults that repeat open it with the last of their number. Of more faults than an item lists, the first counts. */
function openedAt(
	{ since, item: { count, faults } }: PastIncident,
	{ times, forMs }: StationSettings,
): number {
	const last: unknown = Array.isArray(faults) ? faults[Number(count) - times] : undefined;
	return times > 1 && isRecord(last) ? Date.parse(asText(last['at'])) : since + forMs;
}

/** Not the ID of the incident: that depends on the node, and n8n lists the choices with a node of its own. */
const choiceOf = (assetId: string, at: number, { connector }: ApiRecord): string =>
	[assetId, asText(connector), at].join(' ');
