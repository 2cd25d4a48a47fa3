/** The guided tour of the demo: what a spectator can let happen, where to look, and the link to the execution once it is there. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { valuesToEnter } from '../../simulator';
import type { Log } from '../../test/support/log';
import { itemsOf, nodeOfType, type Workflow } from '../../test/support/n8n/responses';
import { STATION_TRIGGER_TYPE } from '../../test/support/nodes';
import { waitFor } from '../../test/support/wait';
import { messageOf } from '../command';
import { executionsUrl, signIn } from './report';
import type { Stage } from './stage';

export type TourStage = Pick<
	Stage,
	'simulator' | 'endpoint' | 'eventWorkflow' | 'offlineWorkflow' | 'faultWorkflow' | 'publishedAt'
> & {
	readonly world: Pick<Stage['world'], 'url' | 'owner'> & {
		readonly client: Pick<Stage['world']['client'], 'listExecutions' | 'waitForExecution'>;
	};
};

interface Stop {
	readonly title: string;
	/** What there is to see. */
	readonly look?: string;
	readonly workflow?: (stage: TourStage) => Workflow;
	readonly happen: (stage: TourStage, log: Log, signal: AbortSignal) => void | Promise<void>;
}

/** The trigger decides a minute after the fact, when no late message can change it; so it is told as a minute old. */
const SECONDS_AGO = 65;
const FOUND_MS = 3 * 60_000;

const STOPS: readonly Stop[] = [
	{
		title: 'Take a station offline',
		look: 'Its trigger shows the station, and since when it is offline.',
		workflow: ({ offlineWorkflow }) => offlineWorkflow,
		happen: atStation('offline', 'is offline'),
	},
	{
		title: 'Let a connector fault',
		look: 'Its trigger shows the station, the connector and the error code.',
		workflow: ({ faultWorkflow }) => faultWorkflow,
		happen: atStation('fault', 'has a faulted connector'),
	},
	{
		title: 'Deliver an event three times, and a forged one',
		look: 'Only one of them starts an execution.',
		workflow: ({ eventWorkflow }) => eventWorkflow,
		happen: deliverCopies,
	},
	{
		title: 'Show the values for your own credentials',
		happen: ({ simulator, endpoint }, log) => {
			for (const line of valuesToEnter(simulator, endpoint)) log(line);
		},
	},
];

/** Prints the tour, and lets happen what is typed until the signal aborts. */
export async function guide(
	stage: TourStage,
	log: Log,
	{ input, signal }: { readonly input: Readable; readonly signal: AbortSignal },
): Promise<void> {
	console.log(`\n${program(stage).join('\n')}\n`);
	// Not as a terminal: Ctrl-C then reaches the process as usual.
	const lines = createInterface({ input, terminal: false, signal });
	const ended = new Promise((resolve) => {
		signal.addEventListener('abort', resolve, { once: true });
	});
	lines.on('line', (line) => {
		const stop = STOPS[Number(line.trim()) - 1];
		if (stop === undefined) return;
		Promise.resolve(stop.happen(stage, log, signal)).catch((error: unknown) => {
			if (!signal.aborted) log(messageOf(error));
		});
	});
	if (!signal.aborted) await ended;
	lines.close();
}

/** What the demo prints once n8n runs. */
export function program(stage: TourStage): string[] {
	return [
		...signIn(stage.world),
		'',
		'Type a number and press Enter. Within a minute, its page shows an execution:',
		'',
		...STOPS.flatMap(({ title, look, workflow }, index) => [
			`  ${index + 1}  ${title}`,
			...(workflow ? [`     ${executionsUrl(stage.world, workflow(stage))}`] : []),
			...(look ? [`     ${look}`] : []),
		]),
		'',
		'Ctrl-C ends the demo and deletes its data.',
	];
}

function atStation(kind: 'offline' | 'fault', what: string): Stop['happen'] {
	return async (stage, log, signal) => {
		const { simulator, publishedAt } = stage;
		const sincePublication = Math.floor((Date.now() - publishedAt) / 1000) - 1;
		const secondsAgo = Math.max(0, Math.min(SECONDS_AGO, sincePublication));
		const { assetId, name } = await simulator.happen(kind, { secondsAgo, deliver: false });
		log(`${name} ${what}. n8n looks every 15 seconds ...`);
		const workflow = kind === 'offline' ? stage.offlineWorkflow : stage.faultWorkflow;
		const url = await executionOf(stage, workflow, assetId, signal);
		log(`There it is: ${url}`);
	};
}

/** The URL of the execution that the station started. */
async function executionOf(
	{ world }: TourStage,
	workflow: Workflow,
	assetId: string,
	signal: AbortSignal,
): Promise<string> {
	const trigger = nodeOfType(workflow, STATION_TRIGGER_TYPE);
	const look = async () => {
		signal.throwIfAborted();
		for (const { id } of await world.client.listExecutions({ workflowId: workflow.id })) {
			const items = itemsOf(await world.client.waitForExecution(id), trigger);
			if (items.some(({ json }) => JSON.stringify(json).includes(assetId))) return id;
		}
		return undefined;
	};
	const what = 'the execution';
	const id = await waitFor(look, { what, timeoutMs: FOUND_MS, everyMs: 1_000 });
	return `${executionsUrl(world, workflow)}/${id}`;
}

async function deliverCopies({ simulator, endpoint, world, eventWorkflow }: TourStage, log: Log) {
	const { event, responses } = await simulator.emit({}, { copies: 3 });
	const forged = await simulator.deliver(endpoint.url, endpoint.secret, event, 'forged');
	const said = [...responses, forged].map(({ status, body, error }) => {
		return error ?? `${status} ${body}`;
	});
	log(`The responses: ${said.join(', ')}`);
	log(`There it is: ${executionsUrl(world, eventWorkflow)}`);
}
