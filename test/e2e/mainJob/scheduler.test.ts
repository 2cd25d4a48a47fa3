/** Both polling triggers with n8n's durable scheduler, which keeps what a poll remembers in a cursor: everything once, across a restart. */
import { startSimulator } from '../../../simulator';
import { generateAssets } from '../../../simulator/data/assets';
import { useForAll } from '../../support/lifetime';
import { apiCredential } from '../../support/n8n/credentials';
import { itemsOf } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import { POLL_TRIGGER_TYPE, STATION_TRIGGER_TYPE } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { buildWorkflow } from '../../support/workflow';

const EVENTS = 20;
/** A poll each minute, and the watermark of the Station Trigger is a minute behind. */
const PATIENCE = { timeoutMs: 300_000, everyMs: 1_000 };
const EVERY_MINUTE = { item: [{ mode: 'everyMinute' }] };

const ASSETS = generateAssets(4);
/** Says nothing about a station that is offline. */
const QUIET = { type: 'asset.updated', data: { asset: { id: 'other' } } };

const simulator = useForAll(() => startSimulator({ assets: ASSETS.length }));
const world = useWorld(() => ({
	env: {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	},
}));

/** Publishes a workflow of this trigger; returns the IDs that its executions have started with. */
async function publish(type: string, parameters: Readonly<Record<string, unknown>>) {
	const { client } = world;
	const credentials = [await client.createCredential(apiCredential(simulator))];
	const plan = { type, typeVersion: 1, parameters: { pollTimes: EVERY_MINUTE, ...parameters } };
	const { id: workflowId } = await client.createWorkflow(
		buildWorkflow({ nodes: { Trigger: { ...plan, credentials } }, chains: [['Trigger']] }),
	);
	await client.activate(workflowId);
	return async (): Promise<unknown[]> => {
		const ended = await client.listExecutions({ workflowId });
		const runs = await Promise.all(ended.map(({ id }) => client.getExecution(id)));
		return runs.flatMap((run) => itemsOf(run, 'Trigger').map(({ json }) => json['id']));
	};
}

it('starts each event and reports each incident once, across a restart of n8n', async () => {
	const started = await publish(POLL_TRIGGER_TYPE, {});
	const reported = await publish(STATION_TRIGGER_TYPE, {
		...{ triggerOn: 'stationOffline', forMinutes: 0, resolveAfterMinutes: 0 },
		reportResolved: false,
	});
	const emitted: string[] = [];
	const emit = async (station: number) => {
		const data = {
			...{ asset: { id: ASSETS[station]?.id }, status: 'DISCONNECTED' },
			timestamp: new Date().toISOString(),
		};
		const contents = [
			...Array<typeof QUIET>(EVENTS).fill(QUIET),
			{ type: 'asset.connectivity', data },
		];
		for (const content of contents) {
			const { event } = await simulator.emit(content, { deliver: false });
			emitted.push(event.id);
		}
	};
	const untilAll = async (stations: number) => {
		await waitFor(
			async () =>
				(await started()).length >= emitted.length && (await reported()).length >= stations,
			{ what: `${emitted.length} events and ${stations} incidents`, ...PATIENCE },
		);
	};
	await emit(0);
	await untilAll(1);
	await world.restart();
	await emit(1);
	await untilAll(2);
	expect((await started()).toSorted()).toEqual(emitted.toSorted());
	expect(await reported()).toHaveLength(2);
});
