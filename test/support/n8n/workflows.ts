/** Creates, publishes, executes and deletes n8n's workflows over REST, and builds the URLs of their webhooks. */
import { z } from 'zod/v4';
import { waitFor } from '../wait';
import { credentialsByType } from '../workflow';
import {
	type Credential,
	type NodeType,
	NodeTypeShape,
	PublicationShape,
	type Workflow,
	WorkflowFileShape,
	WorkflowShape,
} from './responses';
import { type Session, unlessNotFound } from './session';

/** The parts of a workflow, as in an exported file. */
interface Content {
	readonly name: string;
	readonly nodes: readonly unknown[];
	readonly connections: object;
	readonly settings?: object;
	readonly pinData?: object;
}

export interface WorkflowsClient {
	createWorkflow(content: Content): Promise<Workflow>;
	getWorkflow(id: string): Promise<Workflow>;
	/** Saves a new version; a published workflow keeps running the version that was published. */
	updateWorkflow(id: string, changes: Partial<Content>): Promise<Workflow>;
	/** Creates a workflow from an exported file; sets `credentials` in every node that takes one of their types. */
	importWorkflow(file: unknown, credentials?: readonly Credential[]): Promise<Workflow>;
	/** Sets the credential in one node. */
	useCredential(id: string, nodeName: string, credential: Credential): Promise<Workflow>;
	/**
	 * Publishes the workflow as last saved and waits until its triggers run. Throws PublicationFailure with the
	 * triggers' own messages. Also waits for `webhookUrls`, on any process that serves them.
	 */
	activate(id: string, options?: { readonly webhookUrls?: readonly string[] }): Promise<Workflow>;
	/** Unpublishes the workflow and waits until its triggers are gone. */
	deactivate(id: string): Promise<void>;
	/** Executes the workflow as last saved from one of its triggers, and returns the ID of the execution. `output` is pinned as the trigger's. */
	runManually(id: string, triggerName: string, output?: object): Promise<string>;
	/** Starts the editor's “Listen for test event”: the next call of the test URL runs the workflow as last saved, once. */
	listenForTestEvent(id: string, triggerName: string): Promise<void>;
	/** URL of a trigger node's webhook; `base` names another process; `test` gives the editor's test URL. */
	webhookUrl(
		workflow: Workflow,
		nodeName: string,
		options?: { readonly base?: string; readonly test?: boolean },
	): Promise<string>;
}

/** n8n could not start the triggers of a workflow when publishing it. */
export class PublicationFailure extends Error {
	override readonly name = 'PublicationFailure';
	constructor(readonly messages: readonly string[]) {
		super(`The workflow was not published: ${messages.join('; ')}`);
	}
}

/** n8n tries five times, with growing pauses, before it gives up. */
const PUBLISH_MS = 120_000;
/** Older versions publish before they respond and do not report progress. */
const DONE: z.infer<typeof PublicationShape> = { status: 'published', triggers: [] };

const Anything = z.unknown();
const OneWorkflow = z.object({ data: WorkflowShape });

