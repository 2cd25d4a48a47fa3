/** Publishes a workflow that starts on signed events, as a person does who pastes its URL at the service. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Simulator } from '../../../simulator';
import type { Counter } from '../counter';
import type { Credential, Workflow } from './answers';
import { apiCredential } from './credentials';
import type { N8nClient } from './rest';

export const TRIGGER_NAME = 'Asset Service Trigger';

export interface TriggerWorkflow {
	readonly workflow: Workflow;
	readonly secret: string;
	/** The trigger's address on each of the `bases`, in their order. */
	readonly urls: readonly [string, ...string[]];
}

export interface TriggerWorkflowOptions {
	/** Addresses of the processes that receive webhooks; the one that the client speaks to unless told. */
	readonly bases?: readonly [string, ...string[]];
	/** The trigger's options; none unless told. */
	readonly options?: Readonly<Record<string, unknown>>;
	/** A poll trigger beside, which lists this service's events each minute; none unless told. */
	readonly poll?: PollOptions;
	/** Called by each run, once for each event, as soon as it has passed its trigger. */
	readonly counter?: Counter;
	/** Seconds that each run waits before it ends; 0 unless told. */
	readonly runSeconds?: number;
}

export interface PollOptions {
	readonly service: Simulator;
	/** `now` unless told. */
	readonly startFrom?: 'now' | 'retained';
	/** Events a page; 50 unless told. */
	readonly limit?: number;
}

interface Node {
	readonly name: string;
	readonly [field: string]: unknown;
}

/** Resolves when every process of `bases` serves the webhook. */
export async function publishTriggerWorkflow(
	client: N8nClient,
	settings: TriggerWorkflowOptions = {},
): Promise<TriggerWorkflow> {
	const { bases = [client.url], poll, counter, runSeconds = 0 } = settings;
	const secret = `whsec_${randomBytes(24).toString('base64')}`;
	const triggers: Node[] = [await webhookTrigger(client, secret, settings.options)];
	if (poll) triggers.push(await pollTrigger(client, poll));
	const steps = [
		...(counter ? [callOf(counter)] : []),
		...(runSeconds > 0 ? [waitOf(runSeconds)] : []),
	];
	const nodes = [...triggers, ...steps];
	const workflow = await client.createWorkflow({
		name: 'Start on events',
		nodes: nodes.map((node, index) => ({ id: randomUUID(), position: [index * 220, 0], ...node })),
		connections: Object.fromEntries([
			...triggers.map(({ name }) => connection(name, steps[0])),
			...steps.map(({ name }, index) => connection(name, steps[index + 1])),
		]),
	});
	const [first, ...others] = bases;
	const urlAt = (base: string): Promise<string> =>
		client.webhookUrl(workflow, TRIGGER_NAME, { base });
	const urls = [await urlAt(first), ...(await Promise.all(others.map(urlAt)))] as const;
	await client.activate(workflow.id, { webhookUrls: urls });
	return { workflow, secret, urls };
}

async function webhookTrigger(
	client: N8nClient,
	signingSecret: string,
	options: TriggerWorkflowOptions['options'] = {},
): Promise<Node> {
	const credential = await client.createCredential({
		name: `Signing secret ${randomUUID()}`,
		type: 'assetServiceSigningSecretApi',
		data: { signingSecret, scheme: 'timestamped' },
	});
	return {
		name: TRIGGER_NAME,
		type: 'n8n-nodes-asset-service.assetServiceTrigger',
		typeVersion: 2,
		webhookId: randomUUID(),
		parameters: { registration: 'manual', eventTypes: [], options },
		credentials: reference(credential),
	};
}

async function pollTrigger(
	client: N8nClient,
	{ service, startFrom = 'now', limit = 50 }: PollOptions,
): Promise<Node> {
	return {
		name: 'Asset Service Poll Trigger',
		type: 'n8n-nodes-asset-service.assetServicePollTrigger',
		typeVersion: 1,
		parameters: {
			pollTimes: { item: [{ mode: 'everyMinute' }] },
			eventTypes: [],
			startFrom,
			limit,
		},
		credentials: reference(await client.createCredential(apiCredential(service))),
	};
}

function callOf({ url }: Counter): Node {
	return {
		name: 'Count',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { url: `=${url}/?event={{ $json.id }}`, options: {} },
	};
}

function waitOf(seconds: number): Node {
	return {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		webhookId: randomUUID(),
		parameters: { amount: seconds },
	};
}

function reference({ type, id, name }: Credential): Record<string, unknown> {
	return { [type]: { id, name } };
}

function connection(from: string, to: Node | undefined): [string, unknown] {
	return [from, { main: to ? [[{ node: to.name, type: 'main', index: 0 }]] : [] }];
}
