/** What the demo plays on: the simulated service, and a fresh n8n with the packed package and three published workflows. */
import { startSimulator, type Endpoint, type Simulator } from '../../simulator';
import type { Log } from '../../test/support/log';
import type { Workflow } from '../../test/support/n8n/answers';
import { apiCredential } from '../../test/support/n8n/credentials';
import { example } from '../../test/support/n8n/examples';
import { registerByHand } from '../../test/support/n8n/registerByHand';
import { createWorld, type World } from '../../test/support/n8n/world';

export interface Stage {
	readonly simulator: Simulator;
	readonly world: World;
	/** Lists assets when it is started by hand, or by its schedule. */
	readonly assetsWorkflow: Workflow;
	/** Starts on every event that the service delivers. */
	readonly eventWorkflow: Workflow;
	/** Fetches events from the list that no webhook brought. */
	readonly catchUpWorkflow: Workflow;
	/** The webhook endpoint at the service: its URL is the event workflow's webhook. */
	readonly endpoint: Endpoint;
	/** Ends n8n and the simulator, and removes what they stored. */
	stop(): Promise<void>;
}

/** How many assets the simulated service has. */
export const ASSETS = 230;

/** Sets everything up as a person does: install, enter credentials, import, register the webhook, publish. */
export async function setStage(log: Log): Promise<Stage> {
	const world = await createWorld({ log });
	// Longer than the service waits: a figure must not depend on how fast this machine is.
	const simulator = await startSimulator({ assets: ASSETS, attemptTimeoutMs: 5 * 60_000 });
	const stop = async (): Promise<void> => {
		await world.dispose();
		await simulator.stop();
	};
	try {
		log('Entering the credentials, importing and publishing three example workflows ...');
		return { ...(await setUpWorkflows(simulator, world)), simulator, world, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

type Workflows = Pick<Stage, 'assetsWorkflow' | 'eventWorkflow' | 'catchUpWorkflow' | 'endpoint'>;

async function setUpWorkflows(simulator: Simulator, { client }: World): Promise<Workflows> {
	const api = await client.createCredential(apiCredential(simulator));
	const assets = await client.importWorkflow(example('list-assets.json'), [api]);
	const events = await registerByHand(client, simulator, example('start-on-event.json'));
	const { endpoint, signing, url } = events;
	const catchUp = await client.importWorkflow(example('catch-missed-events.json'), [api, signing]);

	return {
		endpoint,
		assetsWorkflow: await client.activate(assets.id),
		catchUpWorkflow: await client.activate(catchUp.id),
		eventWorkflow: await client.activate(events.id, { webhookUrls: [url] }),
	};
}
