/** Publishes a workflow with only the webhook trigger, for deliveries from the simulated service. */
import type { Endpoint, Simulator } from '../../../simulator';
import { registerByHand } from '../../support/n8n/registerByHand';
import { itemsOf, type Workflow } from '../../support/n8n/responses';
import type { World } from '../../support/n8n/world';
import { eventTrigger, TRIGGER } from '../../support/nodes';
import { buildWorkflow } from '../../support/workflow';

export interface PublishedTrigger {
	readonly workflow: Workflow;
	/** The production URL, which receives the endpoint's deliveries. */
	readonly url: string;
	readonly endpoint: Endpoint;
	/** The events that started executions, by execution; throws if one has not succeeded. */
	readonly startedWith: () => Promise<Record<string, unknown>[]>;
}

export async function publishTrigger(
	{ client }: World,
	simulator: Simulator,
	parameters: Readonly<Record<string, unknown>> = {},
): Promise<PublishedTrigger> {
	const content = buildWorkflow({ nodes: { [TRIGGER]: eventTrigger(parameters) } });
	const { id, url, endpoint } = await registerByHand(client, simulator, content);
	return {
		workflow: await client.activate(id, { webhookUrls: [url] }),
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
