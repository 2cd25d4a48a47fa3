/** Reconcile and Replay of a Station Trigger's workflow on a real n8n: its incidents, and a failed one that starts again. */
import { startSimulator } from '../../simulator';
import { useForAll } from '../support/lifetime';
import { OPEN_TO_ALL } from '../support/n8n/accounts';
import { apiCredential } from '../support/n8n/credentials';
import { itemsOf } from '../support/n8n/responses';
import { useWorld } from '../support/n8n/useWorld';
import { ACTION_TYPE, httpRequest, manualTrigger, STATION_TRIGGER_TYPE } from '../support/nodes';
import { waitFor } from '../support/wait';
import { buildWorkflow } from '../support/workflow';
import { startWork } from './operatorJobs/work';

const MINUTES = 60_000;
const PATIENCE = { timeoutMs: 4 * MINUTES, everyMs: 500 };

const world = useWorld();
const simulator = useForAll(() => startSimulator());
const work = useForAll(() => startWork());

async function emit(minutesAgo: number, status: string, id: string): Promise<void> {
	const createdAt = new Date(Date.now() - minutesAgo * MINUTES).toISOString();
	const data = { asset: { id }, status };
	await simulator.emit({ type: 'asset.connectivity', createdAt, data }, { deliver: false });
}

async function run(parameters: object) {
	const { client } = world;
	const credential = await client.createCredential(apiCredential(simulator));
	const node = {
		...{ type: ACTION_TYPE, typeVersion: 1, credentials: [credential] },
		parameters: { resource: 'event', ...parameters },
	};
	const nodes = { Start: manualTrigger, Events: node };
	const plan = buildWorkflow({ nodes, chains: [['Start', 'Events']] });
	const { id } = await client.createWorkflow(plan);
	const execution = await client.waitForExecution(await client.runManually(id, 'Start'));
	expect(execution.status).toBe('success');
	return itemsOf(execution, 'Events').map(({ json }) => json);
}

it('lists a failed incident, and starts it again once at the next poll', async () => {
	const { client } = world;
	// What is listed by the publication is older.
	await emit(40, 'CONNECTED', 'another');
	const credential = await client.createCredential(apiCredential(simulator));
	const trigger = {
		...{ type: STATION_TRIGGER_TYPE, typeVersion: 1, credentials: [credential] },
		parameters: {
			...{ triggerOn: 'stationOffline', forMinutes: 0, resolveAfterMinutes: 0 },
			...{ pollTimes: { item: [{ mode: 'everyMinute' }] }, ...OPEN_TO_ALL },
		},
	};
	const call = httpRequest(`=${work.url}/?event={{ $json.id }}&work=fails`);
	const nodes = { Stations: trigger, Work: call };
	const plan = buildWorkflow({ nodes, chains: [['Stations', 'Work']] });
	const { id: workflowId } = await client.createWorkflow(plan);
	await client.activate(workflowId);
	await emit(20, 'DISCONNECTED', 'station');
	const reconcile = { operation: 'reconcile', workflowId };
	const states = { ...reconcile, states: ['failed'] };
	await client.waitForExecutions({ workflowId }, 1, PATIENCE);
	await waitFor(async () => (await run(states)).length === 1, { what: 'the failure', ...PATIENCE });
	const [failed] = await run(reconcile);
	expect(failed).toMatchObject({ station: 'station', kind: 'stationOffline', reports: 'opened' });
	const id = String(failed?.['id']);
	expect(work.callsOf(id)).toBe(1);

	work.repair();
	const replay = { operation: 'replay', workflowId, states: ['failed'], dryRun: false };
	expect(await run(replay)).toMatchObject([{ id, state: 'failed', replayed: true }]);
	await waitFor(() => work.callsOf(id) === 2, { what: 'the second execution', ...PATIENCE });
	await waitFor(async () => (await run(reconcile))[0]?.['state'] === 'done', {
		...{ what: 'its end', ...PATIENCE },
	});
	const polls = await run({ operation: 'getRejections', workflowId });
	expect(polls).toMatchObject([{ reason: 'polled', behindMinutes: 0 }]);
	expect(work.callsOf(id)).toBe(2);
	await client.deactivate(workflowId);
});
