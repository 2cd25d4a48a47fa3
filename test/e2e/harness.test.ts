/** Proves the ground that the other end-to-end tests stand on: a real n8n, alone and in queue mode. */
import { randomUUID } from 'node:crypto';
import { itemsOf } from '../support/n8n/answers';
import { createQueueWorld, type QueueWorld } from '../support/n8n/queueWorld';
import { webhookIsServed, waitForWebhook, PublicationFailure } from '../support/n8n/workflows';
import { createWorld, type World } from '../support/n8n/world';

const MINUTES = 60_000;
jest.setTimeout(3 * MINUTES);

describe('one n8n', () => {
	let world: World;

	beforeAll(async () => {
		world = await createWorld();
	}, 20 * MINUTES);
	afterAll(async () => {
		await world.dispose();
	}, MINUTES);

	it('has loaded the packed package', async () => {
		const types = await world.client.nodeTypes();
		const names = types.map((type) => type.split('@')[0]);
		expect(names).toContain('n8n-nodes-asset-service.assetService');
		expect(names).toContain('n8n-nodes-asset-service.assetServiceTrigger');
	});

	it(
		'publishes a workflow, counts its executions, keeps both over a restart, and unpublishes it',
		async () => {
			const { client } = world;
			const workflow = await client.createWorkflow(webhookWorkflow());
			const url = await client.webhookUrl(workflow, 'Webhook');
			expect(await webhookIsServed(url)).toBe(false);

			await client.activate(workflow.id, { webhookUrls: [url] });
			expect(await post(url, { number: 1 })).toBe(200);
			const [first] = await client.waitForExecutions({ workflowId: workflow.id }, 1);
			const execution = await client.getExecution(first?.id ?? '');
			expect(execution.status).toBe('success');
			expect(itemsOf(execution, 'Webhook')[0]?.json.body).toEqual({ number: 1 });

			await world.restart();
			await waitForWebhook(url);
			expect(await post(url, { number: 2 })).toBe(200);
			expect(await client.waitForExecutions({ workflowId: workflow.id }, 2)).toHaveLength(2);

			await client.deactivate(workflow.id);
			expect(await post(url, { number: 3 })).toBe(404);
			await client.deleteWorkflow(workflow.id);
			expect(await client.listExecutions({ workflowId: workflow.id })).toEqual([]);
		},
		8 * MINUTES,
	);

	it(
		'reads every page of a list of executions',
		async () => {
			const { client } = world;
			const workflow = await client.createWorkflow(webhookWorkflow());
			const url = await client.webhookUrl(workflow, 'Webhook');
			await client.activate(workflow.id, { webhookUrls: [url] });
			for (let batch = 0; batch < 11; batch++) {
				const answers = await Promise.all(Array.from({ length: 10 }, () => post(url, {})));
				expect(new Set(answers)).toEqual(new Set([200]));
			}
			const executions = await client.waitForExecutions({ workflowId: workflow.id }, 110);
			expect(new Set(executions.map(({ id }) => id)).size).toBe(110);
			expect(await client.listExecutions({ workflowId: workflow.id, limit: 105 })).toHaveLength(
				105,
			);
			expect(await client.listExecutions({ workflowId: workflow.id, status: 'error' })).toEqual([]);
			await client.deactivate(workflow.id);
		},
		3 * MINUTES,
	);

	it('runs a workflow by hand and gives what its nodes put out', async () => {
		const { client } = world;
		const workflow = await client.createWorkflow(manualWorkflow());
		const id = await client.runManually(workflow.id, 'Start');
		const execution = await client.waitForExecution(id);
		expect(execution).toMatchObject({ status: 'success', mode: 'manual' });
		expect(itemsOf(execution, 'Set').map(({ json }) => json)).toEqual([{ greeting: 'hello' }]);
	});

	it('runs a workflow once for the test address while the editor listens', async () => {
		const { client } = world;
		const workflow = await client.createWorkflow(webhookWorkflow());
		const url = await client.webhookUrl(workflow, 'Webhook', { test: true });
		expect(await post(url, {})).toBe(404);
		await client.listenForTestEvent(workflow.id, 'Webhook');
		expect(await post(url, {})).toBe(200);
		expect(await post(url, {})).toBe(404);
		expect(await client.waitForExecutions({ workflowId: workflow.id }, 1)).toMatchObject([
			{ mode: 'manual' },
		]);
	});

	it('says why a workflow cannot be published', async () => {
		const { client } = world;
		const workflow = await client.createWorkflow(webhookWorkflow({ authentication: 'headerAuth' }));
		await expect(client.activate(workflow.id)).rejects.toThrow(/credential/i);
		const withoutTrigger = await client.createWorkflow(manualWorkflow());
		await expect(client.activate(withoutTrigger.id)).rejects.not.toBeInstanceOf(PublicationFailure);
	});

	it('keeps credentials, and tests those that have a test', async () => {
		const { client } = world;
		const content = { name: 'Header', type: 'httpHeaderAuth', data: { name: 'a', value: 'b' } };
		const credential = await client.createCredential(content);
		const renamed = await client.updateCredential(credential.id, { ...content, name: 'Other' });
		expect(renamed).toMatchObject({ id: credential.id, name: 'Other', type: 'httpHeaderAuth' });
		expect(await client.testCredential({ ...content, id: credential.id })).toEqual({
			status: 'Error',
			message: 'No testing function found for this credential.',
		});
	});

	it(
		'comes back after it was killed',
		async () => {
			const { pid } = world.server;
			await world.server.kill();
			expect(world.server.running).toBe(false);
			await world.server.start();
			expect(world.server.pid).not.toBe(pid);
			expect(await world.client.nodeTypes()).toContain('n8n-nodes-base.webhook@1');
		},
		6 * MINUTES,
	);
});

