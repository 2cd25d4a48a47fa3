/** Made-up asset IDs and a ledger in SQLite; `IDS` sets their number. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { walkPages } from '../../../lib/service/paging';
import type { StationPollOptions } from '../../../lib/station';
import { casesOf } from '../../support/cases';
import { openSqlite, SqliteWorld } from '../ledger/sqlite/world';
import { back, event, lost, MINUTE, type StationEvent, stationWorld, time } from './stationWorld';

const IDS = casesOf({ few: 4_000, all: 10_000, variable: 'IDS' });
const MINUTES = 10;
const PER_MINUTE = Math.ceil(IDS / MINUTES);
const FROM = time('09:00');
const MB = 1024 * 1024;
const SLOW_MS = 600_000;

/** As long as the ID of an asset may be, and unlike all others. */
const madeUp = (n: number) =>
	createHash('sha512').update(String(n)).digest('base64').padEnd(100, '-');

type Make = (at: number, id: string) => StationEvent;

interface Flood {
	readonly kind: 'stationOffline' | 'sessionEnded';
	/** What a made-up station sends. */
	readonly made: (assetId: string) => Make;
	/** What listed stations send, by the minute. */
	readonly listed: ReadonlyMap<number, Make>;
	/** What is reported of them. */
	readonly reported: readonly string[];
}

const call =
	(assetId: string, action: string, payload: Record<string, unknown>): Make =>
	(at, id) =>
		event(
			at,
			assetId,
			'ocpp.message',
			{ messageType: 'CALL', action, messageId: id, payload },
			{ id },
		);
const started = (assetId: string, wh: number) =>
	call(assetId, 'TransactionEvent', {
		...{ eventType: 'Started', seqNo: 0, transactionInfo: { transactionId: assetId } },
		evse: { id: 1, connectorId: 1 },
		meterValue: [{ sampledValue: [{ value: wh }] }],
	});
const ended = (assetId: string, wh: number) =>
	call(assetId, 'TransactionEvent', {
		...{ eventType: 'Ended', seqNo: 1, transactionInfo: { transactionId: assetId } },
		meterValue: [{ sampledValue: [{ value: wh }] }],
	});

const FLOODS: readonly Flood[] = [
	{
		kind: 'stationOffline',
		made: (assetId) => (at, id) => lost(at, assetId, { id }),
		listed: new Map<number, Make>([
			[0, (at, id) => lost(at, 's3', { id })],
			[4, (at, id) => lost(at, 's4', { id })],
			[8, (at, id) => back(at, 's3', { id })],
		]),
		reported: ['s3 opened', 's3 resolved', 's4 opened'],
	},
	{
		kind: 'sessionEnded',
		made: (assetId) => started(assetId, 1),
		listed: new Map<number, Make>([
			[0, started('s3', 1_000)],
			[8, ended('s3', 8_500)],
		]),
		reported: ['s3 7.5 kWh'],
	},
];

/** The events up to now, newest first: computed page by page. */
function clientOf(
	world: ReturnType<typeof stationWorld>,
	{ made, listed }: Flood,
): StationPollOptions['client'] {
	const eventAt = (n: number) => {
		const at = FROM + ((n + 1) * MINUTE) / PER_MINUTE;
		const make = n % PER_MINUTE === 0 ? listed.get(n / PER_MINUTE) : undefined;
		return (make ?? made(madeUp(n)))(Math.floor(at), `whevt_${n}`);
	};
	const eventsAfter = (after: string | undefined, limit: number) => {
		const created = Math.floor(((world.now - FROM) / MINUTE) * PER_MINUTE);
		const end = after === undefined ? Math.min(IDS, Math.max(0, created)) : Number(after.slice(6));
		const count = Math.min(limit, end);
		const items = Array.from({ length: count }, (_unused, n) => eventAt(end - 1 - n).record);
		return { items, hasMore: end > limit };
	};
	const assets = world.assets.map((id) => ({ id, name: id }));
	return {
		list: (resource, asked) =>
			walkPages(
				async (limit, after) => {
					asked.onDate?.(world.now);
					return resource === 'asset'
						? { items: assets, hasMore: false }
						: eventsAfter(after, limit);
				},
				{ ...asked, pageSize: 100 },
				() => undefined,
			),
	};
}

it.each(FLOODS)(
	'a flood of made-up stations leaves the files of the ledger small, and listed stations are reported ($kind)',
	async (flood) => {
		const sqlite = new SqliteWorld();
		const world = stationWorld({
			openLedger: () => openSqlite(sqlite.path),
			settings: { kind: flood.kind, ...(flood.kind === 'sessionEnded' && { forMs: 0 }) },
		});
		const client = clientOf(world, flood);
		const largest = { file: 0, log: 0 };
		try {
			for (let minute = -1; minute <= MINUTES + 3; minute++) {
				world.now = FROM + minute * MINUTE;
				expect(await world.poll({ client })).toBeUndefined();
				largest.file = Math.max(largest.file, statSync(sqlite.path).size);
				largest.log = Math.max(largest.log, statSync(`${sqlite.path}-wal`).size);
			}
		} finally {
			await world.ledger.close();
			await sqlite.remove();
		}
		const reported = world.items().flatMap(({ station, state, energyKwh }) => {
			const { id } = station as { id: string };
			if (!world.assets.includes(id)) return [];
			return [typeof state === 'string' ? `${id} ${state}` : `${id} ${String(energyKwh)} kWh`];
		});
		expect(reported.sort()).toEqual(flood.reported);
		expect(largest.file).toBeGreaterThan(MB / 4);
		expect(largest.file).toBeLessThan(16 * MB);
		expect(largest.log).toBeLessThan(32 * MB);
		if (process.env['IDS'] !== undefined) console.log(flood.kind, IDS, largest);
	},
	SLOW_MS,
);
