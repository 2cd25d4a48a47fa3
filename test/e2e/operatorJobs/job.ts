/** Publishes an example workflow as an operator does, and gathers what its runs come to. */
import { asRecord } from '../../../lib/shared/values';
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
import type { Mailbox } from './mailbox';

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
const SEND_MAIL = 'n8n-nodes-base.emailSend';

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
	/** Of the workflow. */
	readonly timezone?: string;
	/** Added to the names of the job's data tables, for a table that no other test fills. */
	readonly tables?: string;
	/** Has n8n keep executions that succeed, even if the example does not. */
	readonly keepsSuccesses?: boolean;
	/** Turns the nodes that send mail on. */
	readonly mailbox?: Mailbox;
}

export async function publishJob(
	{ client }: World,
	simulator: Simulator,
	file: string,
	{
		change = (node) => node,
		baseUrl = simulator.baseUrl,
		timezone = 'America/New_York',
		tables,
		keepsSuccesses = false,
		mailbox,
	}: Options = {},
): Promise<Job> {
	const content = WorkflowFileShape.parse(example(file));
	const nodes = content.nodes.map(change).map((node): FileNode => {
		const parameters = { ...asRecord(node['parameters']) };
		if (tables !== undefined && typeof parameters['tableName'] === 'string') {
			parameters['tableName'] += ` ${tables}`;
		}
		const isOn = mailbox !== undefined && node.type === SEND_MAIL;
		return { ...node, parameters, ...(isOn && { disabled: false }) };
	});
	const saving = keepsSuccesses && { saveDataSuccessExecution: 'all' };
	const settings = { ...asRecord(content['settings']), ...saving, timezone };
	const workflow = { ...content, nodes, settings };
	const { id, url, endpoint } = await registerByHand(client, simulator, workflow);
	const api = await client.createCredential(apiCredential(simulator, { baseUrl }));
	const { nodes: imported } = await client.getWorkflow(id);
	for (const { name, type } of imported) {
		if (type === ACTION_TYPE || type === HTTP_REQUEST) await client.useCredential(id, name, api);
	}
	if (mailbox !== undefined) {
		const smtp = await client.createCredential(mailbox.credential);
		for (const { name, type } of imported) {
			if (type === SEND_MAIL) await client.useCredential(id, name, smtp);
		}
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
			// The service lists them in the order of their times, whatever the order of their deliveries.
			const inOrder = events.toSorted((a, b) => timeOf(a) - timeOf(b));
			const story = await simulator.emitAll(inOrder);
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

function timeOf({ createdAt = '' }: EventInput): number {
	return Date.parse(createdAt);
}
