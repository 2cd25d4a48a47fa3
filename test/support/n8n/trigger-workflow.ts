/** Publishes a workflow that starts on signed events, as a person does who pastes its URL at the service. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Workflow } from './answers';
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
	/** Seconds that each run waits before it ends; 0 unless told. */
	readonly runSeconds?: number;
}

/** Resolves when every process of `bases` serves the webhook. */
export async function publishTriggerWorkflow(
	client: N8nClient,
	{ bases = [client.url], runSeconds = 0 }: TriggerWorkflowOptions = {},
): Promise<TriggerWorkflow> {
	const secret = `whsec_${randomBytes(24).toString('base64')}`;
	const { type, id, name } = await client.createCredential({
		name: `Signing secret ${randomUUID()}`,
		type: 'assetServiceSigningSecretApi',
		data: { signingSecret: secret, scheme: 'timestamped' },
	});
	const trigger = {
		id: randomUUID(),
		name: TRIGGER_NAME,
		type: 'n8n-nodes-asset-service.assetServiceTrigger',
		typeVersion: 2,
		position: [0, 0],
		webhookId: randomUUID(),
		parameters: { registration: 'manual', eventTypes: [], options: {} },
		credentials: { [type]: { id, name } },
	};
	const wait = {
		id: randomUUID(),
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		position: [220, 0],
		webhookId: randomUUID(),
		parameters: { amount: runSeconds },
	};
	const workflow = await client.createWorkflow({
		name: 'Start on events',
		nodes: runSeconds > 0 ? [trigger, wait] : [trigger],
		connections:
			runSeconds > 0
				? { [TRIGGER_NAME]: { main: [[{ node: wait.name, type: 'main', index: 0 }]] } }
				: {},
	});
	const [first, ...others] = bases;
	const urlAt = (base: string): Promise<string> =>
		client.webhookUrl(workflow, TRIGGER_NAME, { base });
	const urls = [await urlAt(first), ...(await Promise.all(others.map(urlAt)))] as const;
	await client.activate(workflow.id, { webhookUrls: urls });
	return { workflow, secret, urls };
}
