/** Sets up a workflow with the webhook trigger as a user does who pastes its URL at the service. */
import type { Endpoint, Simulator } from '../../../simulator';
import { TRIGGER_TYPE } from '../nodes';
import { signingCredential } from './credentials';
import { type Credential, nodeOfType } from './responses';
import type { N8nClient } from './rest';

interface Registered {
	/** ID of the workflow, which is ready to be published. */
	readonly id: string;
	readonly trigger: string;
	readonly url: string;
	readonly endpoint: Endpoint;
	readonly signing: Credential;
}

/** The URL comes before the secret: the service creates the secret when the URL is registered. */
export async function registerByHand(
	client: N8nClient,
	simulator: Simulator,
	file: unknown,
): Promise<Registered> {
	const imported = await client.importWorkflow(file);
	const { id } = imported;
	const trigger = nodeOfType(imported, TRIGGER_TYPE);
	const url = await client.webhookUrl(imported, trigger);
	const endpoint = simulator.createEndpoint({ url });
	const signing = await client.createCredential(signingCredential(endpoint.secret));
	await client.useCredential(id, trigger, signing);
	return { id, trigger, url, endpoint, signing };
}
