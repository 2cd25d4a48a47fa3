/** Reconcile, Replay and Get Rejections on a real n8n: what they show, what they start, and whose events they may touch. */
import { startSimulator } from '../../simulator';
import { useForAll } from '../support/lifetime';
import { OPEN_TO_ALL } from '../support/n8n/accounts';
import { apiCredential } from '../support/n8n/credentials';
import { type Execution, itemsOf } from '../support/n8n/responses';
import type { N8nClient } from '../support/n8n/rest';
import { runInline } from '../support/n8n/runInline';
import { useWorld } from '../support/n8n/useWorld';
import { ACTION_TYPE, manualTrigger, POLL_TRIGGER_TYPE } from '../support/nodes';
import { buildWorkflow, type NodePlan } from '../support/workflow';

const EVENTS = 30;
const PATIENCE = { timeoutMs: 240_000 };
const EVERY_MINUTE = { pollTimes: { item: [{ mode: 'everyMinute' }] } };
const MEMBER = {
	...{ email: 'member@example.com', password: 'Assets4Members' },
	...{ firstName: 'Mel', lastName: 'Member' },
};

const world = useWorld(() => ({ env: { N8N_LOG_LEVEL: 'info' } }));
const simulator = useForAll(() => startSimulator());

/** Publishes a workflow with only a poll trigger, which starts with all listed events, and waits until all have started. */
async function publishPoll(parameters: object = {}, events = EVENTS) {
	const { client } = world;
	const credential = await client.createCredential(apiCredential(simulator));
	const trigger: NodePlan = {
		...{ type: POLL_TRIGGER_TYPE, typeVersion: 1, credentials: [credential] },
		parameters: { startFrom: 'retained', ...EVERY_MINUTE, ...parameters },
	};
	const { id } = await client.createWorkflow(buildWorkflow({ nodes: { Poll: trigger } }));
	await client.activate(id);
	const started = await client.waitForExecutions({ workflowId: id }, events, PATIENCE);
	expect(started).toHaveLength(events);
	return id;
}

/** Polls at once: n8n does when a workflow is published. */
async function poll(workflowId: string): Promise<void> {
	await world.client.deactivate(workflowId);
	await world.client.activate(workflowId);
}

async function actionOf(client: N8nClient, parameters: object): Promise<NodePlan> {
	const credential = await client.createCredential(apiCredential(simulator));
	return {
		...{ type: ACTION_TYPE, typeVersion: 1, credentials: [credential] },
		parameters: { resource: 'event', ...parameters },
	};
}

/** Runs the operation in a workflow of its own. */
async function run(client: N8nClient, parameters: object): Promise<Execution> {
	const nodes = { Start: manualTrigger, Events: await actionOf(client, parameters) };
	const { id } = await client.createWorkflow(
		buildWorkflow({ nodes, chains: [['Start', 'Events']] }),
	);
	return await client.waitForExecution(await client.runManually(id, 'Start'));
}

const itemsIn = (execution: Execution) => itemsOf(execution, 'Events').map(({ json }) => json);
const hintsIn = (execution: Execution) =>
	(execution.data.resultData.runData['Events']?.[0]?.hints ?? []).map(({ message }) => message);
const errorIn = (execution: Execution) => execution.data.resultData.error?.message ?? '';
const idsOf = async (workflowId: string) => {
	const executions = await world.client.waitForExecutions({ workflowId }, 0);
	const whole = await Promise.all(executions.map(({ id }) => world.client.getExecution(id)));
	return whole.flatMap((execution) => itemsOf(execution, 'Poll').map(({ json }) => json));
};

let ids: string[];
beforeAll(async () => {
	ids = [];
	for (let n = 0; n < EVENTS; n++) {
		ids.push((await simulator.emit({ type: 'ocpp.message' }, { deliver: false })).event.id);
	}
});

