/** Puts built workflows into n8n-core's own engine, with the node types and credentials of the test. */
import { ExecutionLifecycleHooks, LoadOptionsContext } from 'n8n-core';
import {
	type ICredentialsHelper,
	Workflow,
	type IDataObject,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	NodeConnectionTypes,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { buildWorkflow, type WorkflowContent } from './workflow';

// n8n-core logs every failing node; a test looks at the failure itself.
process.env['N8N_LOG_LEVEL'] ??= 'silent';

interface EngineOptions {
	readonly id?: string;
	readonly active?: boolean;
	readonly staticData?: IDataObject;
}

/** `types` are the nodes' classes, by their types. */
export function inEngine(
	{ name, nodes, connections, settings }: WorkflowContent,
	types: Readonly<Record<string, INodeType>>,
	{ id = 'workflow-1', active = false, staticData = {} }: EngineOptions = {},
): Workflow {
	const nodeTypes = {
		getByName: (type: string) => types[type],
		getByNameAndVersion: (type: string) => types[type],
		getKnownTypes: () => ({}),
	} as INodeTypes;
	return new Workflow({ id, name, nodes, connections, active, settings, nodeTypes, staticData });
}

/** The services that n8n-core needs from n8n while it runs an execution. */
export function surroundings(
	{ id, nodes }: Workflow,
	mode: WorkflowExecuteMode,
	executionId: string,
): Partial<IWorkflowExecuteAdditionalData> {
	return {
		executionId,
		currentNodeExecutionIndex: 0,
		variables: {},
		webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		hooks: new ExecutionLifecycleHooks(mode, executionId, {
			id,
			name: 'Test',
			nodes: Object.values(nodes),
			connections: {},
		} as unknown as IWorkflowBase),
	};
}

/** The newest version of a node. */
export function versionOf({ description: { version } }: INodeType): number {
	return Array.isArray(version) ? Math.max(...version) : version;
}

interface OneNode {
	readonly nodeType: INodeType;
	readonly typeVersion: number;
	readonly parameters?: INode['parameters'];
	readonly credentialTypes: readonly string[];
	/** The decrypted credential, by type; called once per read. */
	readonly readCredential: (type: string) => Promise<IDataObject>;
	readonly workflowId: string;
	/** `node-1` by default. */
	readonly nodeId?: string | undefined;
	/** The workflow's static data as saved by n8n; none by default. */
	readonly staticData?: IDataObject;
	/** What the node after it does; none by default. */
	readonly next?: Next | undefined;
}

export type Next = (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;

interface OneNodeWorkflow {
	readonly node: INode;
	readonly workflow: Workflow;
	readonly additionalData: IWorkflowExecuteAdditionalData;
}

/** A published workflow of one node, always the same node for the same workflow ID, and the node after it. */
export function oneNodeWorkflow(options: OneNode): OneNodeWorkflow {
	const { nodeType, typeVersion, parameters, credentialTypes, readCredential } = options;
	const { nodeId = 'node-1', staticData = {}, next } = options;
	const type = `test.${nodeType.description.name}`;
	const credentials = credentialTypes.map((name) => ({
		type: name,
		id: `credential-${name}`,
		name,
	}));
	const content = buildWorkflow({
		nodes: {
			Node: { id: nodeId, type, typeVersion, credentials, ...(parameters && { parameters }) },
			...(next && { Next: { type: NEXT, typeVersion: 1 } }),
		},
		...(next && { chains: [['Node', 'Next']] }),
	});
	const [node] = content.nodes;
	if (!node) throw new Error('A workflow of one node has none.');
	const credentialsHelper: Partial<ICredentialsHelper> = {
		isCredentialUsableByNode: () => true,
		getDecrypted: async (_data, _credential, name) =>
			(await readCredential(name)) as Awaited<ReturnType<ICredentialsHelper['getDecrypted']>>,
	};
	return {
		node,
		workflow: inEngine(
			content,
			{ [type]: nodeType, ...(next && { [NEXT]: nextNode(next) }) },
			{ id: options.workflowId, active: true, staticData },
		),
		additionalData: { credentialsHelper } as IWorkflowExecuteAdditionalData,
	};
}

/** The request of n8n's editor when a user opens the list of the field at `path`, or types into its search. */
export function editorContext({
	path,
	parameters = {},
	...options
}: Omit<OneNode, 'typeVersion'> & { readonly path: string }): ILoadOptionsFunctions {
	const typeVersion = versionOf(options.nodeType);
	const { node, workflow, additionalData } = oneNodeWorkflow({
		...{ ...options, typeVersion, parameters },
	});
	return new LoadOptionsContext(
		...([workflow, node, { ...additionalData, currentNodeParameters: parameters }, path] as const),
	) as unknown as ILoadOptionsFunctions;
}

const NEXT = 'test.next';

function nextNode(execute: Next): INodeType {
	return {
		description: {
			...{ displayName: 'Next', name: 'next', description: '', version: 1 },
			...{ group: ['transform'], defaults: {}, properties: [] },
			...{ inputs: [NodeConnectionTypes.Main], outputs: [NodeConnectionTypes.Main] },
		},
		execute,
	};
}
