/** The workflows of these tests, and how one is published for the simulated service to deliver to. */
import { randomUUID } from 'node:crypto';
import type { Endpoint, Simulator } from '../../../simulator';
import { type Credential, type Execution, itemsOf, type Workflow } from '../../support/n8n/answers';
import { signingCredential } from '../../support/n8n/credentials';
import type { WorkflowContent } from '../../support/n8n/workflows';
import type { World } from '../../support/n8n/world';

export const TRIGGER = 'Asset Service Trigger';
export const ACTION = 'Asset Service';
export const START = 'Start';

type Parameters = Readonly<Record<string, unknown>>;

function node(name: string, type: string, typeVersion: number, parameters: Parameters) {
	return { id: randomUUID(), name, type, typeVersion, position: [0, 0], parameters };
}

const packageNode = (type: string) => `n8n-nodes-asset-service.${type}`;
const baseNode = (type: string) => `n8n-nodes-base.${type}`;

function connected(
	name: string,
	from: string,
	to: string,
): Pick<WorkflowContent, 'connections' | 'name'> {
	return { name, connections: { [from]: { main: [[{ node: to, type: 'main', index: 0 }]] } } };
}

/** Starts on events, and does nothing more with them. */
export function eventWorkflow(parameters: Parameters = {}): WorkflowContent {
	const manual = { registration: 'manual', eventTypes: [], options: {}, ...parameters };
	const trigger = node(TRIGGER, packageNode('assetServiceTrigger'), 2, manual);
	return {
		...connected('On event', TRIGGER, 'Done'),
		nodes: [{ ...trigger, webhookId: randomUUID() }, node('Done', baseNode('noOp'), 1, {})],
	};
}

const getAll = { resource: 'asset', operation: 'getAll' };

/** Lists assets when it is started by hand. */
export function listWorkflow(parameters: Parameters): WorkflowContent {
	return {
		...connected('List by hand', START, ACTION),
		nodes: [
			node(START, baseNode('manualTrigger'), 1, {}),
			node(ACTION, packageNode('assetService'), 1, { ...getAll, ...parameters }),
		],
	};
}

/** Lists assets for each call of its webhook, and answers with the first of them. */
export function listOnCallWorkflow(parameters: Parameters): WorkflowContent {
	const webhook = node(START, baseNode('webhook'), 2.1, {
		path: randomUUID(),
		httpMethod: 'POST',
		responseMode: 'lastNode',
		options: {},
	});
	return {
		...connected('List on call', START, ACTION),
		nodes: [
			{ ...webhook, webhookId: randomUUID() },
			node(ACTION, packageNode('assetService'), 1, { ...getAll, ...parameters }),
		],
	};
}

/** Asks for a URL by n8n's HTTP Request node with the credential of this package. */
export function httpRequestWorkflow(url: string): WorkflowContent {
	return {
		...connected('HTTP request', START, HTTP_REQUEST),
		nodes: [
			node(START, baseNode('manualTrigger'), 1, {}),
			node(HTTP_REQUEST, baseNode('httpRequest'), 4.2, {
				url,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'assetServiceApi',
				options: {},
			}),
		],
	};
}
export const HTTP_REQUEST = 'HTTP Request';

export interface PublishedTrigger {
	readonly workflow: Workflow;
	/** The production URL, where the endpoint's deliveries go. */
	readonly url: string;
	readonly endpoint: Endpoint;
	/** The events that executions were started with, by execution; throws when one has not succeeded. */
	readonly startedWith: () => Promise<Record<string, unknown>[]>;
}

/** Imports a workflow with the trigger, registers its URL as a person does, and publishes it. */
export async function publishTrigger(
	{ client }: World,
	simulator: Simulator,
	parameters: Parameters = {},
): Promise<PublishedTrigger> {
	const { id, ...imported } = await client.importWorkflow(eventWorkflow(parameters));
	const url = await client.webhookUrl({ id, ...imported }, TRIGGER);
	const endpoint = simulator.createEndpoint({ url });
	const credential = await client.createCredential(signingCredential(endpoint.secret));
	await client.useCredential(id, TRIGGER, credential);
	const workflow = await client.activate(id, { webhookUrls: [url] });
	return {
		workflow,
		url,
		endpoint,
		startedWith: async () => {
			const executions = await client.waitForExecutions({ workflowId: id }, 0);
			return await Promise.all(
				executions.map(async ({ id: executionId, status }) => {
					if (status !== 'success') throw new Error(`Execution ${executionId} has ${status}.`);
					const items = itemsOf(await client.getExecution(executionId), TRIGGER);
					const [item] = items;
					if (!item || items.length > 1) throw new Error(`${items.length} items instead of one.`);
					return item.json;
				}),
			);
		},
	};
}

/** Imports a workflow, and runs it from its manual trigger to its end. */
export async function runByHand(
	{ client }: World,
	content: WorkflowContent,
	credential: Credential,
): Promise<Execution> {
	const { id } = await client.importWorkflow(content, [credential]);
	return await client.waitForExecution(await client.runManually(id, START));
}
