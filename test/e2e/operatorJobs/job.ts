/** Publishes an example workflow as an operator does, and collects the results of its executions. */
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
import { ACTION_TYPE, TRIGGER } from '../../support/nodes';
import type { Mailbox } from './mailbox';

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
const SEND_MAIL = 'n8n-nodes-base.emailSend';

type File = ReturnType<typeof WorkflowFileShape.parse>;
export type FileNode = File['nodes'][number];

export interface Job {
	/** Sends the events as the simulator's profile does, and then each of them once more. */
	tell(events: readonly EventInput[]): Promise<void>;
	/** The output of a node in all saved executions so far, once none is running. */
	output(node: string): Promise<readonly Item['json'][]>;
	/** Resolves when no execution is running. */
	settled(): Promise<void>;
	readonly workflowId: string;
	/** Unpublishes it. */
	stop(): Promise<void>;
}

interface Options {
	/** Changes to the nodes that the note of the example asks for; none by default. */
	readonly change?: (node: FileNode) => FileNode;
	/** URL of the service; the simulator's by default. */
	readonly baseUrl?: string;
	/** Time zone of the workflow. */
	readonly timezone?: string;
	/** Added to the names of the job's data tables, so that no other test writes to them. */
	readonly tables?: string;
	/** Makes n8n save successful executions, even if the example does not. */
	readonly keepsSuccesses?: boolean;
	/** Enables the nodes that send mail. */
	readonly mailbox?: Mailbox;
	/** Pinned to the webhook trigger: a manual start has them as its items. */
	readonly pinned?: readonly object[];
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
		pinned = [],
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
	const pinData = pinned.length > 0 && { [TRIGGER]: pinned.map((json) => ({ json })) };
	const workflow = { ...content, nodes, settings, ...(pinData && { pinData }) };
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
			// The service lists them by time, whatever the order of their deliveries.
			const inOrder = events.toSorted((a, b) => timeOf(a) - timeOf(b));
			const story = await simulator.emitAll(inOrder);
			for (const event of story.events) story.sent.push(await simulator.emit({ id: event.id }));
			const answers = story.sent.flatMap(({ responses }) => responses);
			// 200 means stored: all executions exist by now.
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
