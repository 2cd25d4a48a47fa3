/** A ledger that a newer version of the package has written: every caller refuses it in words, and leaves it as it is. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssetServiceApi } from '../../credentials/AssetServiceApi.credentials';
import { beginOrWait, ledgerKey, openLedger } from '../../lib/ledger';
import { rejections } from '../../n8n/log/log';
import { AssetService } from '../../nodes/AssetService/AssetService.node';
import { AssetServicePollTrigger } from '../../nodes/AssetServicePollTrigger/AssetServicePollTrigger.node';
import { AssetServiceStationTrigger } from '../../nodes/AssetServiceStationTrigger/AssetServiceStationTrigger.node';
import { createPollNode } from '../support/pollNode';
import { type RedisServer, redisServer, startRedis, withRedis } from '../support/redis';
import { runNode } from '../support/runNode';
import { useSimulatedService } from '../support/simulatedService';
import { withDatabase } from '../support/sqlite';
import type { TriggerServer } from '../support/triggerServer';
import { waitFor } from '../support/wait';
import { eventOf, send, start } from './AssetServiceTrigger/deliveries';

const folder = mkdtempSync(join(tmpdir(), 'asset-service-newer-'));
const path = join(folder, 'ledger.sqlite');
let redis: RedisServer | undefined;
const ledger = () => openLedger({ log: () => undefined });
const service = useSimulatedService();

afterAll(async () => {
	await redis?.remove();
	rmSync(folder, { recursive: true, force: true });
});

type Texts = Readonly<Record<string, string>>;

interface LedgerWorld {
	readonly env: Readonly<Record<string, string>>;
	/** With an empty ledger. */
	readonly start: () => Promise<void>;
	/** Every text but those of sessions, by key. */
	readonly texts: () => Promise<Texts>;
	/** As a newer version writes them. */
	readonly raise: () => Promise<void>;
}

const sqlite: LedgerWorld = {
	env: { ASSET_SERVICE_LEDGER: 'sqlite', ASSET_SERVICE_LEDGER_SQLITE_PATH: path },
	start: async () => {
		for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
	},
	texts: async () =>
		withDatabase(path, (database) => {
			const all = 'SELECT hex(key) AS key, text FROM entry UNION SELECT key, value FROM record';
			const rows = database.prepare(all).all();
			return Object.fromEntries(rows.map(({ key, text }) => [String(key), String(text)]));
		}),
	raise: async () => {
		withDatabase(path, (database) => {
			database.exec("UPDATE entry SET text = '2' || substr(text, 2)");
			database.exec("UPDATE record SET value = '2' || substr(value, 2)");
		});
	},
};

const KEYS = 'asset-service:ledger:*';
const RECORD = 'asset-service:ledger:record:';
const onRedis: LedgerWorld = {
	get env() {
		return { ASSET_SERVICE_LEDGER: 'redis', ASSET_SERVICE_LEDGER_REDIS_URL: redis?.url ?? '' };
	},
	start: async () => {
		redis ??= await startRedis();
		await withRedis(redis.url, (client) => client.flushall());
	},
	texts: async () =>
		await withRedis(redis?.url ?? '', async (client) => {
			const keys = (await client.keys(KEYS)).filter((key) => !key.includes(':session:'));
			const texts = keys.map(
				async (key) => [key.replace(RECORD, ''), (await client.get(key)) ?? ''] as const,
			);
			return Object.fromEntries(await Promise.all(texts));
		}),
	raise: async () => {
		await withRedis(redis?.url ?? '', async (client) => {
			for (const key of await client.keys(KEYS)) {
				const text = (await client.get(key)) ?? '';
				await client.set(key, text.replace(/^\d+/, '2'), 'KEEPTTL');
			}
		});
	},
};

const REFUSAL = /written by a newer version of this package \(format 2, supported here: 1\)/;

const WORLDS: readonly (readonly [string, LedgerWorld])[] = [
	['SQLite', sqlite],
	...(redisServer() === undefined ? [] : [['Redis', onRedis] as const]),
];

