/** Stations without n8n: a list in an array, a ledger in memory, a clock that the test moves, and executions that end as told. */
import { randomUUID } from 'node:crypto';
import type { Item } from '../../../lib/event';
import type { Polled } from '../../../lib/follow';
import { type Acknowledge, type Ledger, ledgerKey, newAttempt } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import {
	DEFAULT_CONNECTION,
	MINUTE_MS,
	pollStations,
	type StationPollOptions,
	type StationSettings,
} from '../../../lib/station';
import { forgetDirectory } from '../../../lib/station/common/directory';
import { fakeList } from '../follow/fakeList';
import { MemoryStore } from '../ledger/memoryStore';

export const MINUTE = MINUTE_MS;
const DAY = '2026-11-23';

/** A time of the day, such as `09:00:10`; `11-22 10:00` for another one. In Unix milliseconds. */
export function time(text: string): number {
	const [clock = '', date = DAY.slice(5)] = text.split(' ').reverse();
	return Date.parse(`2026-${date}T${clock.length === 5 ? `${clock}:00` : clock}Z`);
}

export const DEFAULTS: StationSettings = {
	...DEFAULT_CONNECTION,
	kind: 'stationOffline',
	forMs: 5 * MINUTE_MS,
	resolveAfterMs: 2 * MINUTE_MS,
	statuses: ['Preparing', 'SuspendedEV', 'SuspendedEVSE', 'Finishing', 'Reserved', 'Unavailable'],
	scope: 'code',
	times: 1,
	withinMs: 1440 * MINUTE_MS,
	reportResolved: true,
	catchUpMs: 6 * 60 * MINUTE_MS,
};

export interface StationEvent {
	readonly id: string;
	readonly createdAt: string;
	/** When the list has it, in Unix milliseconds; when it was created by default. */
	readonly listedAt: number;
	readonly record: Record<string, unknown>;
}

let events = 0;

export function event(
	at: string | number,
	assetId: string,
	type: string,
	data: Record<string, unknown>,
	{ id = `whevt_${++events}`, listedAt }: { id?: string; listedAt?: string } = {},
): StationEvent {
	const created = typeof at === 'number' ? at : time(at);
	const createdAt = new Date(created).toISOString();
	return {
		id,
		createdAt,
		listedAt: listedAt === undefined ? created : time(listedAt),
		record: { id, eventType: type, createdAt, payload: { asset: { id: assetId }, ...data } },
	};
}

type More = Parameters<typeof event>[4];

export const connection = (at: string | number, assetId: string, status: string, more?: More) =>
	event(at, assetId, 'asset.connectivity', { status }, more);
export const lost = (at: string | number, assetId = 's1', more?: More) =>
	connection(at, assetId, 'DISCONNECTED', more);
export const back = (at: string | number, assetId = 's1', more?: More) =>
	connection(at, assetId, 'CONNECTED', more);

export function message(
	at: string | number,
	assetId: string,
	[action, payload]: readonly [string, Record<string, unknown>],
	{ messageType = 'CALL', ...more }: More & { messageType?: string; messageId?: string } = {},
): StationEvent {
	const { messageId = `m${events}`, ...rest } = more as { messageId?: string };
	const data = { messageType, messageId, payload, ...(messageType === 'CALL' && { action }) };
	return event(at, assetId, 'ocpp.message', data, rest);
}

interface WorldOptions {
	/** A new one by default. */
	readonly workflowId?: string;
	readonly settings?: Partial<StationSettings>;
	readonly acknowledge?: Acknowledge;
	readonly batchSize?: number;
	readonly assets?: readonly string[];
	/** In which order the list has the records; newest first by default. */
	readonly isOldestFirst?: boolean;
	/** How often the list has each record. */
	readonly copies?: number;
	readonly store?: MemoryStore;
	readonly openLedger?: (clock: () => number) => Ledger;
}

export interface Execution {
	readonly at: string;
	readonly items: Record<string, unknown>[];
}

export type StationWorld = ReturnType<typeof stationWorld>;