export function createWorkflowsClient(session: Session, url: string): WorkflowsClient {
	const workflowPath = (id: string, action = ''): string =>
		`/rest/workflows/${encodeURIComponent(id)}${action}`;

	const published = async (id: string): Promise<z.infer<typeof PublicationShape>> =>
		await waitFor(
			async () => {
				const path = workflowPath(id, '/publication-status');
				const shape = z.object({ data: PublicationShape });
				const answer = await unlessNotFound(session.send('GET', path, shape));
				if (!answer) return DONE;
				return answer.data.status === 'in_progress' ? undefined : answer.data;
			},
			{ what: `n8n to publish or unpublish workflow ${id}`, timeoutMs: PUBLISH_MS, everyMs: 50 },
		);

	const describe = async (name: string, version: number): Promise<NodeType> => {
		const { data } = await session.send(
			'POST',
			'/rest/node-types',
			z.object({ data: z.array(NodeTypeShape) }),
			{
				// n8n does not describe the tools that it makes of a package's nodes.
				nodeInfos: [{ name: name.replace(/(?<=^n8n-nodes-asset-service\..+)Tool$/, ''), version }],
			},
		);
		if (!data[0]) throw new Error(`n8n does not know the node type ${name}.`);
		return data[0];
	};

	const run = async <T>(id: string, triggerName: string, shape: z.ZodType<T>): Promise<T> => {
		const workflowData = await client.getWorkflow(id);
		const { data } = await session.send(
			'POST',
			workflowPath(id, '/run'),
			z.object({ data: shape }),
			{
				workflowData,
				startNodes: [],
				triggerToStartFrom: { name: triggerName },
			},
		);
		return data;
	};

	const client: WorkflowsClient = {
		async createWorkflow(content) {
			return (await session.send('POST', '/rest/workflows', OneWorkflow, content)).data;
		},

		async getWorkflow(id) {
			return (await session.send('GET', workflowPath(id), OneWorkflow)).data;
		},

		async updateWorkflow(id, changes) {
			return (await session.send('PATCH', workflowPath(id), OneWorkflow, changes)).data;
		},

		async importWorkflow(file, credentials = []) {
			const content = WorkflowFileShape.parse(file);
			const workflow = await client.createWorkflow(content);
			if (credentials.length === 0) return workflow;
			const nodes = await Promise.all(
				workflow.nodes.map(async (node) => {
					const { credentials: listed = [] } = await describe(node.type, node.typeVersion);
					const wanted = listed.map(({ name }) => name);
					const fitting = credentials.filter(({ type }) => wanted.includes(type));
					return { ...node, credentials: { ...node.credentials, ...credentialsByType(fitting) } };
				}),
			);
			return await client.updateWorkflow(workflow.id, { nodes });
		},

		async useCredential(id, nodeName, credential) {
			const { nodes } = await client.getWorkflow(id);
			return await client.updateWorkflow(id, {
				nodes: nodes.map((node) =>
					node.name === nodeName
						? { ...node, credentials: { ...node.credentials, ...credentialsByType([credential]) } }
						: node,
				),
			});
		},

		async activate(id, { webhookUrls = [] } = {}) {
			const { versionId } = await client.getWorkflow(id);
			await session.send('POST', workflowPath(id, '/activate'), Anything, { versionId });
			const seen = await published(id);
			// n8n reads running and finished publications in parallel: one that ends meanwhile may be in neither list.
			const { status, triggers } = seen.status === 'not_published' ? await published(id) : seen;
			if (status !== 'published') {
				const messages = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
				throw new PublicationFailure(messages.length > 0 ? messages : [`it is ${status}`]);
			}
			for (const webhookUrl of webhookUrls) await waitForWebhook(webhookUrl);
			return await client.getWorkflow(id);
		},

		async deactivate(id) {
			await session.send('POST', workflowPath(id, '/deactivate'), Anything, {});
			await published(id);
		},

		async runManually(id, triggerName, output) {
			if (output !== undefined) {
				await client.updateWorkflow(id, { pinData: { [triggerName]: [{ json: output }] } });
			}
			return (await run(id, triggerName, z.object({ executionId: z.string() }))).executionId;
		},

		async listenForTestEvent(id, triggerName) {
			await run(id, triggerName, z.object({ waitingForWebhook: z.literal(true) }));
		},

		async webhookUrl(workflow, nodeName, { base = url, test = false } = {}) {
			const node = workflow.nodes.find(({ name }) => name === nodeName);
			if (!node) throw new Error(`The workflow has no node '${nodeName}'.`);
			// The second URL responds once the execution has succeeded.
			const index = node.parameters['acknowledge'] === 'succeeded' ? 1 : 0;
			const description = (await describe(node.type, node.typeVersion)).webhooks?.[index];
			if (!description) throw new Error(`The node '${nodeName}' has no webhook.`);
			const path = description.path.startsWith('=')
				? String(node.parameters.path)
				: description.path;
			// As built by n8n-workflow's getNodeWebhookPath.
			const prefix =
				node.webhookId ?? `${workflow.id}/${encodeURIComponent(node.name.toLowerCase())}`;
			const whole = description.isFullPath === true && node.webhookId ? path : `${prefix}/${path}`;
			return `${base}/${test ? 'webhook-test' : 'webhook'}/${whole}`;
		},
	};
	return client;
}

/**
 * Waits until n8n serves the webhook (at most 60 s). Checks with a preflight request, which returns the methods of an
 * existing webhook and starts no workflow.
 */
export async function waitForWebhook(url: string): Promise<void> {
	await waitFor(() => webhookIsServed(url), {
		what: `the webhook ${url}`,
		timeoutMs: 60_000,
		everyMs: 50,
	});
}

async function webhookIsServed(url: string): Promise<boolean> {
	const response = await fetch(url, {
		method: 'OPTIONS',
		headers: { origin: 'http://127.0.0.1', 'access-control-request-method': 'POST' },
	});
	await response.body?.cancel();
	const methods = response.headers.get('access-control-allow-methods') ?? '';
	return methods.split(',').some((method) => method.trim() !== 'OPTIONS');
}