describe.each(WORLDS)('on %s', (_store, world) => {
	let server: TriggerServer | undefined;

	beforeEach(async () => {
		await world.start();
		Object.assign(process.env, world.env);
		// Work of the test before may have opened its own again since it was closed.
		await (await ledger()).close();
	});
	afterEach(async () => {
		await server?.stop();
		server = undefined;
		await rejections.flush();
		await (await ledger()).close();
	});

	it('gets 503 for a delivery, and no execution of it begins', async () => {
		const workflowId = randomUUID();
		server = await start({ workflowId });
		const event = eventOf();
		expect((await send(server, event)).status).toBe(200);
		const key = ledgerKey(workflowId, event.id);
		const state = async () => (await (await ledger()).look(key)).state;
		await waitFor(async () => (await state()) === 'stored', { what: 'the event to be stored' });
		await world.raise();
		const texts = await world.texts();
		expect(await send(server, event)).toMatchObject({
			status: 503,
			body: { status: 'unavailable' },
		});
		await rejections.flush();
		const { [`rejections:${workflowId}`]: counts } = await world.texts();
		expect(counts).toMatch(REFUSAL);
		const begin = beginOrWait(ledger, [key], {
			run: 'run',
			acknowledge: 'stored',
			retentionMs: 1_000,
		});
		await expect(begin).rejects.toThrow(REFUSAL);
		expect(await world.texts()).toMatchObject(texts);
	});

	it.each([
		['Poll Trigger', () => new AssetServicePollTrigger(), {}],
		[
			'Station Trigger',
			() => new AssetServiceStationTrigger(),
			{ triggerOn: 'stationOffline', forMinutes: 0, resolveAfterMinutes: 0 },
		],
	] as const)(
		'fails each poll of a %s, which reports nothing',
		async (_which, trigger, parameters) => {
			const emit = async (minutesAgo: number, status: string) => {
				const createdAt = new Date(Date.now() - minutesAgo * 60_000).toISOString();
				const data = { asset: { id: 'asset_unlisted' }, status, timestamp: createdAt };
				const event = { type: 'asset.connectivity', createdAt, data };
				await service.simulator.emit(event, { deliver: false });
			};
			const workflowId = randomUUID();
			const node = createPollNode({
				...{ trigger: trigger(), credential: service.credential(), workflowId, parameters },
			});
			await emit(30, 'CONNECTED');
			const poll = node.activation('activate');
			await poll();
			await emit(20, 'DISCONNECTED');
			await poll();
			// Its end is written: nothing else changes the ledger.
			const hasEnded = async () =>
				Object.values(await world.texts()).some((text) => text.startsWith('1d'));
			await waitFor(hasEnded, { what: 'an execution to end' });
			expect(node.runs).toHaveLength(1);
			await emit(10, 'CONNECTED');
			await world.raise();
			const texts = await world.texts();
			await expect(poll()).rejects.toThrow(REFUSAL);
			await expect(poll()).rejects.toThrow(REFUSAL);
			expect(node.runs).toHaveLength(1);
			expect(await world.texts()).toMatchObject(texts);
		},
	);

	it.each(['reconcile', 'replay', 'getRejections'])('fails the operation %s', async (operation) => {
		const node = createPollNode({
			...{ trigger: new AssetServicePollTrigger(), credential: service.credential() },
			workflowId: 'workflow-1',
		});
		await node.activation('activate')();
		await world.raise();
		const texts = await world.texts();
		const { error } = await runNode({
			node: new AssetService(),
			credentials: [{ type: new AssetServiceApi(), data: service.credential() }],
			parameters: { resource: 'event', operation, workflowId: '', eventIds: 'a', dryRun: false },
		});
		expect(error?.message).toMatch(/event ledger is not available, so the state/);
		expect(error?.description).toMatch(REFUSAL);
		expect(await world.texts()).toMatchObject(texts);
	});
});
