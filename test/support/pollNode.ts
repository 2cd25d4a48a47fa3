/** A poll trigger run by n8n-core's own PollContext, with an n8n that stores executions as the test says. */
import { PollContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IPollFunctions,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { oneNodeWorkflow } from './engine';

export interface PollNodeOptions {
	readonly trigger: INodeType;
	readonly parameters?: INode['parameters'];
	readonly credential: IDataObject;
	readonly workflowId: string;
	/** Stores and runs an execution; a rejection is what n8n reports when it could not. */
	readonly run?: (...items: IDataObject[]) => Promise<void>;
}

interface PollNode {
	/** The items that started the workflow, in order. */
	readonly started: IDataObject[];
	/** The same, run by run. */
	readonly runs: readonly IDataObject[][];
	/** Polls as after an activation of this kind; later polls of one activation share its context, as in n8n. */
	activation(mode: WorkflowActivateMode): () => Promise<INodeExecutionData[][] | null>;
}

export function createPollNode(options: PollNodeOptions): PollNode {
	const { trigger, parameters = {}, credential, workflowId, run } = options;
	const started: IDataObject[] = [];
	const runs: IDataObject[][] = [];
	const { node, workflow, additionalData } = oneNodeWorkflow({
		nodeType: trigger,
		typeVersion: 1,
		parameters,
		credentialTypes: ['assetServiceApi'],
		readCredential: async () => credential,
		workflowId,
	});

	const emit = (
		data: INodeExecutionData[][],
		_response?: unknown,
		done?: { resolve: (run: undefined) => void; reject: (error: Error) => void },
	): void => {
		const items = (data[0] ?? []).map(({ json }) => json);
		void (async () => {
			await run?.(...items);
			started.push(...items);
			runs.push(items);
		})().then(
			() => done?.resolve(undefined),
			(error: unknown) => done?.reject(error as Error),
		);
	};
	return {
		started,
		runs,
		activation(mode) {
			const context = new PollContext(
				workflow,
				node,
				additionalData,
				'trigger',
				mode,
				emit,
			) as unknown as IPollFunctions;
			return async () => (await trigger.poll?.call(context)) ?? null;
		},
	};
}
