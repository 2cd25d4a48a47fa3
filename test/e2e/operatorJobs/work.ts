/** A workflow whose executions succeed, fail or hang as their events say, and the service that it calls. */
import type { Endpoint, Simulator } from '../../../simulator';
import { startHttpService } from '../../support/httpService';
import { OPEN_TO_ALL } from '../../support/n8n/accounts';
import { registerByHand } from '../../support/n8n/registerByHand';
import type { World } from '../../support/n8n/world';
import { eventTrigger, httpRequest, TRIGGER } from '../../support/nodes';
import { buildWorkflow } from '../../support/workflow';

export interface Work {
	readonly url: string;
	/** From now on, all calls succeed; with `false`, as the events say. */
	repair(isRepaired?: boolean): void;
	/** Number of calls by the workflow for an event. */
	callsOf(id: string): number;
	stop(): Promise<void>;
}

/** A call for an event with `work: 'fails'` in its data gets 500, and one with `work: 'hangs'` gets no response. */
export async function startWork(): Promise<Work> {
	let repaired = false;
	const service = await startHttpService(({ query: { work } }) => {
		if (!repaired && work === 'hangs') return undefined;
		return { status: !repaired && work === 'fails' ? 500 : 200, body: {} };
	});
	return {
		url: service.url,
		repair(isRepaired = true) {
			repaired = isRepaired;
		},
		callsOf: (id) => service.requests.filter(({ query }) => query['event'] === id).length,
		stop: () => service.stop(),
	};
}

interface Published {
	readonly workflowId: string;
	readonly url: string;
	readonly endpoint: Endpoint;
}

export async function publishWork(
	{ client }: World,
	simulator: Simulator,
	{ work, acknowledge }: { readonly work: Work; readonly acknowledge: 'stored' | 'succeeded' },
): Promise<Published> {
	const content = buildWorkflow({
		nodes: {
			[TRIGGER]: eventTrigger({ acknowledge, ...OPEN_TO_ALL }),
			Work: httpRequest(`=${work.url}/?event={{ $json.id }}&work={{ $json.data.work }}`),
		},
		chains: [[TRIGGER, 'Work']],
	});
	const { id: workflowId, url, endpoint } = await registerByHand(client, simulator, content);
	await client.activate(workflowId, { webhookUrls: [url] });
	return { workflowId, url, endpoint };
}
