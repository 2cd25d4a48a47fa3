/** The stage of the demo: the simulated service, and a fresh n8n with the packed package and its published workflows. */
import { startSimulator, type Endpoint, type Simulator } from '../../simulator';
import type { Log } from '../../test/support/log';
import { apiCredential } from '../../test/support/n8n/credentials';
import { example } from '../../test/support/n8n/examples';
import { registerByHand } from '../../test/support/n8n/registerByHand';
import { type Workflow, WorkflowFileShape } from '../../test/support/n8n/responses';
import { createWorld, type World } from '../../test/support/n8n/world';
import { STATION_TRIGGER_TYPE } from '../../test/support/nodes';

export interface Stage {
	readonly simulator: Simulator;
	readonly world: World;
	/** Lists assets when started manually or by its schedule. */
	readonly assetsWorkflow: Workflow;
	/** Starts on every delivered event. */
	readonly eventWorkflow: Workflow;
	/** Fetches events from the list that no webhook delivered. */
	readonly catchUpWorkflow: Workflow;
	/** Starts when a station is offline. */
	readonly offlineWorkflow: Workflow;
	/** Starts when a connector faults. */
	readonly faultWorkflow: Workflow;
	/** When the workflows for stations were published: what happened before, they do not report. */
	readonly publishedAt: number;
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
		log('Entering the credentials, importing and publishing five example workflows ...');
		return { ...(await setUpWorkflows(simulator, world)), simulator, world, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

async function setUpWorkflows(
	simulator: Simulator,
	{ client }: World,
): Promise<Omit<Stage, 'simulator' | 'world' | 'stop'>> {
	const api = await client.createCredential(apiCredential(simulator));
	const importAll = async (content: unknown) => await client.importWorkflow(content, [api]);
	const offline = await importAll(quick('offline-alarm.json', { forMinutes: 0 }));
	const fault = await importAll(quick('fault-to-reset.json'));
	const stations = {
		offlineWorkflow: await client.activate(offline.id),
		faultWorkflow: await client.activate(fault.id),
		publishedAt: Date.now(),
	};
	const assets = await importAll(example('list-assets.json'));
	const events = await registerByHand(client, simulator, example('start-on-event.json'));
	const { endpoint, signing, url } = events;
	const catchUp = await client.importWorkflow(example('catch-missed-events.json'), [api, signing]);

	return {
		...stations,
		endpoint,
		assetsWorkflow: await client.activate(assets.id),
		catchUpWorkflow: await client.activate(catchUp.id),
		eventWorkflow: await client.activate(events.id, { webhookUrls: [url] }),
	};
}

/** n8n accepts no interval below a minute, but any number of Poll Times: a spectator does not wait for a minute. */
const EVERY_15_SECONDS = [0, 15, 30, 45].map((second) => ({
	mode: 'custom',
	cronExpression: `${second} * * * * *`,
}));

/** An example whose station trigger polls often, with further settings. */
export function quick(file: string, settings: Readonly<Record<string, unknown>> = {}): unknown {
	const content = WorkflowFileShape.parse(example(file));
	const nodes = content.nodes.map((node) =>
		node.type === STATION_TRIGGER_TYPE
			? {
					...node,
					parameters: {
						...(node['parameters'] as object),
						...{ pollTimes: { item: EVERY_15_SECONDS }, ...settings },
					},
				}
			: node,
	);
	return { ...content, nodes };
}
