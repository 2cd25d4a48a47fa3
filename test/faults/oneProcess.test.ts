/** Faults around one n8n with the ledger in SQLite: callers that hang up, and n8n slow or restarted. */
import type { DeliveredEvent } from '../../simulator';
import { signTimestamped } from '../../simulator/delivery/signedDelivery';
import { expectOneRunEach, untilMoreRan } from '../support/expectations';
import { countedWorkflows, type CountedWorkflow } from '../support/n8n/countedWorkflow';
import { ledgerFile } from '../support/n8n/ledgerClock';
import { countClaimsInSqlite } from '../support/n8n/ledgerEntries';
import { errorOf, itemsOf } from '../support/n8n/responses';
import { runInline } from '../support/n8n/runInline';
import { n8nDatabase } from '../support/n8n/storedRows';
import { useWorld } from '../support/n8n/useWorld';
import { TRIGGER } from '../support/nodes';
import { report } from '../support/report';
import type { EventSender } from '../support/sender';
import { lockDatabase } from '../support/sqlite';
import { waitFor } from '../support/wait';

const world = useWorld();
let trigger: CountedWorkflow;
const notReady = new Set<string>();

const publish = countedWorkflows();

async function newSender(seed: number, { runSeconds = 0 } = {}): Promise<EventSender> {
	trigger = await publish(world, { runSeconds });
	return await trigger.startSender({ seed, notReady });
}

it('runs an event once if its caller hung up before the response, and reports the next copy as a duplicate', async () => {
	const sender = await newSender(2);
	// The first event creates the ledger file.
	const first = await sender.deliverAll(sender.events(1), { perSecond: 1 });
	const events = sender.events(8);
	// Another writer keeps n8n from storing, so that every caller is gone before the response.
	const unlock = lockDatabase(n8nDatabase(world.userFolder));
	const callers = new AbortController();
	const answers = events.map((event) => post(event, callers.signal));
	await waitFor(() => countClaimsInSqlite(ledgerFile(world.userFolder)) === events.length, {
		what: 'every event to be claimed',
		timeoutMs: 120_000,
	});
	callers.abort();
	expect(await Promise.all(answers)).toEqual(events.map(() => 'hung up'));
	unlock();

	const sendings = await sender.deliverAll(events, { perSecond: 20 });
	expect(sendings.map(({ attempts }) => attempts.map(({ outcome }) => outcome))).toEqual(
		events.map(() => ['duplicate']),
	);
	await expectOneRunEach(trigger, [...first, ...sendings]);
});

/** Sends an event until its caller hangs up; the result for the caller. n8n waits a second for its own database, and then refuses. */
async function post(event: DeliveredEvent, signal: AbortSignal): Promise<string> {
	const body = JSON.stringify(event);
	for (;;) {
		const signature = signTimestamped(trigger.secret, Math.floor(Date.now() / 1_000), body);
		try {
			const answer = await fetch(trigger.urls[0], {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
				body,
				signal,
			});
			const text = await answer.text();
			if (!text.includes('There was a problem executing the workflow'))
				return `${answer.status} ${text}`;
		} catch {
			return signal.aborted ? 'hung up' : 'failed';
		}
	}
}

it('lets copies wait while n8n holds an event back at its concurrency limit, responds with busy after 20 s, and runs it once', async () => {
	await world.restart({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' });
	const sender = await newSender(3, { runSeconds: 11 });
	const events = sender.events(3);
	const sendings = await Promise.all(
		events.flatMap((event) => [1, 2, 3].map(() => sender.deliver(event))),
	);
	const attempts = sendings.flatMap((sending) => sending.attempts);
	const busy = attempts.filter(({ status, outcome }) => status === 503 && outcome === 'busy');
	const waited = attempts
		.filter(({ outcome }) => outcome === 'duplicate')
		.map(({ startedAt, endedAt }) => endedAt - startedAt);
	report(
		`n8n runs one at a time, for 11 s: ${busy.length} copies told to come again, ` +
			`a duplicate waited up to ${Math.max(...waited)} ms`,
	);
	// The second event is held back for one execution, the third for two: longer than a copy waits.
	expect(Math.max(...waited)).toBeGreaterThan(5_000);
	expect(busy.length).toBeGreaterThan(0);
	await expectOneRunEach(trigger, sendings);
	await world.restart();
});

it('loses and repeats nothing when n8n is restarted under deliveries', async () => {
	const sender = await newSender(4);
	const sendingFirst = sender.deliverAll(sender.events(60), { perSecond: 8 });
	await untilMoreRan(trigger, 10);
	await world.server.stop();
	const sendingLater = sender.deliverAll(sender.events(30), { perSecond: 8 });
	// A load balancer sends nothing to an n8n that is not ready: while it starts, it responds with 200 to everything.
	notReady.add(trigger.urls[0]);
	await world.server.start();
	notReady.delete(trigger.urls[0]);
	const sendings = [...(await sendingFirst), ...(await sendingLater)];
	expect(sendings.some(({ attempts }) => attempts.length > 1)).toBe(true);
	await expectOneRunEach(trigger, sendings);
});

it('runs an event once even if another user’s workflow feeds it to the same trigger, under the ID of this workflow', async () => {
	const sender = await newSender(5);
	const [event] = sender.events(1);
	if (!event) throw new Error('There is no event.');
	const { id, nodes } = trigger.workflow;
	const triggerNode = nodes.filter(({ name }) => name === TRIGGER);
	const foreign = await runInline(world.client, { id, nodes: triggerNode }, { ...event });
	expect(errorOf(foreign)).toBeUndefined();
	expect(itemsOf(foreign, 'Call').map(({ json }) => json.id)).toEqual([event.id]);

	const sending = await sender.deliver(event);
	expect(sending.attempts.map(({ outcome }) => outcome)).toEqual(['accepted']);
	await expectOneRunEach(trigger, [sending]);
});
