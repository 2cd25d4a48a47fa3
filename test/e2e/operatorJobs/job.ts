/** Publishes an example that watches stations, as an operator does. */
import { asRecord } from '../../../lib/shared/values';
import type { Simulator } from '../../../simulator';
import { apiCredential } from '../../support/n8n/credentials';
import { example } from '../../support/n8n/examples';
import { WorkflowFileShape } from '../../support/n8n/responses';
import type { World } from '../../support/n8n/world';
import { ACTION_TYPE, STATION_TRIGGER_TYPE } from '../../support/nodes';
import type { Mailbox } from './mailbox';

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
const SEND_MAIL = 'n8n-nodes-base.emailSend';

type File = ReturnType<typeof WorkflowFileShape.parse>;
export type FileNode = File['nodes'][number];

interface Job {
	readonly workflowId: string;
	/** Unpublishes it. */
	stop(): Promise<void>;
}

interface Options {
	/** Changes to the nodes that the note of the example asks for; none by default. */
	readonly change?: (node: FileNode) => FileNode;
	/** Parameters of the station trigger in place of those of the example, so that tests do not wait for minutes. */
	readonly trigger?: Readonly<Record<string, unknown>>;
	/** Time zone of the workflow. */
	readonly timezone?: string;
	/** Enables the nodes that send mail. */
	readonly mailbox?: Mailbox;
}

export async function publishJob(
	{ client }: World,
	simulator: Simulator,
	file: string,
	{ change = (node) => node, trigger, timezone = 'America/New_York', mailbox }: Options = {},
): Promise<Job> {
	const content = WorkflowFileShape.parse(example(file));
	const nodes = content.nodes.map(change).map((node): FileNode => {
		const own = asRecord(node['parameters']);
		const isTrigger = node.type === STATION_TRIGGER_TYPE;
		const isOn = mailbox !== undefined && node.type === SEND_MAIL;
		return {
			...node,
			...(isOn && { disabled: false }),
			parameters: isTrigger ? { ...own, ...trigger } : own,
		};
	});
	const settings = { ...asRecord(content['settings']), timezone };
	const { id, nodes: imported } = await client.importWorkflow({ ...content, nodes, settings });
	const api = await client.createCredential(apiCredential(simulator));
	const smtp = mailbox && (await client.createCredential(mailbox.credential));
	for (const { name, type } of imported) {
		if ([STATION_TRIGGER_TYPE, ACTION_TYPE, HTTP_REQUEST].includes(type)) {
			await client.useCredential(id, name, api);
		}
		if (smtp && type === SEND_MAIL) await client.useCredential(id, name, smtp);
	}
	await client.activate(id);
	return {
		workflowId: id,
		stop: async () => {
			await client.deactivate(id);
		},
	};
}
