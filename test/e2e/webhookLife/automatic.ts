/** The example workflow whose trigger registers its endpoint itself. */
import { randomUUID } from 'node:crypto';
import automaticRegistration from '../../../examples/automatic-registration.json';
import type { Simulator } from '../../../simulator';
import { apiCredential } from '../../support/n8n/credentials';
import type { Workflow } from '../../support/n8n/responses';
import type { N8nClient } from '../../support/n8n/rest';
import { TRIGGER } from '../../support/nodes';

type Parameters = Readonly<Record<string, unknown>>;

const PARAMETERS = { registration: 'automatic', eventTypes: [], options: {} };

export async function importAutomatic(
	client: N8nClient,
	simulator: Simulator,
	changes: Parameters = {},
	credentialChanges: Readonly<Record<string, unknown>> = {},
): Promise<Workflow> {
	const credential = await client.createCredential(apiCredential(simulator, credentialChanges));
	const [trigger, ...others] = automaticRegistration.nodes;
	// Its own path: two published workflows cannot share one.
	const changed = {
		...trigger,
		webhookId: randomUUID(),
		parameters: { ...PARAMETERS, ...changes },
	};
	const file = { ...automaticRegistration, nodes: [changed, ...others] };
	return await client.importWorkflow(file, [credential]);
}

/** Returns the trigger's URL once n8n serves it. */
export async function publishAtUrl(client: N8nClient, workflow: Workflow): Promise<string> {
	const url = await client.webhookUrl(workflow, TRIGGER);
	await client.activate(workflow.id, { webhookUrls: [url] });
	return url;
}

export async function editTrigger(
	client: N8nClient,
	id: string,
	changes: Parameters,
): Promise<Workflow> {
	const { nodes } = await client.getWorkflow(id);
	const edited = nodes.map((node) =>
		node.name === TRIGGER ? { ...node, parameters: { ...PARAMETERS, ...changes } } : node,
	);
	return await client.updateWorkflow(id, { nodes: edited });
}
