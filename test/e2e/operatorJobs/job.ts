/** Publishes an example workflow as an operator does, and gathers what its runs come to. */
import type { EventInput, Simulator } from '../../../simulator';
import {
	errorOf,
	type Execution,
	type Item,
	itemsOf,
	WorkflowFileShape,
} from '../../support/n8n/answers';
import { apiCredential } from '../../support/n8n/credentials';
import { example } from '../../support/n8n/examples';
import { registerByHand } from '../../support/n8n/registerByHand';
import type { World } from '../../support/n8n/world';
import { ACTION_TYPE } from '../../support/nodes';

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

type File = ReturnType<typeof WorkflowFileShape.parse>;
export type FileNode = File['nodes'][number];

export interface Job {
	/** Sends the events in the manner of the simulator's profile, and then each of them once more. */
	tell(events: readonly EventInput[]): Promise<void>;
	/** What a node put out in all runs so far that are kept, once none is under way. */
	output(node: string): Promise<readonly Item['json'][]>;
	/** Resolves when no run is under way. */
	settled(): Promise<void>;
	readonly workflowId: string;
	/** Unpublishes it. */
	stop(): Promise<void>;
}

interface Options {
	/** What the note of the example tells a person to do in its nodes; nothing unless told. */
	readonly change?: (node: FileNode) => FileNode;
	/** Where the service is; the simulator's address unless told. */
	readonly baseUrl?: string;
}

export async function publishJob(
	{ client }: World,
	simulator: Simulator,
	file: string,
	{ change = (node) => node, baseUrl = simulator.baseUrl }: Options = {},
): Promise<Job> {
	const content = WorkflowFileShape.parse(example(file));
	const nodes = content.nodes.map(change);
	const { id, url, endpoint } = await registerByHand(client, simulator, { ...content, nodes });
	const api = await client.createCredential(apiCredential(simulator, { baseUrl }));
	const { nodes: imported } = await client.getWorkflow(id);
	for (const { name, type } of imported) {
		if (type === ACTION_TYPE || type === HTTP_REQUEST) await client.useCredential(id, name, api);
	}
	await client.activate(id, { webhookUrls: [url] });

	const runs = async (): Promise<Execution[]> => {
		const ended = await client.waitForExecutions({ workflowId: id }, 0);
		const executions = await Promise.all(ended.map((each) => client.getExecution(each.id)));
		expect(executions.flatMap((execution) => errorOf(execution) ?? [])).toEqual([]);
		return executions;
	};
	return {
		workflowId: id,
		async tell(events) {
			const story = await simulator.emitAll(events);
			for (const event of story.events) story.sent.push(await simulator.emit({ id: event.id }));
			const answers = story.sent.flatMap(({ responses }) => responses);
			// 200 means stored: what has to run is there by now.
			expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
		},
		output: async (node) =>
			(await runs()).flatMap((execution) => itemsOf(execution, node)).map(({ json }) => json),
		async settled() {
			await runs();
		},
		async stop() {
			simulator.deleteEndpoint(endpoint.id);
			await client.deactivate(id);
		},
	};
}
