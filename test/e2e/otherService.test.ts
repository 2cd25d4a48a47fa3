/** A service that differs from the defaults in what the specification leaves open: the package follows it by its settings. */
import { Webhook } from 'standardwebhooks';
import { type DeliveredEvent, type Sign, startSimulator } from '../../simulator';
import { useForAll } from '../support/lifetime';
import { OPEN_TO_ALL } from '../support/n8n/accounts';
import { apiCredential } from '../support/n8n/credentials';
import { errorOf, itemsOf } from '../support/n8n/responses';
import { useWorld } from '../support/n8n/useWorld';
import { ACTION_TYPE, POLL_TRIGGER_TYPE, STATION_TRIGGER_TYPE, TRIGGER } from '../support/nodes';
import { buildWorkflow } from '../support/workflow';
import { NODE, runByHand } from './mainJob/runByHand';
import { importAutomatic, publishAtUrl } from './webhookLife/automatic';

const MINUTE = 60_000;
const PATIENCE = { timeoutMs: 5 * MINUTE };

const sign: Sign = ({ secret, deliveryId, timestamp, body }) => ({
	'webhook-id': deliveryId,
	'webhook-timestamp': String(timestamp),
	'webhook-signature': new Webhook(secret).sign(deliveryId, new Date(timestamp * 1000), body),
});
/** Listed and delivered. */
const shown = ({ id, type, createdAt, data: { asset, ...body } }: DeliveredEvent) => ({
	meta: { uid: id, at: createdAt },
	kind: type,
	unit: (asset as { id: string }).id,
	body,
});
const SETTINGS = {
	changeServiceInterface: true,
	pageSize: 2,
	itemsPath: 'result.rows',
	hasMorePath: 'result.more',
	nextCursorPath: 'result.next',
	eventIdPath: 'meta.uid',
	eventTypePath: 'kind',
	eventTimePath: 'meta.at',
	eventPayloadPath: 'body',
	eventAssetIdPath: 'unit',
};

const simulator = useForAll(() =>
	startSimulator({
		assets: 6,
		events: 0,
		sign,
		form: {
			list: ({ items, hasMore, next }) => ({ result: { rows: items, more: hasMore, next } }),
			listedEvent: shown,
			deliveredEvent: shown,
		},
	}),
);
const world = useWorld();

async function publish(type: string, parameters: object): Promise<string> {
	const { client } = world;
	const trigger = {
		type,
		typeVersion: 1,
		credentials: [await client.createCredential(apiCredential(simulator, SETTINGS))],
		parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] }, ...parameters },
	};
	const { id } = await client.createWorkflow(buildWorkflow({ nodes: { [TRIGGER]: trigger } }));
	await client.activate(id);
	return id;
}

/** The items of the executions, by the ID of the event or incident. */
async function startedBy(workflowId: string, count: number) {
	const { client } = world;
	const executions = await client.waitForExecutions({ workflowId }, count, PATIENCE);
	const whole = await Promise.all(executions.map(({ id }) => client.getExecution(id)));
	return whole
		.flatMap((execution) => itemsOf(execution, TRIGGER).map(({ json }) => json))
		.sort(byId);
}

async function ask(parameters: object) {
	const execution = await runByHand(world, {
		type: ACTION_TYPE,
		typeVersion: 1,
		parameters: { ...parameters },
		credentials: [await world.client.createCredential(apiCredential(simulator, SETTINGS))],
	});
	expect(errorOf(execution)).toBeUndefined();
	return itemsOf(execution, NODE).map(({ json }) => json);
}

const byId = (a: { readonly id?: unknown }, b: { readonly id?: unknown }) =>
	String(a.id) < String(b.id) ? -1 : 1;

it(
	'with another envelope, other events and another signature, works with every trigger, Reconcile and the Station operations',
	async () => {
		const { client } = world;
		const options = { scheme: 'standardWebhooks', includeDelivery: true, ...OPEN_TO_ALL.options };
		const webhook = await importAutomatic(client, simulator, { options }, SETTINGS);
		const url = await publishAtUrl(client, webhook);
		const poll = await publish(POLL_TRIGGER_TYPE, OPEN_TO_ALL);
		const station = await publish(STATION_TRIGGER_TYPE, {
			triggerOn: 'stationOffline',
			forMinutes: 0,
			resolveAfterMinutes: 0,
		});

		const charged = await simulator.happen('session');
		const lost = await simulator.happen('offline');
		const events = [...charged.events, ...lost.events].sort(byId);
		const [first] = events;
		if (first === undefined) throw new Error('Nothing has happened.');
		const again = await simulator.emit({ id: first.id });
		expect(again.responses).toMatchObject([{ status: 200, body: '{"status":"duplicate"}' }]);
		const forged = `whsec_${Buffer.from('another secret').toString('base64')}`;
		expect(await simulator.deliver(url, forged, first)).toMatchObject({ status: 401 });

		const delivered = await startedBy(webhook.id, events.length);
		const _delivery = expect.objectContaining({ secret: 'current' }) as unknown;
		expect(delivered).toMatchObject(events.map((event) => ({ ...event, _delivery })));
		expect(await startedBy(poll, events.length)).toMatchObject(events);
		expect(await startedBy(station, 1)).toMatchObject([
			{ state: 'opened', station: { id: lost.assetId, name: lost.name } },
		]);

		for (const workflowId of [webhook.id, poll]) {
			const accounts = await ask({ resource: 'event', operation: 'reconcile', workflowId });
			expect(accounts.sort(byId)).toMatchObject(
				events.map(({ id, type }) => ({ id, type, state: 'done' })),
			);
		}
		const resource = 'station';
		const watched = { triggerOn: 'stationOffline', forMinutes: 0 };
		expect(await ask({ resource, operation: 'getIncidents', ...watched })).toMatchObject([
			{ station: lost.name, stationId: lost.assetId },
		]);
		for (const [operation, { name }] of [
			['getSessions', charged],
			['getStatus', lost],
			['getUptime', lost],
		] as const) {
			expect(JSON.stringify(await ask({ resource, operation }))).toContain(name);
		}

		await client.deactivate(webhook.id);
		expect(simulator.endpoints).toEqual([]);
	},
	10 * MINUTE,
);
