/** Publishes workflows that start on signed events and report each one to a counter, and starts senders of such events. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Settings } from '../../history/history';
import { type Counter, type CounterOptions, startCounter } from '../counter';
import type { HostileList } from '../hostileList';
import { endAfterEach } from '../lifetime';
import { baseNode, countAll, countOne, eventTrigger, POLL_TRIGGER_TYPE, TRIGGER } from '../nodes';
import { type EventSender, type SenderOptions, startSender } from '../sender';
import { buildWorkflow, type NodePlan } from '../workflow';
import { apiCredential, type ServiceAccess, signingCredential } from './credentials';
import { type Recorder, startRecorder } from './recorder';
import type { Workflow } from './responses';
import type { N8nClient } from './rest';
import type { World } from './world';

export interface CountedWorkflow {
	/** Client of the n8n that the workflow is published in. */
	readonly client: N8nClient;
	readonly workflow: Workflow;
	readonly secret: string;
	/** The trigger's URL on each process that receives webhooks, in the order of the world's `bases`. */
	readonly urls: readonly [string, ...string[]];
	/** Called only by this workflow: once per event and execution, or once per execution with batched delivery. */
	readonly counter: Counter;
	/** What happened to its events, since before it was published. */
	readonly recorder: Recorder;
	/** A sender to `urls`, which ends with the test. */
	startSender(options: Omit<SenderOptions, 'urls' | 'secret' | 'onAttempt'>): Promise<EventSender>;
}

type Parameters = Readonly<Record<string, unknown>>;

/** n8n keeps an execution that waits for longer only in its database, until it continues. */
const LONGEST_IN_MEMORY_S = 65;

interface Options {
	/** Additional parameters of the triggers, such as options; none by default. */
	readonly parameters?: Parameters;
	/** An additional poll trigger that lists this service's events each minute; none by default. */
	readonly poll?: PollOptions;
	/** How long its executions take and which of them fail; all succeed at once by default. */
	readonly executions?: CounterOptions;
	/** False: the trigger is only followed by a node that does nothing. */
	readonly count?: false;
	/** Seconds that each execution waits before it ends; 0 by default. */
	readonly runSeconds?: number;
}

interface PollOptions {
	readonly service: ServiceAccess | HostileList;
	/** `now` by default. */
	readonly startFrom?: 'now' | 'retained';
	/** Events per page; 50 by default. */
	readonly limit?: number;
}

type Publish = (
	world: Pick<World, 'client' | 'bases'>,
	options?: Options,
) => Promise<CountedWorkflow>;

/**
 * Returns a function that publishes such a workflow and resolves when every process that receives webhooks serves it.
 * Its counter and senders end with the test. Call it at the top of a test file.
 */
export function countedWorkflows(): Publish {
	const stopped = endAfterEach();
	return async ({ client, bases }, options = {}) => {
		const { executions, parameters = {}, poll } = options;
		const counter = stopped(await startCounter(executions));
		const secret = `whsec_${randomBytes(24).toString('base64')}`;
		const plan = await planOf(client, secret, counter, options);
		const workflow = await client.createWorkflow(buildWorkflow(plan));
		const [first, ...others] = bases;
		const urlAt = (base: string): Promise<string> => client.webhookUrl(workflow, TRIGGER, { base });
		const urls = [await urlAt(first), ...(await Promise.all(others.map(urlAt)))] as const;
		const recorder = startRecorder({
			...{ client, workflow, counter },
			settings: settingsIn(parameters),
			sleeps: (options.runSeconds ?? 0) > LONGEST_IN_MEMORY_S,
			...(poll && { poll: recordedPoll(poll) }),
		});
		await client.activate(workflow.id, { webhookUrls: urls });
		const onAttempt = recorder.attempted;
		return {
			...{ client, workflow, secret, urls, counter, recorder },
			startSender: async (sending) =>
				stopped(await startSender({ urls, secret, onAttempt, ...sending })),
		};
	};
}

async function planOf(
	client: N8nClient,
	secret: string,
	counter: Counter,
	{ parameters = {}, poll, count, runSeconds = 0 }: Options,
) {
	const signing = await client.createCredential(signingCredential(secret));
	const triggers: Record<string, NodePlan> = {
		[TRIGGER]: eventTrigger(parameters, [signing]),
		...(poll && { 'Asset Service Poll Trigger': await pollTrigger(client, poll, parameters) }),
	};
	const steps: Record<string, NodePlan> = {
		// As soon as an execution has passed its trigger.
		...(count === false
			? { 'Do Nothing': baseNode('noOp', 1) }
			: { Count: countNode(parameters, counter) }),
		...(runSeconds > 0 && {
			Wait: { ...baseNode('wait', 1.1, { amount: runSeconds }), webhookId: randomUUID() },
		}),
	};
	return {
		name: 'Start on events',
		nodes: { ...triggers, ...steps },
		chains: [
			...Object.keys(triggers).map((trigger) => [trigger, Object.keys(steps)[0] ?? '']),
			Object.keys(steps),
		],
	};
}

const countNode = (parameters: Options['parameters'] = {}, counter: Counter): NodePlan =>
	parameters['delivery'] === 'batched' ? countAll(counter.url) : countOne(counter.url);

const settingsIn = ({ acknowledge, delivery, batchSize }: Parameters): Settings => ({
	acknowledge: acknowledge === 'succeeded' ? 'succeeded' : 'stored',
	batchSize: delivery === 'batched' ? Number(batchSize ?? 100) : 1,
	wants: 'all',
});

function recordedPoll({ service, startFrom = 'now' }: PollOptions) {
	// Not by the operator `in`: what all tests of a file share hides its fields from that.
	const { listedAt } = service as Partial<HostileList>;
	return { startFrom, ...(listedAt && { list: service as HostileList }) };
}

async function pollTrigger(
	client: N8nClient,
	{ service, startFrom = 'now', limit = 50 }: PollOptions,
	parameters: Parameters,
): Promise<NodePlan> {
	return {
		type: POLL_TRIGGER_TYPE,
		typeVersion: 1,
		parameters: {
			pollTimes: { item: [{ mode: 'everyMinute' }] },
			eventTypes: [],
			startFrom,
			limit,
			...parameters,
		},
		credentials: [await client.createCredential(apiCredential(service))],
	};
}