export function stationWorld(options: WorldOptions = {}) {
	const { acknowledge = 'stored', assets = ['s0', 's1', 's2', 's3', 's4'] } = options;
	const { workflowId = randomUUID() } = options;
	const nodeId = 'node';
	let now = time('08:30');
	const clock = () => now;
	const store = options.store ?? new MemoryStore(clock);
	const openLedger = (): Ledger => options.openLedger?.(clock) ?? new EventLedger({ store });
	const world = {
		workflowId,
		events: [] as StationEvent[],
		store,
		openLedger,
		ledger: openLedger(),
		assets: [...assets],
		failure: undefined as Error | undefined,
		/** Whether n8n stores an execution, and how it ends; undefined if n8n loses it. */
		fate: (async () => 'succeeded') as (
			items: Record<string, unknown>[],
		) => Promise<'unstored' | 'succeeded' | 'failed' | undefined>,
		executions: [] as Execution[],
		memory: undefined as Polled | undefined,
		warnings: [] as string[],
		settings: { ...DEFAULTS, ...options.settings },
		/** Called before each hand-over, such as to kill the process. */
		beforeHandOver: (): void => undefined,
		get now() {
			return now;
		},
		set now(at: number) {
			now = at;
		},
		/** The items of the executions, each once. */
		items: () => world.executions.flatMap(({ items }) => items),
		ids: () => world.items().map(({ id }) => String(id)),
		/** `pollWith` is that of another process. */
		async poll(
			changes: Partial<StationPollOptions> = {},
			pollWith = pollStations,
		): Promise<Error | undefined> {
			const { failure, started } = await pollWith({
				...{ ledger: world.ledger, workflowId, nodeId, settings: world.settings },
				batchSize: options.batchSize ?? 1000,
				client,
				handOver,
				memory: {
					read: (as) => (world.memory?.as === as ? world.memory : undefined),
					write: (known) => {
						world.memory = known;
					},
				},
				warn: (text) => world.warnings.push(text),
				...{ now: clock, clock: () => 0, budgetMs: Infinity },
				...changes,
			});
			await started;
			return failure;
		},
		/** The list, once `before` is over. */
		clientAfter: (before: () => Promise<void> | void): StationPollOptions['client'] => ({
			async *list(...asked) {
				await before();
				yield* client.list(...asked);
			},
		}),
		/** Polls each full minute; both ends included. */
		async pollFrom(
			from: string,
			to: string,
			changes: Partial<StationPollOptions> = {},
		): Promise<void> {
			const end = time(to);
			for (let at = time(from); at <= end; at += MINUTE_MS) {
				now = at;
				await world.poll(changes);
			}
		},
		/** The execution of what was handed over. */
		run: (items: Record<string, unknown>[], fate: 'succeeded' | 'failed') => run(items, fate),
		/** What a process knows that is not stored. */
		restart(): void {
			forgetDirectory(JSON.stringify([workflowId, nodeId]));
			world.ledger = openLedger();
		},
	};

	const handOver = async (handed: readonly Item[]): Promise<boolean> => {
		world.beforeHandOver();
		const items = handed.map(({ record }) => ({ ...record }));
		const fate = await world.fate(items);
		if (fate === 'unstored') return false;
		if (fate === undefined) return true;
		await run(items, fate);
		return true;
	};

	const run = async (
		items: Record<string, unknown>[],
		fate: 'succeeded' | 'failed',
	): Promise<void> => {
		const keys = items.map(({ id }) => ledgerKey(workflowId, String(id)));
		const attempt = newAttempt(randomUUID());
		const beginning = { run: attempt, acknowledge, retentionMs: 1e10 };
		const begun = await world.ledger.begin(keys, beginning);
		const won = items.filter((_item, n) => begun[n]);
		const at = new Date(now).toISOString().slice(5, 16).replace('T', ' ');
		if (won.length > 0) world.executions.push({ at, items: won });
		await world.ledger.end(attempt, fate);
	};

	const client = fakeList(
		(resource) =>
			resource === 'asset' ? world.assets.map((id) => ({ id, name: `Station ${id}` })) : listed(),
		(_after, { onDate }) => {
			if (world.failure) throw world.failure;
			onDate?.(Math.floor(now / 1000) * 1000);
		},
	);
	interface Listed {
		readonly key: string;
		readonly shown: readonly StationEvent[];
		readonly list: { id: string }[];
	}
	/** The list of this moment. */
	let last: Listed | undefined;
	const listed = (): { id: string }[] => {
		const key = `${now} ${world.events.length}`;
		if (last?.key === key) return last.list;
		const shown = world.events.filter(({ listedAt }) => listedAt <= now);
		const { shown: before } = last ?? {};
		if (last && before?.length === shown.length && shown.every((each, n) => each === before[n])) {
			last = { ...last, key };
			return last.list;
		}
		const copies = Array.from({ length: options.copies ?? 1 }, () => shown).flat();
		const sorted = copies.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
		const list = options.isOldestFirst ? sorted.reverse() : sorted;
		last = { key, shown, list: list.map(({ id, record }) => ({ ...record, id })) };
		return last.list;
	};
	return world;
}