it('starts a replayed event once more at the next poll, marked, and nothing else', async () => {
	const { client } = world;
	const workflowId = await publishPoll(OPEN_TO_ALL);
	const [wanted = ''] = ids.slice(3);
	const eventIds = `${wanted} whevt_none`;
	const dry = await run(client, { operation: 'replay', workflowId, eventIds });
	expect(hintsIn(dry)).toContainEqual(expect.stringContaining('Dry run: 1 event would'));
	await poll(workflowId);
	expect(await idsOf(workflowId)).toHaveLength(EVENTS);

	const replayed = await run(client, { operation: 'replay', workflowId, eventIds, dryRun: false });
	expect(itemsIn(replayed)).toMatchObject([
		{ id: wanted, state: 'done', replayed: true, reason: null },
		{ id: 'whevt_none', state: 'missing', replayed: false, reason: 'not listed' },
	]);
	await poll(workflowId);
	await client.waitForExecutions({ workflowId }, EVENTS + 1, PATIENCE);
	await poll(workflowId);
	const started = await idsOf(workflowId);
	expect(started).toHaveLength(EVENTS + 1);
	expect(started.filter((json) => json['_replay'] !== undefined)).toMatchObject([{ id: wanted }]);

	const [reconciled] = itemsIn(
		await run(client, { operation: 'reconcile', workflowId, states: ['done'] }),
	).filter(({ id }) => id === wanted);
	expect(reconciled).toMatchObject({ state: 'done', attempts: 1 });
	expect(String(reconciled?.['executionUrl'])).toBe(
		`${world.url}/workflow/${workflowId}/executions/${String(reconciled?.['executionId'])}`,
	);
	await client.deactivate(workflowId);
});

it('shows events as missing if none of their type has arrived, and doubts a filter that matches nothing', async () => {
	const { client } = world;
	const workflowId = await publishPoll({
		...{ eventTypes: ['ocpp.message', '__other__'], otherEventTypes: 'site.*' },
		...OPEN_TO_ALL,
	});
	await client.deactivate(workflowId);
	for (let n = 0; n < 7; n++) await simulator.emit({ type: 'site.created' }, { deliver: false });
	const missing = await run(client, {
		...{ operation: 'reconcile', workflowId },
		...{ eventTypes: ['__other__'], otherEventTypes: 'site.*' },
	});
	expect(missing.status).toBe('success');
	expect(itemsIn(missing).map(({ state }) => state)).toEqual(Array(7).fill('missing'));
	expect(hintsIn(missing)).toContainEqual(expect.stringContaining('All 7 events are missing'));

	const condition = [{ field: 'type', operator: 'equals', value: 'OCPP.message' }];
	const doubtful = await run(client, {
		...{ operation: 'reconcile', workflowId, conditions: { condition } },
	});
	expect(itemsIn(doubtful)).toEqual([]);
	expect(hintsIn(doubtful)).toContainEqual(expect.stringContaining('Case matters'));
});

describe('a member who may not open the workflow', () => {
	const member = useForAll(async () => ({
		client: await world.client.addMember(MEMBER),
		stop: async () => undefined,
	}));
	const replayedLines = () =>
		world.server
			.logs()
			.split('\n')
			.filter((line) => / of workflow \S+ starts? again/.test(line));

	it.each([
		['reconcile', {}],
		['replay', { dryRun: false }],
		['getRejections', {}],
	])(
		'has no access to its events by %s, neither directly nor in a sub-workflow',
		async (operation, more) => {
			const workflowId = await publishPoll({ eventTypes: ['ocpp.message'] });
			const lines = replayedLines().length;
			const { client } = member;
			await expect(client.getWorkflow(workflowId)).rejects.toThrow();
			const direct = await run(client, { operation, workflowId, ...more });
			expect(errorIn(direct)).toBe(
				`The workflow "${workflowId}" does not give this workflow access to its events`,
			);
			const events = await actionOf(client, { operation, ...more });
			const { nodes } = await client.createWorkflow(buildWorkflow({ nodes: { Events: events } }));
			const inline = await runInline(client, { id: workflowId, nodes }, { id: 'whevt_1' });
			expect(inline.status).toBe('error');
			expect(JSON.stringify(inline.data)).toContain('A sub-workflow has no access');
			await poll(workflowId);
			expect(await idsOf(workflowId)).toHaveLength(EVENTS);
			expect(replayedLines()).toHaveLength(lines);
			await world.client.deactivate(workflowId);
		},
	);

	it('has access once the workflow allows any workflow, and n8n logs who replayed', async () => {
		const workflowId = await publishPoll({ eventTypes: ['ocpp.message'], ...OPEN_TO_ALL });
		const { client } = member;
		const shown = await run(client, { operation: 'reconcile', workflowId, states: ['done'] });
		expect(itemsIn(shown)).toHaveLength(EVENTS);
		const parameters = { operation: 'replay', workflowId, dryRun: false, eventIds: ids[0] };
		const replayed = await run(client, parameters);
		expect(itemsIn(replayed)).toMatchObject([{ replayed: true }]);
		const [line] = replayedLines().slice(-1);
		expect(line).toContain(
			`in workflow ${replayed.workflowId}: 1 event of workflow ${workflowId} starts again`,
		);
		await world.client.deactivate(workflowId);
	});
});
