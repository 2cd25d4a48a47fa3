/** Plays a history of the field to the pure functions of the station trigger: polls that list its events late, in any order and repeatedly. */
import { eventFromList } from '../../../lib/event';
import { GRACE_MS, MINUTE_MS, type StationSettings } from '../../../lib/station/common/settings';
import type { Entry } from '../../../lib/station/common/state';
import { type EventFacts, readFacts } from '../../../lib/station/facts';
import { isWatched } from '../../../lib/station/fold/station';
import { nextShard } from '../../../lib/station/shards';
import type { History } from '../../../simulator/data/field/habits/history';
import { createRandom, type Random } from '../../../simulator/data/random';

/** What is reported of a station. */
export type Reported = Record<string, unknown> & { readonly assetId: string };

export interface Listing {
	/** By the ID of the event, how long after its creation the list has it. */
	readonly lateMs: ReadonlyMap<string, number>;
	readonly items: readonly Reported[];
}

export interface Playing {
	readonly seed: number;
	/** Some events appear up to this long after their creation; at most half a minute by default. */
	readonly latestMs?: number | undefined;
}

const LATE_ONE_IN = 12;
const PUNCTUAL_MS = 30_000;
/** Then everything is listed, and every incident that can be is over. */
const AFTERWARDS_MS = 5 * 60 * MINUTE_MS;
/** Each poll reads some events again. */
const AGAIN = 40;

export function play(
	{ events }: History,
	settings: StationSettings,
	{ seed, latestMs = 0 }: Playing,
): Listing {
	const random = createRandom(seed);
	const listed = events.map((event) => {
		const createdMs = Date.parse(event.createdAt.replace(/Z?$/, 'Z'));
		const isLate = latestMs > 0 && random.int(LATE_ONE_IN) === 0;
		const lateMs = random.int(isLate ? latestMs : PUNCTUAL_MS);
		return { event, at: createdMs + lateMs, lateMs };
	});
	const lateMs = new Map(listed.map(({ event, lateMs: late }) => [event.id, late]));
	const waiting = listed
		.flatMap(({ event: { type, data, ...rest }, at }) => {
			const read = factsOf({ ...rest, eventType: type, payload: data }, at + 1_000);
			return read?.facts.some((fact) => isWatched(fact, settings)) ? [{ read, at }] : [];
		})
		.sort((one, other) => one.at - other.at);
	const items = poll(waiting, settings, random);
	return { lateMs, items };
}

function factsOf(record: Record<string, unknown>, serviceNow: number): EventFacts | undefined {
	const parsed = eventFromList(record);
	const read = parsed.ok ? readFacts(parsed.event, serviceNow) : undefined;
	return typeof read === 'object' ? read : undefined;
}

interface Waiting {
	readonly read: EventFacts;
	readonly at: number;
}

function poll(waiting: readonly Waiting[], settings: StationSettings, random: Random): Reported[] {
	const reported = new Map<string, Entry>();
	const first = waiting[0]?.at ?? 0;
	const end = (waiting.at(-1)?.at ?? 0) + AFTERWARDS_MS;
	const owner = { workflowId: 'workflow', nodeId: 'node', settings, listing: undefined };
	let text: string | undefined;
	let settled = new Set<string>();
	let next = 0;
	for (let now = first - 2 * MINUTE_MS; now < end; now += (1 + random.int(9)) * MINUTE_MS) {
		const from = next;
		while ((waiting[next]?.at ?? Infinity) <= now) next += 1;
		const again = waiting.slice(Math.max(0, from - AGAIN), from).filter(() => random.int(4) === 0);
		const events = shuffled([...again, ...waiting.slice(from, next)], random);
		const moment = {
			...owner,
			watermark: now - GRACE_MS,
			horizon: now,
			publishedAt: first - MINUTE_MS,
		};
		const step = { events: events.map(({ read }) => read), moment, settled, unlistedLeft: 1_000 };
		const { text: changed, toTell } = nextShard(text, step);
		text = changed ?? text;
		for (const entry of toTell) {
			// What is to be reported stays as it was decided.
			if (!reported.has(entry.id)) reported.set(entry.id, entry);
		}
		settled = new Set(toTell.map(({ id }) => id));
	}
	return [...reported.values()].map(({ assetId, item }) => ({ ...item, assetId }));
}

function shuffled<T>(list: T[], random: Random): T[] {
	for (let n = list.length - 1; n > 0; n--) {
		const other = random.int(n + 1);
		const [one, two] = [list[n], list[other]];
		if (one !== undefined && two !== undefined) [list[n], list[other]] = [two, one];
	}
	return list;
}
