/** The stage of the demo: the simulated service, and a fresh n8n with the packed package and three published workflows. */
import { startSimulator, type Endpoint, type Simulator } from '../../simulator';
import type { Log } from '../../test/support/log';
import { apiCredential } from '../../test/support/n8n/credentials';
import { example } from '../../test/support/n8n/examples';
import { registerByHand } from '../../test/support/n8n/registerByHand';
import type { Workflow } from '../../test/support/n8n/responses';
import { createWorld, type World } from '../../test/support/n8n/world';

export interface Stage {
	readonly simulator: Simulator;
	readonly world: World;
	/** Lists assets when started manually or by its schedule. */
	readonly assetsWorkflow: Workflow;
	/** Starts on every delivered event. */
	readonly eventWorkflow: Workflow;
	/** Fetches events from the list that no webhook delivered. */
	readonly catchUpWorkflow: Workflow;
	/** The webhook endpoint at the service: its URL is the event workflow's webhook. */
	readonly endpoint: Endpoint;
	/** Stops n8n and the simulator, and removes their data. */
	stop(): Promise<void>;
}

/** Number of assets in the simulated service. */
export const ASSETS = 230;

/** Sets everything up as a user would: install, enter credentials, import, register the webhook, publish. */
export async function setStage(log: Log): Promise<Stage> {
	const world = await createWorld({ log });
	// Longer than the service waits, so that no figure depends on the speed of the machine.
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
