/** Executions so short that n8n's queue mode loses the results of some: the ledger still knows that each has succeeded. */
import { setTimeout as sleep } from 'node:timers/promises';
import { listed, startHostileList } from '../support/hostileList';
import { useForAll } from '../support/lifetime';
import { accountsOf, OPEN_TO_ALL } from '../support/n8n/accounts';
import { countedWorkflows } from '../support/n8n/countedWorkflow';
import { isQueueEmpty } from '../support/n8n/queue';
import { useQueueWorld } from '../support/n8n/useWorld';
import { report } from '../support/report';
import { type Attempt, isAcknowledged } from '../support/sender';
import { waitFor } from '../support/wait';

/** `SHORT_EXECUTIONS=3000` shows the loss in every run on the code that has it, and takes eight minutes. */
const EVENTS = Number(process.env['SHORT_EXECUTIONS'] ?? 600);
const AT_ONCE = 30;
const MINUTES = 60_000;

const list = useForAll(() => startHostileList([]));
const world = useQueueWorld({
	webhookProcessors: 1,
	workers: 2,
	env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
});
const publish = countedWorkflows();

/** How often each value occurs. */
function tallyOf(values: Iterable<string>): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
	return counts;
}

it(
	'knows two minutes later that each has succeeded, and reports a redelivery as a duplicate',
	async () => {
		const trigger = await publish(world, {
			parameters: { acknowledge: 'succeeded', ...OPEN_TO_ALL },
			count: false,
		});
		const sender = await trigger.startSender({ seed: 1 });
		const events = sender.events(EVENTS);
		list.events.push(...events.map(listed));
		const accounts = await accountsOf(world.client, trigger.workflow, list);

		const attempts = new Map<string, Attempt>();
		const waiting = [...events];
		const startedAt = performance.now();
		const deliverSome = async () => {
			for (let event = waiting.shift(); event; event = waiting.shift()) {
				attempts.set(event.id, await sender.attempt(event));
			}
		};
		await Promise.all(Array.from({ length: AT_ONCE }, deliverSome));
		const tookMs = performance.now() - startedAt;
		const unacknowledged = events.filter(({ id }) => {
			const attempt = attempts.get(id);
			return attempt === undefined || !isAcknowledged(attempt);
		});

		const statesOf = async () =>
			tallyOf([...(await accounts.reconcile()).values()].map(({ state }) => state));
		await waitFor(() => isQueueEmpty(world.redis), {
			what: 'the queue to be empty',
			timeoutMs: 2 * MINUTES,
		});
		let states: Record<string, number> = {};
		const isSettled = async () => {
			states = await statesOf();
			return states['done'] === EVENTS;
		};
		await waitFor(isSettled, {
			what: 'every event to be done',
			timeoutMs: 2 * MINUTES,
			everyMs: 10_000,
		}).catch(() => undefined);
		const again = [];
		for (const event of unacknowledged.slice(0, AT_ONCE)) {
			again.push(sender.attempt(event));
			await sleep(100);
		}
		const responses = (await Promise.all(again)).map(
			({ status, outcome, error }) => `${status} ${outcome ?? error ?? 'other'}`,
		);
		report(
			`${EVENTS} short executions in ${(tookMs / 1000).toFixed(0)} s: ${unacknowledged.length} without a 2xx, two minutes later ${JSON.stringify(states)}, their redelivery ${JSON.stringify(tallyOf(responses))}`,
		);
		expect(states).toEqual({ done: EVENTS });
		expect(responses.filter((response) => response !== '200 duplicate')).toEqual([]);
	},
	30 * MINUTES,
);