describe('n8n in queue mode', () => {
	let world: QueueWorld;

	beforeAll(async () => {
		world = await createQueueWorld({ webhookProcessors: 2, workers: 2, withPackage: false });
	}, 20 * MINUTES);
	afterAll(async () => {
		await world.dispose();
	}, MINUTES);

	it(
		'finishes on a worker what either webhook processor has taken',
		async () => {
			const { client, webhookProcessors } = world;
			const workflow = await client.createWorkflow(webhookWorkflow());
			const urls = await Promise.all(
				webhookProcessors.map(({ url }) => client.webhookUrl(workflow, 'Webhook', { base: url })),
			);
			await client.activate(workflow.id, { webhookUrls: urls });
			for (const url of urls) expect(await post(url, { via: url })).toBe(200);

			const executions = await client.waitForExecutions({ workflowId: workflow.id }, 2);
			expect(executions).toMatchObject([{ status: 'success' }, { status: 'success' }]);
			const logs = world.workers.map((worker) => worker.logs()).join('\n');
			for (const { id } of executions) expect(logs).toContain(`execution ${id}`);
		},
		3 * MINUTES,
	);
});

async function post(url: string, body: unknown): Promise<number> {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	await response.body?.cancel();
	return response.status;
}

function webhookWorkflow(parameters: Record<string, unknown> = {}) {
	const node = {
		id: randomUUID(),
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		position: [0, 0],
		webhookId: randomUUID(),
		parameters: { path: randomUUID(), httpMethod: 'POST', ...parameters },
	};
	return { name: 'One webhook', nodes: [node], connections: {} };
}

function manualWorkflow() {
	const node = (name: string, type: string, typeVersion: number, parameters: unknown) => ({
		...{ id: randomUUID(), name, type: `n8n-nodes-base.${type}`, typeVersion, parameters },
		position: [0, 0],
	});
	const assignments = [{ id: randomUUID(), name: 'greeting', value: 'hello', type: 'string' }];
	return {
		name: 'By hand',
		nodes: [
			node('Start', 'manualTrigger', 1, {}),
			node('Set', 'set', 3.4, { assignments: { assignments } }),
		],
		connections: { Start: { main: [[{ node: 'Set', type: 'main', index: 0 }]] } },
	};
}
