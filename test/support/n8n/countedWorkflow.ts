/** Publishes workflows that tell a counter of each event that they run, and takes the counters away when the test is over. */
import { type Counter, startCounter } from '../counter';
import type { N8nClient } from './rest';
import {
	publishTriggerWorkflow,
	type TriggerWorkflow,
	type TriggerWorkflowOptions,
} from './triggerWorkflow';

export interface CountedWorkflow extends TriggerWorkflow {
	/** Of the n8n that it is published in. */
	readonly client: N8nClient;
	/** Called by this workflow alone, once for each event of each run. */
	readonly counter: Counter;
}

type Publish = (
	client: N8nClient,
	options?: Omit<TriggerWorkflowOptions, 'counter'>,
) => Promise<CountedWorkflow>;

/** Gives a function that publishes such a workflow; its counter ends with the test. To be called at the top of a test file. */
export function countedWorkflows(): Publish {
	const counters: Counter[] = [];
	afterEach(async () => {
		for (const counter of counters.splice(0)) await counter.stop();
	});
	return async (client, options = {}) => {
		const counter = await startCounter();
		counters.push(counter);
		return { ...(await publishTriggerWorkflow(client, { ...options, counter })), client, counter };
	};
}
