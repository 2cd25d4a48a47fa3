/** The main job on one n8n, set up as by a user, with its figures. */
import { randomUUID } from 'node:crypto';
import { type DeliveryResult, type Simulator, startSimulator } from '../../simulator';
import type { Log } from '../../test/support/log';
import { apiCredential } from '../../test/support/n8n/credentials';
import { example } from '../../test/support/n8n/examples';
import { registerByHand } from '../../test/support/n8n/registerByHand';
import { itemsOf, nodeOfType, WorkflowFileShape } from '../../test/support/n8n/responses';
import { createWorld, type World } from '../../test/support/n8n/world';
import { ACTION_TYPE, MANUAL_TYPE, TRIGGER_TYPE } from '../../test/support/nodes';
import type { Figure } from '../demo/report';

const ASSETS = 230;
const NODES = ['assetService', 'assetServicePollTrigger', 'assetServiceTrigger'];

/** Installs the package in a fresh n8n that starts from the file `bin`, and runs the main job. */
export async function doMainJob(bin: string, log: Log): Promise<readonly Figure[]> {
	// Longer than the service waits, so that no figure depends on the speed of the machine.
	const simulator = await startSimulator({ assets: ASSETS, attemptTimeoutMs: 5 * 60_000 });
	try {
		// The tests name a module there that older versions do not have and reject.
		const world = await createWorld({ bin, log, env: { N8N_DISABLED_MODULES: '' } });
		try {
			return [
				...(await findNodes(world)),
				...(await listAssets(world, simulator)),
				...(await receiveEvent(world, simulator)),
			];
		} finally {
			await world.dispose();
		}
	} finally {
		await simulator.stop();
	}
}

async function findNodes({ client }: World): Promise<Figure[]> {
	const types = new Set((await client.nodeTypes()).map((type) => type.replace(/@.*/, '')));
	const found = NODES.filter((name) => types.has(`n8n-nodes-asset-service.${name}`));
	return [{ name: 'Nodes loaded', seen: found.length, expected: NODES.length }];
}

async function listAssets({ client }: World, simulator: Simulator): Promise<Figure[]> {
	const content = apiCredential(simulator);
	const credential = await client.createCredential(content);
	// Older versions test only saved credentials.
	const test = await client.testCredential({ ...content, id: credential.id });
	const workflow = await client.importWorkflow(example('list-assets.json'), [credential]);
	const id = await client.runManually(workflow.id, nodeOfType(workflow, MANUAL_TYPE));
	const assets = itemsOf(await client.waitForExecution(id), nodeOfType(workflow, ACTION_TYPE));
	const distinct = new Set(assets.map(({ json }) => json.id));
	return [
		{ name: 'Credential tested', seen: Number(test.status === 'OK'), expected: 1 },
		{ name: 'Assets listed', seen: distinct.size, expected: ASSETS },
	];
}

async function receiveEvent({ client }: World, simulator: Simulator): Promise<Figure[]> {
	const file = withAddress(example('start-on-event.json'));
	const registered = await registerByHand(client, simulator, file);
	const { id: workflowId, trigger, url, endpoint } = registered;
	await client.activate(workflowId, { webhookUrls: [url] });

	const { event, responses } = await simulator.emit();
	const copy = await simulator.deliver(url, endpoint.secret, event);
	const unseen = { ...event, id: `whevt_${randomUUID()}` };
	const forged = await simulator.deliver(url, endpoint.secret, unseen, 'forged');

	const ended = await client.waitForExecutions({ workflowId }, 1);
	const executions = await Promise.all(ended.map(({ id }) => client.getExecution(id)));
	const ofEvent = executions.filter(
		(execution) =>
			execution.status === 'success' && itemsOf(execution, trigger)[0]?.json.id === event.id,
	);
	const count = (answers: readonly DeliveryResult[], status: number, word: string): number =>
		answers.filter((one) => one.status === status && one.body.includes(`"${word}"`)).length;
	return [
		{ name: 'Event accepted', seen: count(responses, 200, 'accepted'), expected: 1 },
		{ name: 'Copy is a duplicate', seen: count([copy], 200, 'duplicate'), expected: 1 },
		{ name: 'Forged one refused', seen: count([forged], 401, 'rejected'), expected: 1 },
		{ name: 'Executions', seen: ended.length, expected: 1 },
		{ name: 'Of them with the event', seen: ofEvent.length, expected: 1 },
	];
}

/** Does what the editor does when it imports a file; older versions rely on the editor. */
function withAddress(file: unknown): unknown {
	const { nodes, ...rest } = WorkflowFileShape.parse(file);
	const addressed = nodes.map((node) =>
		node.type === TRIGGER_TYPE ? { ...node, webhookId: randomUUID() } : node,
	);
	return { ...rest, nodes: addressed };
}
