/** The acts of the demo, in order. Each plays on the stage and returns figures. */
import { randomUUID } from 'node:crypto';
import type { DeliveryResult } from '../../simulator';
import type { Log } from '../../test/support/log';
import {
	errorOf,
	type ExecutionSummary,
	itemsOf,
	nodeOfType,
	type Workflow,
} from '../../test/support/n8n/responses';
import type { World } from '../../test/support/n8n/world';
import {
	ACTION_TYPE,
	MANUAL_TYPE,
	POLL_TRIGGER_TYPE,
	TRIGGER_TYPE,
} from '../../test/support/nodes';
import type { Figure } from './report';
import { ASSETS, type Stage } from './stage';

type Act = (stage: Stage, log: Log) => Promise<readonly Figure[]>;

const EVENTS = 20;
const COPIES = 3;
/** Events in flight at the same time: under heavy load, n8n takes seconds for each, and a copy waits at most 20 s. */
const AT_ONCE = 4;
const MISSED = 10;

/** Delivers events, each several times at the same instant, and two that must be rejected. Then counts the executed events. */
const deliverEvents: Act = async (stage, log) => {
	const { simulator, endpoint } = stage;
	log(
		`Sending ${EVENTS} signed events, each ${COPIES} times at once, then one forged and one stale delivery ...`,
	);
	const emitted: Awaited<ReturnType<typeof simulator.emit>>[] = [];
	while (emitted.length < EVENTS) {
		const some = Array.from({ length: AT_ONCE }, () => simulator.emit({}, { copies: COPIES }));
		emitted.push(...(await Promise.all(some)));
	}
	const deliveries: DeliveryResult[] = emitted.flatMap(({ responses }) => responses);
	for (const tamper of ['forged', 'stale'] as const) {
		const unseen = {
			id: `whevt_${randomUUID()}`,
			type: 'ocpp.message',
			createdAt: new Date().toISOString(),
			data: {},
		};
		deliveries.push(await simulator.deliver(endpoint.url, endpoint.secret, unseen, tamper));
	}
	const answers = deliveries.map(nameAnswer);
	const count = (name: Answer): number => answers.filter((answer) => answer === name).length;
	for (const { status, body, error } of deliveries.filter((one) => nameAnswer(one) === 'other')) {
		log(`Unexpected response: ${status} ${error ?? body}`);
	}

	log('Waiting for the executions to end ...');
	const { world, eventWorkflow } = stage;
	const ended = await endedExecutions(world, { workflowId: eventWorkflow.id }, EVENTS);
	const succeeded = ended.filter(({ status }) => status === 'success');
	const executed = new Set(await eventIds(world, eventWorkflow, TRIGGER_TYPE, succeeded));
	const sent = emitted.map(({ event }) => event.id);
	return [
		{ name: 'Deliveries sent', seen: deliveries.length, expected: EVENTS * COPIES + 2 },
		{ name: 'Accepted', seen: count('accepted'), expected: EVENTS },
		{ name: 'Duplicates', seen: count('duplicate'), expected: EVENTS * (COPIES - 1) },
		{ name: 'Rejected', seen: count('refused'), expected: 2 },
		{ name: 'Executions', seen: ended.length, expected: EVENTS },
		{
			name: 'Events executed',
			seen: sent.filter((id) => executed.has(id)).length,
			expected: EVENTS,
		},
	];
};

/** Runs the workflow that lists assets manually, and counts the assets in its output. */
const listAssets: Act = async ({ world: { client }, assetsWorkflow }, log) => {
	log('Listing assets ...');
	const id = await client.runManually(assetsWorkflow.id, nodeOfType(assetsWorkflow, MANUAL_TYPE));
	const execution = await client.waitForExecution(id);
	const error = errorOf(execution);
	if (error) log(`The workflow failed: ${error.message} ${error.description ?? ''}`);
	const assets = itemsOf(execution, nodeOfType(assetsWorkflow, ACTION_TYPE));
	const distinct = new Set(assets.map(({ json }) => json.id));
	return [{ name: 'Assets listed', seen: distinct.size, expected: ASSETS }];
};

/** Records events while n8n is stopped, then counts the events that the poll trigger fetches, and how many of them are in order. */
const catchUp: Act = async ({ simulator, world, catchUpWorkflow }, log) => {
	log(`Stopping n8n and sending ${MISSED} events that it misses ...`);
	await world.server.stop();
	const missed: string[] = [];
	for (let n = 0; n < MISSED; n += 1) missed.push((await simulator.emit({})).event.id);
	log('Starting n8n again ...');
	await world.server.start();

	const filter = { workflowId: catchUpWorkflow.id };
	const ended = await endedExecutions(world, filter, EVENTS + MISSED);
	const ids = await eventIds(world, catchUpWorkflow, POLL_TRIGGER_TYPE, ended.toReversed());
	const caughtUp = ids.filter((id) => missed.some((one) => one === id));
	const inOrder = caughtUp.filter((id, n) => id === missed[n]);
	return [
		{ name: 'Events missed while stopped', seen: missed.length, expected: MISSED },
		{ name: 'Caught up from the list', seen: caughtUp.length, expected: MISSED },
		{ name: 'In the order of creation', seen: inOrder.length, expected: MISSED },
	];
};

export const ACTS: readonly Act[] = [deliverEvents, listAssets, catchUp];

type Answer = 'accepted' | 'duplicate' | 'refused' | 'other';

function nameAnswer({ status, body }: DeliveryResult): Answer {
	if (status === 401) return 'refused';
	if (status !== 200) return 'other';
	return body.includes('"duplicate"') ? 'duplicate' : 'accepted';
}

/** Fewer than expected is a figure, not an error. */
async function endedExecutions(
	world: World,
	filter: { readonly workflowId: string },
	count: number,
): Promise<ExecutionSummary[]> {
	try {
		return await world.client.waitForExecutions(filter, count);
	} catch {
		return await world.client.listExecutions(filter);
	}
}

async function eventIds(
	world: World,
	workflow: Workflow,
	triggerType: string,
	executions: readonly ExecutionSummary[],
): Promise<unknown[]> {
	const trigger = nodeOfType(workflow, triggerType);
	const ids: unknown[] = [];
	for (const { id } of executions) {
		const execution = await world.client.getExecution(id);
		ids.push(...itemsOf(execution, trigger).map(({ json }) => json.id));
	}
	return ids;
}
