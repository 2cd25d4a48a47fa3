/** Runs one node in n8n-core's own engine: an input node passes it items, and the output is what n8n would store. */
import { WorkflowExecute } from 'n8n-core';
import {
	NodeConnectionTypes,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRun,
	type IWorkflowExecuteAdditionalData,
	type NodeExecutionHint,
	type Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { TestCredentialsHelper, type TestCredential } from './credentialsHelper';
import { inEngine, surroundings, versionOf } from './engine';
import { buildWorkflow } from './workflow';

export interface NodeRunOptions {
	readonly node: INodeType;
	readonly parameters: INodeParameters;
	/** Input items; one empty item by default. */
	readonly input?: readonly IDataObject[];
	readonly credentials?: readonly TestCredential[];
	readonly onError?: NonNullable<INode['onError']>;
	/** Number of tries, with Retry On Fail; 1 by default. */
	readonly tries?: number;
	/** Uses the tool type of the node, as an AI agent calls it. */
	readonly asTool?: boolean;
	/** A new one by default. */
	readonly nodeId?: string;
	/** `manual` by default. */
	readonly mode?: WorkflowExecuteMode;
	/** The address of n8n's editor; unknown by default. */
	readonly instanceBaseUrl?: string;
	/** An expression in a parameter of the node at the error output; `NodeResult.read` contains its values. */
	readonly readErrors?: string;
}

interface NodeRun {
	/** Resolves when the execution has ended, whatever its result. */
	readonly finished: Promise<NodeResult>;
	cancel(): void;
}

export interface NodeResult {
	/** The items of the first output; empty if the node failed. */
	readonly items: readonly INodeExecutionData[];
	/** The items of the error output, with `onError: 'continueErrorOutput'`. */
	readonly errorItems: readonly INodeExecutionData[];
	/** The values of `readErrors`, one per item of the error output. */
	readonly read: readonly unknown[];
	readonly hints: readonly NodeExecutionHint[];
	/** Why the node failed, as n8n stores and shows it. */
	readonly error?: { readonly message: string; readonly description?: string | null | undefined };
	/** Everything that n8n would store. */
	readonly run: IRun;
}

const INPUT = 'Input';
const TESTED = 'Tested';
/** Receives the error output, since n8n only fills connected outputs. */
const CAUGHT = 'Caught';

/** Runs the node to its end. */
export async function runNode(options: NodeRunOptions): Promise<NodeResult> {
	return await startNode(options).finished;
}

/** Starts the node; the execution can be cancelled as by a user. */
export function startNode(options: NodeRunOptions): NodeRun {
	const { input = [{}], credentials = [], mode = 'manual', instanceBaseUrl } = options;
	const workflow = workflowOf(options, input);
	const additionalData = {
		...surroundings(workflow, mode, 'execution-1'),
		...(instanceBaseUrl !== undefined && { instanceBaseUrl }),
		credentialsHelper: new TestCredentialsHelper(credentials),
	} as IWorkflowExecuteAdditionalData;
	const startNode = workflow.getNode(INPUT) ?? undefined;
	const execution = new WorkflowExecute(additionalData, mode).run({
		workflow,
		...(startNode && { startNode }),
	});
	return {
		cancel: () => {
			execution.cancel();
		},
		finished: execution.then(resultOf),
	};
}

function resultOf(run: IRun): NodeResult {
	const data = run.data.resultData.runData[TESTED]?.[0];
	const [items, errorItems] = data?.data?.['main'] ?? [];
	const [caught] = run.data.resultData.runData[CAUGHT]?.[0]?.data?.['main'] ?? [];
	const error = data?.error ?? run.data.resultData.error;
	return {
		items: items ?? [],
		errorItems: errorItems ?? [],
		read: caught?.map(({ json }) => json['read']) ?? [],
		hints: data?.hints ?? [],
		...(error && { error }),
		run,
	};
}

function workflowOf(
	{
		node,
		parameters,
		credentials = [],
		onError,
		tries,
		readErrors = '',
		asTool = false,
		nodeId,
	}: NodeRunOptions,
	input: readonly IDataObject[],
): Workflow {
	// n8n's name for the tool type that it derives from a node.
	const type = asTool ? `${TESTED}Tool` : TESTED;
	const content = buildWorkflow({
		nodes: {
			[INPUT]: { type: INPUT, typeVersion: 1 },
			[TESTED]: {
				...(nodeId !== undefined && { id: nodeId }),
				type,
				typeVersion: versionOf(node),
				parameters,
				credentials: credentials.map(({ type: { name, displayName } }) => ({
					type: name,
					id: name,
					name: displayName,
				})),
				...(onError && { onError }),
				...(tries && { retryOnFail: true, maxTries: tries, waitBetweenTries: 1 }),
			},
			[CAUGHT]: { type: CAUGHT, typeVersion: 1, parameters: { read: readErrors } },
		},
		chains: [[INPUT, TESTED]],
		...(onError === 'continueErrorOutput' && { errorsTo: { [TESTED]: CAUGHT } }),
	});
	return inEngine(content, {
		[INPUT]: passing('input', () => input.map((json) => ({ json }))),
		[type]: node,
		[CAUGHT]: passing('caught', (read) => read().map((json) => ({ json }))),
	});
}

function passing(
	name: string,
	items: (read: () => IDataObject[]) => INodeExecutionData[],
): INodeType {
	return {
		description: {
			displayName: name,
			name,
			group: ['input'],
			version: 1,
			description: '',
			defaults: {},
			inputs: name === 'input' ? [] : [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties: [{ displayName: 'Read', name: 'read', type: 'string', default: '' }],
		},
		async execute() {
			const indices = [...this.getInputData().keys()];
			return [
				items(() => indices.map((index) => ({ read: this.getNodeParameter('read', index) }))),
			];
		},
	};
}
