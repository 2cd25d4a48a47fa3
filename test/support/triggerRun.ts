/** An execution in n8n-core's own engine: a trigger's `execute`, the items that the next node gets, and what that does. */
import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type ExecutionStatus,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRun,
	type IRunExecutionData,
	NodeConnectionTypes,
	type NodeExecutionHint,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { type Next, oneNodeWorkflow, surroundings, versionOf } from './engine';

interface TriggerRunOptions {
	readonly trigger: INodeType;
	readonly parameters?: INodeParameters;
	readonly mode: WorkflowExecuteMode;
	readonly executionId: string;
	readonly workflowId: string;
	/** The items stored with the execution: the JSON of each, or the whole item. */
	readonly items: readonly (IDataObject | INodeExecutionData)[];
	/** What the next node does; there is none by default. */
	readonly next?: Next | undefined;
	/** n8n saves the execution at its end. */
	readonly save?: (() => Promise<void>) | undefined;
}

interface TriggerRun {
	readonly status: ExecutionStatus;
	/** The items with which the execution continues. */
	readonly items: readonly IDataObject[];
	/** The items as n8n stores them. */
	readonly stored: readonly INodeExecutionData[];
	readonly hints: readonly NodeExecutionHint[];
	readonly error?: { readonly message: string; readonly description?: string | null | undefined };
}

const asItem = (item: IDataObject | INodeExecutionData): INodeExecutionData =>
	'json' in item ? (item as INodeExecutionData) : { json: item };

/** Runs the execution to its end, or until it goes to sleep. */
export async function runTrigger(options: TriggerRunOptions): Promise<TriggerRun> {
	return await startTrigger(options).finished;
}

/** Starts the execution; it can be cancelled as by a user. */
export function startTrigger(options: TriggerRunOptions): {
	readonly finished: Promise<TriggerRun>;
	readonly cancel: () => void;
	/** What n8n would save. */
	readonly data: IRunExecutionData;
} {
	const { trigger, parameters = {}, mode, executionId, workflowId, next, save } = options;
	const { node, workflow, additionalData } = oneNodeWorkflow({
		nodeType: trigger,
		typeVersion: versionOf(trigger),
		parameters,
		credentialTypes: [],
		readCredential: async () => ({}),
		...{ workflowId, next },
	});
	Object.assign(additionalData, surroundings(workflow, mode, executionId));
	if (save) additionalData.hooks?.addHandler('workflowExecuteAfter', save);
	const data = createRunExecutionData({
		executionData: {
			nodeExecutionStack: [
				{
					node,
					data: { [NodeConnectionTypes.Main]: [options.items.map(asItem)] },
					source: null,
				},
			],
		},
	});
	const running = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow);
	return {
		finished: running.then((run) => resultOf(run, node.name)),
		cancel: () => {
			running.cancel();
		},
		data,
	};
}

function resultOf({ status, data }: IRun, trigger: string): TriggerRun {
	const ran = data.resultData.runData[trigger]?.[0];
	const error = ran?.error ?? data.resultData.error;
	const stored = ran?.data?.['main']?.[0] ?? [];
	return {
		status,
		items: stored.map(({ json }) => json),
		stored,
		hints: ran?.hints ?? [],
		...(error && { error }),
	};
}
