/** A user stops an execution that a worker runs: the worker continues to its end, while n8n reports an error to the sender. */
import { endAfterEach } from '../support/lifetime';
import { countedWorkflows } from '../support/n8n/countedWorkflow';
import { isQueueEmpty } from '../support/n8n/queue';
import { useQueueWorld } from '../support/n8n/useWorld';
import { report } from '../support/report';
import { waitFor } from '../support/wait';
import { startWork } from '../support/work';

const EVENTS = 3;
const LASTS_MS = 40_000;

const world = useQueueWorld({ webhookProcessors: 1, workers: 1 });
const publish = countedWorkflows();
const ended = endAfterEach();

it('starts no second execution while the first one continues, and none after it ended well', async () => {
	const work = ended(await startWork({ lastsMs: LASTS_MS }));
	const trigger = await publish(world, {
		parameters: { acknowledge: 'succeeded' },
		work: work.url,
	});
	const sender = await trigger.startSender({ seed: 1, attemptTimeoutMs: 2 * LASTS_MS });
	const events = sender.events(EVENTS);
	const firsts = events.map((event) => sender.attempt(event));
	await waitFor(() => work.underWay === EVENTS, { what: 'the executions to begin' });
	const rows = await world.client.listExecutions({ workflowId: trigger.workflow.id });
	for (const { id } of rows) await world.client.stopExecution(id);

	const sendings = await Promise.all(
		events.map(async (event, n) => {
			await firsts[n];
			return await sender.deliver(event);
		}),
	);
	await waitFor(async () => work.underWay === 0 && (await isQueueEmpty(world.redis)), {
		what: 'every execution to end',
		timeoutMs: 120_000,
	});
	const first = (await Promise.all(firsts)).map(({ status, startedAt, endedAt }) => {
		return `${status} after ${((endedAt - startedAt) / 1000).toFixed(0)} s`;
	});
	const counts = events.map(({ id }) => work.begun.get(id));
	report(
		`${EVENTS} executions stopped on a worker: first responses ${first.join(', ')}; ${work.together} at the same time for an event; executions of each event ${counts.join(', ')}, of which ${events.map(({ id }) => work.succeeded.get(id) ?? 0).join(', ')} ended well`,
	);
	expect(work.together).toBe(1);
	expect(counts).toEqual(events.map(() => 1));
	expect(sendings.map(({ attempts }) => attempts.at(-1)?.outcome)).toEqual(
		events.map(() => 'duplicate'),
	);
});
