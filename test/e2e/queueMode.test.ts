/** The promise across processes: in queue mode, an event starts one execution, whichever webhook processors its copies reach. */
import type { DeliveredEvent } from '../../simulator';
import { expectAcknowledged, expectOneRunOf } from '../support/expectations';
import { OPEN_TO_ALL } from '../support/n8n/accounts';
import { countedWorkflows } from '../support/n8n/countedWorkflow';
import { itemsOf } from '../support/n8n/responses';
import { useQueueWorld } from '../support/n8n/useWorld';
import { ACTION_TYPE } from '../support/nodes';
import type { Attempt } from '../support/sender';
import { waitFor } from '../support/wait';
import { NODE, runByHand } from './mainJob/runByHand';

const MINUTES = 60_000;
const EVENTS = 300;
const COPIES = 4;
/** Events in flight at the same time. */
const AT_ONCE = 6;

/** With 2 connections, n8n's default, many requests at once wait for the database longer than n8n does on a busy machine. */
const env = { DB_POSTGRESDB_POOL_SIZE: '10' };
const world = useQueueWorld({ webhookProcessors: 2, workers: 2, env });

const publish = countedWorkflows();

it(`runs ${EVENTS} events once each, of which two webhook processors get ${COPIES} copies each, half of them at the same instant`, async () => {
	const trigger = await publish(world);
	const { urls } = trigger;
	// The service's own limit of 30 s does not matter here and is too short for a busy machine.
	const sender = await trigger.startSender({ seed: 300, attemptTimeoutMs: 5 * MINUTES });
	const events = sender.events(EVENTS);

	const waiting = [...events.entries()];
	const answers: Attempt[] = [];
	/** Retries while the response is `busy`: a copy waits at most 20 s for the one that is being handed over. */
	const send = async (event: DeliveredEvent, url: string): Promise<Attempt> => {
		for (;;) {
			const answer = await sender.attempt(event, { url });
			if (answer.outcome !== 'busy') return answer;
		}
	};
	const lane = async (): Promise<void> => {
		for (let next = waiting.shift(); next; next = waiting.shift()) {
			const [index, event] = next;
			const targets = Array.from({ length: COPIES }, (_, copy) => {
				// Of the events sent one copy after the other, each processor gets the first one of every second event.
				return urls[(Math.floor(index / 2) + copy) % urls.length] ?? urls[0];
			});
			const atOnce = index % 2 === 0;
			if (atOnce) answers.push(...(await Promise.all(targets.map((url) => send(event, url)))));
			else for (const url of targets) answers.push(await send(event, url));
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, lane));

	expect(answers).toHaveLength(EVENTS * COPIES);
	expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
	expect(answers.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(EVENTS);
	expect(answers.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(
		EVENTS * (COPIES - 1),
	);
	// Both got a share: the copies did not all reach the same process.
	for (const url of urls) {
		expect(answers.some((answer) => answer.url === url && answer.outcome === 'accepted')).toBe(
			true,
		);
	}

	await expectOneRunOf(trigger, events);
	// On the workers, as in production: the main and the processors run nothing themselves.
	const logs = world.workers.map((worker) => worker.logs()).join('\n');
	const runs = await world.client.listExecutions({ workflowId: trigger.workflow.id });
	expect(runs.filter(({ id }) => !logs.includes(`execution ${id}`))).toEqual([]);
});

it('lets concurrent events share executions, each event in one, whichever processors its copies reach', async () => {
	const trigger = await publish(world, { parameters: { delivery: 'batched' } });
	const sender = await trigger.startSender({ seed: 301, attemptTimeoutMs: 5 * MINUTES });
	const events = sender.events(EVENTS);
	// The processors find all events waiting, however fast they are sent; the second copies follow.
	const signal = (name: NodeJS.Signals) => {
		for (const { pid } of world.webhookProcessors) process.kill(pid, name);
	};
	const underWay = () => trigger.urls.reduce((sum, url) => sum + sender.underWay(url), 0);
	signal('SIGSTOP');
	const sent = sender.deliverAll([...events, ...events], { perSecond: 10_000, atOnce: EVENTS });
	try {
		await waitFor(() => underWay() >= EVENTS, { what: 'all events to be on their way' });
	} finally {
		signal('SIGCONT');
	}
	const sendings = await sent;
	expectAcknowledged(sendings);
	await expectOneRunOf(trigger, events);
	expect(trigger.counter.calls.length).toBeLessThan(EVENTS / 2);
});

it('adds up the rejections of all webhook processors', async () => {
	const trigger = await publish(world, { parameters: OPEN_TO_ALL });
	const { urls, workflow } = trigger;
	const sender = await trigger.startSender({ seed: 302 });
	for (const event of sender.events(urls.length)) {
		for (const url of urls) await sender.attempt(event, { url, tamper: 'forged' });
	}
	const parameters = { resource: 'event', operation: 'getRejections', workflowId: workflow.id };
	const node = { type: ACTION_TYPE, typeVersion: 1, parameters };
	const expected = { reason: 'signature_mismatch', count: urls.length ** 2 };
	// A processor writes its first count at once, and the others within a minute.
	await waitFor(
		async () => {
			const [item] = itemsOf(await runByHand(world, node), NODE);
			return item?.json['count'] === expected.count && item.json['reason'] === expected.reason;
		},
		{ what: 'all counts', timeoutMs: 2 * MINUTES, everyMs: 5_000 },
	);
});
