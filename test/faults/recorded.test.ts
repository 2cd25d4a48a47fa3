/** Deliveries to the URL `/done` whose execution fails: neither a recorded one nor the setting "Do Not Start Again" repeats it without limit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { signedDelivery, type SignedDelivery } from '../../simulator/delivery/signedDelivery';
import { expectOneRunOf, expectPromisesKept } from '../support/expectations';
import { countedWorkflows } from '../support/n8n/countedWorkflow';
import { useWorld } from '../support/n8n/useWorld';
import { waitForWebhook } from '../support/n8n/workflows';
import { report } from '../support/report';

const EVERY_MS = 1_000;
const LASTS_MS = 100_000;

const world = useWorld();
const publish = countedWorkflows();

interface Response {
	readonly status: number;
	readonly retryAfter: string | null;
	/** The `status` in the body. */
	readonly outcome: string;
}

async function send(url: string, { headers, body }: SignedDelivery): Promise<Response> {
	const response = await fetch(url, { method: 'POST', headers, body });
	const text = await response.text();
	const outcome = /"status":"(\w+)"/.exec(text)?.[1] ?? '';
	return { status: response.status, retryAfter: response.headers.get('retry-after'), outcome };
}

/** Publishes a workflow that always fails. */
async function publishFailing(acknowledge: 'stored' | 'succeeded') {
	const trigger = await publish(world, {
		parameters: { acknowledge },
		executions: { fails: () => true },
	});
	const sender = await trigger.startSender({ seed: 1 });
	const [event] = sender.events(1);
	if (!event) throw new Error('There is no event.');
	return { trigger, sender, event };
}

it('repeats a failing execution once a minute at most while a recorded delivery arrives each second', async () => {
	const { trigger, event } = await publishFailing('succeeded');
	const { urls, secret, counter } = trigger;
	const recorded = signedDelivery(event, { secret, deliveryId: 'whdel_1', nowMs: Date.now() });
	const responses: Promise<Response>[] = [];
	const endsAt = Date.now() + LASTS_MS;
	while (Date.now() < endsAt) {
		responses.push(send(urls[0], recorded));
		await sleep(EVERY_MS);
	}
	const all = await Promise.all(responses);
	const executions = counter.calls.length;
	const rejected = all.filter(({ status, retryAfter, outcome }) => {
		return status === 503 && outcome === 'busy' && Number(retryAfter) > 0;
	});
	report(
		`a recorded delivery each second for ${LASTS_MS / 1000} s: ${executions} executions; ${rejected.length} of ${all.length} responses were 503 with Retry-After`,
	);
	expect(executions).toBeLessThanOrEqual(2);
	trigger.recorder.expect([event]);
	await expectPromisesKept(trigger);
	expect(executions).toBeGreaterThan(0);
	expect(rejected).toHaveLength(all.length - executions);
});

it('runs an event once at the URL "/done" of a trigger set to "Do Not Start Again", even if its execution fails', async () => {
	const { trigger, event, sender } = await publishFailing('stored');
	const done = trigger.urls[0].replace(/webhook$/, 'done');
	await waitForWebhook(done);
	const first = await sender.attempt(event, { url: done });
	const others = [];
	for (let time = 0; time < 3; time++) others.push(await sender.attempt(event, { url: done }));
	report(
		`"Do Not Start Again" at "/done": ${others.length + 1} deliveries got ${[first, ...others].map(({ status }) => status).join(', ')}`,
	);
	await expectOneRunOf(trigger, [event]);
	expect(others.map(({ outcome }) => outcome)).toEqual(others.map(() => 'duplicate'));
});
