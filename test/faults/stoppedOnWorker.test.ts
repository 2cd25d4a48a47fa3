/** A user stops an execution that a worker runs: the worker continues to its end, while n8n reports an error to the sender. */
import { expectOneRunOf } from '../support/expectations';
import { countedWorkflows } from '../support/n8n/countedWorkflow';
import { isQueueEmpty } from '../support/n8n/queue';
import { useQueueWorld } from '../support/n8n/useWorld';
import { report } from '../support/report';
import { waitFor } from '../support/wait';

const EVENTS = 3;
const LASTS_MS = 40_000;

const world = useQueueWorld({ webhookProcessors: 1, workers: 1 });
const publish = countedWorkflows();

it('starts no second execution while the first one continues, and none after it ended well', async () => {
	const trigger = await publish(world, {
		parameters: { acknowledge: 'succeeded' },
		executions: { lastsMs: LASTS_MS },
	});
	const { counter } = trigger;
	const sender = await trigger.startSender({ seed: 1, attemptTimeoutMs: 2 * LASTS_MS });
	const events = sender.events(EVENTS);
	const firsts = events.map((event) => sender.attempt(event));
	await waitFor(() => counter.waiting === EVENTS, { what: 'the executions to begin' });
	const rows = await world.client.listExecutions({ workflowId: trigger.workflow.id });
	for (const { id } of rows) await world.client.stopExecution(id);

	const sendings = await Promise.all(
		events.map(async (event, n) => {
			await firsts[n];
			return await sender.deliver(event);
		}),
	);
	const first = (await Promise.all(firsts)).map(({ status, startedAt, endedAt }) => {
		return `${status} after ${((endedAt - startedAt) / 1000).toFixed(0)} s`;
	});
	report(`${EVENTS} executions stopped on a worker: first responses ${first.join(', ')}`);
	await expectOneRunOf(trigger, events, { isIdle: () => isQueueEmpty(world.redis) });
	expect(sendings.map(({ attempts }) => attempts.at(-1)?.outcome)).toEqual(
		events.map(() => 'duplicate'),
	);
});
