/** What the Station Trigger and the questions about the past say of a log: the trigger polls on a virtual clock while the log goes by. */
import { walkPages } from '../../lib/service/paging';
import type { Kind, StationPollOptions, StationSettings } from '../../lib/station';
import { incidents, sessions, uptime } from '../../test/unit/station/past/pastWorld';
import {
	event,
	MINUTE,
	type StationEvent,
	stationWorld,
} from '../../test/unit/station/stationWorld';
import type { Line } from './log';

export type Item = Readonly<Record<string, unknown>>;

/** Each kind, so that nothing is too short to be reported. */
const SETTINGS: Readonly<Record<Kind, Partial<StationSettings>>> = {
	stationOffline: {},
	connectorStatus: { forMs: 120 * MINUTE, resolveAfterMs: 0 },
	connectorFault: { forMs: 0, resolveAfterMs: 0, scope: 'connector' },
	sessionEnded: { forMs: 0, resolveAfterMs: 0 },
};
export const KINDS: readonly Kind[] = [
	'stationOffline',
	'connectorStatus',
	'connectorFault',
	'sessionEnded',
];
export const STATUS_MS = 120 * MINUTE;
/** Then nothing waits for a late message any more. */
const AFTERWARDS_MS = 180 * MINUTE;

export interface Told {
	/** By kind, one item per incident or session: of an incident, the last one. */
	readonly trigger: ReadonlyMap<Kind, readonly Item[]>;
	readonly past: ReadonlyMap<Kind, readonly Item[]>;
	readonly uptime: readonly Item[];
	/** The period of the uptime, in Unix milliseconds. */
	readonly from: number;
	readonly to: number;
	/** Up to when the trigger has polled. */
	readonly now: number;
}

/** `everyMs` is the time between two polls. */
export async function toldOf(lines: readonly Line[], everyMs: number): Promise<Told> {
	const events = lines.map(({ at, station, frame: { action, ...frame } }) =>
		event(at, station, 'ocpp.message', {
			...frame,
			...(frame.messageType === 'CALL' && { action }),
		}),
	);
	const assets = [...new Set(lines.map(({ station }) => station))];
	const from = Math.floor((lines[0]?.at ?? 0) / MINUTE) * MINUTE;
	const to = Math.ceil((lines.at(-1)?.at ?? 0) / MINUTE) * MINUTE;
	const now = to + AFTERWARDS_MS;
	const asked = { from, to: now, now, assets };
	const trigger = new Map<Kind, Item[]>();
	const past = new Map<Kind, Item[]>();
	for (const kind of KINDS) {
		const settings = { kind, ...SETTINGS[kind] };
		trigger.set(kind, await polled(events, settings, { assets, from, now, everyMs }));
		const found =
			kind === 'sessionEnded'
				? await sessions(events, asked)
				: await incidents(events, settings, asked);
		past.set(kind, found);
	}
	return { trigger, past, uptime: await uptime(events, {}, { ...asked, to }), from, to, now };
}

interface Polls {
	readonly assets: readonly string[];
	readonly from: number;
	readonly now: number;
	readonly everyMs: number;
}

async function polled(
	events: readonly StationEvent[],
	settings: Partial<StationSettings>,
	{ assets, from, now, everyMs }: Polls,
): Promise<Item[]> {
	const world = stationWorld({ settings, assets });
	const client = listOf(events, assets, () => world.now);
	for (let at = from - 10 * MINUTE; at <= now; at += everyMs) {
		world.now = at;
		const failure = await world.poll({ client });
		if (failure !== undefined) throw failure;
	}
	const items = world.items().map((item) => [item['incident'] ?? item['id'], item] as const);
	return [...new Map(items).values()];
}

/** The list as it was at each time, newest first: a log can be too long to sort at each poll. */
function listOf(
	events: readonly StationEvent[],
	assets: readonly string[],
	now: () => number,
): StationPollOptions['client'] {
	const places = new Map(events.map(({ id }, n) => [id, n]));
	const stations = assets.map((id) => ({ id, name: id }));
	let listed = 0;
	return {
		list: (resource, asked) =>
			walkPages(
				async (limit, after) => {
					asked.onDate?.(Math.floor(now() / 1000) * 1000);
					if (resource === 'asset') return { items: after ? [] : stations, hasMore: false };
					for (let next = events[listed]; next && next.listedAt <= now(); next = events[listed]) {
						listed += 1;
					}
					const end = after === undefined ? listed : (places.get(after) ?? 0);
					const page = events.slice(Math.max(0, end - limit), end).reverse();
					const items = page.map(({ id, record }) => ({ ...record, id }));
					return { items, hasMore: end > limit };
				},
				{ pageSize: 100, ...asked },
				() => undefined,
			),
	};
}
