/** Asks about the past of a list that a test writes. */
import { walkPages } from '../../../../lib/service/paging';
import {
	type Asked,
	DEFAULT_CONNECTION,
	directoryNow,
	newestIncidents,
	type OutageQuestion,
	pastIncidents,
	pastOutages,
	pastSessions,
	pastUptime,
	readPast,
	split,
	stationStatus,
	type SplitBy,
	type StationSettings,
	type UptimeQuestion,
	type Wants,
	WANTS_OF,
} from '../../../../lib/station';
import { DEFAULTS, MINUTE, type StationEvent, time } from '../stationWorld';

export interface PastOptions {
	readonly from?: number;
	readonly to?: number | undefined;
	readonly now?: number;
	/** By ID, or as the service lists them. */
	readonly assets?: readonly (string | { readonly id: string })[];
	readonly isOldestFirst?: boolean;
	/** How often the list has each record. */
	readonly copies?: number;
	readonly lookBackMs?: number;
	readonly resolveAfterMs?: number;
	readonly silentAfterMs?: number;
	readonly maxEvents?: number;
	readonly owner?: Asked['owner'];
	readonly assetIds?: readonly string[];
	/** In place of one of the events. */
	readonly client?: Client;
}

type Client = Parameters<typeof readPast>[0]['client'];

export const OWNER = { workflowId: 'workflow', nodeId: 'node' };

const assetOf = (asset: string | { readonly id: string }): { id: string } =>
	typeof asset === 'string' ? ({ id: asset, name: `Station ${asset}` } as { id: string }) : asset;

function listOf(events: readonly StationEvent[], options: PastOptions = {}) {
	const { now = time('12:00'), copies = 1, isOldestFirst = false } = options;
	const { assets = ['s1', 's2'] } = options;
	const all = Array.from({ length: copies }, (_unused, n) =>
		events.map(({ id, ...event }) => ({ ...event, id: n === 0 ? id : `${id}-${n}` })),
	).flat();
	const sorted = all.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
	const list = (isOldestFirst ? sorted.reverse() : sorted).map(({ id, record }) => ({
		...record,
		id,
	}));
	const client: Client = {
		list: (resource, asked) =>
			walkPages(
				async (limit, after) => {
					asked.onDate?.(Math.floor(now / 1000) * 1000);
					const records: { id: string }[] = resource === 'asset' ? assets.map(assetOf) : list;
					const from = records.findIndex(({ id }) => id === after) + 1;
					const items = records.slice(from, from + limit);
					return { items, hasMore: from + limit < records.length };
				},
				{ pageSize: 100, ...asked },
				() => undefined,
			),
	};
	return options.client ?? client;
}

export async function askPast(
	events: readonly StationEvent[],
	wants: Wants,
	options: PastOptions = {},
): Promise<Asked> {
	const { now = time('12:00'), from = time('09:00'), to, lookBackMs = 24 * 60 * MINUTE } = options;
	const { maxEvents = 1_000_000, owner = OWNER, assetIds, resolveAfterMs } = options;
	const { silentAfterMs } = options;
	const client = listOf(events, options);
	const words = DEFAULT_CONNECTION;
	const past = await readPast({
		...{ client, wants, words, from, to, lookBackMs, maxEvents, now },
		...(resolveAfterMs !== undefined && { resolveAfterMs }),
		...(silentAfterMs !== undefined && { silentAfterMs }),
	});
	return {
		...{ past, owner, directory: await directoryNow(client) },
		assetIds: assetIds && new Set(assetIds),
	};
}

export async function incidents(
	events: readonly StationEvent[],
	settings: Partial<StationSettings>,
	options: PastOptions = {},
) {
	const all = { ...DEFAULTS, ...settings };
	const { kind, resolveAfterMs } = all;
	const asked = await askPast(events, WANTS_OF[kind], { ...options, resolveAfterMs });
	return await pastIncidents(asked, all);
}

export async function sessions(
	events: readonly StationEvent[],
	options: PastOptions & { includeOpen?: boolean } = {},
) {
	const settings: StationSettings = { ...DEFAULTS, kind: 'sessionEnded', forMs: 0 };
	const asked = await askPast(events, { sessions: true }, options);
	return await pastSessions(asked, settings, options.includeOpen ?? false);
}

/** What a test in the editor finds. */
export async function newest(
	events: readonly StationEvent[],
	settings: Partial<StationSettings>,
	options: PastOptions = {},
) {
	const { now = time('12:00'), owner = OWNER } = options;
	const client = listOf(events, options);
	return await newestIncidents({ client, settings: { ...DEFAULTS, ...settings }, owner, now });
}

const OF_PLACES: Wants = { connections: true, states: true, silence: true };

export async function uptime(
	events: readonly StationEvent[],
	question: Partial<UptimeQuestion> & { splitBy?: SplitBy; timeZone?: string } = {},
	options: PastOptions = {},
) {
	const asked = await askPast(events, OF_PLACES, options);
	const { splitBy = 'none', timeZone = 'UTC', ...others } = question;
	return await pastUptime(asked, {
		...{ per: 'connector', countUnavailable: true, unknownAs: 'leftOut', exclusions: [] },
		...{ words: DEFAULT_CONNECTION, parts: split(asked.past, splitBy, timeZone) },
		...others,
	});
}

export async function outages(
	events: readonly StationEvent[],
	question: Partial<OutageQuestion> & { splitBy?: SplitBy; timeZone?: string } = {},
	options: PastOptions = {},
) {
	const asked = await askPast(events, OF_PLACES, options);
	const { splitBy = 'none', timeZone = 'UTC', ...others } = question;
	return await pastOutages(asked, {
		...{ per: 'connector', countUnavailable: true, exclusions: [], words: DEFAULT_CONNECTION },
		...{ parts: split(asked.past, splitBy, timeZone), ...others },
	});
}

export async function status(events: readonly StationEvent[], options: PastOptions = {}) {
	const { now = time('12:00') } = options;
	const wants = { connections: true, states: true, sessions: true, silence: true };
	const asked = await askPast(events, wants, { from: now, ...options });
	return await stationStatus(asked, DEFAULT_CONNECTION);
}
