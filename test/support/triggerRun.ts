/** The first step of an execution in n8n-core's own engine: a trigger's `execute`, and the items that the next node gets. */
import { WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	type IDataObject,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	NodeConnectionTypes,
	type NodeExecutionHint,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { oneNodeWorkflow, surroundings, versionOf } from './engine';

interface TriggerRunOptions {
	readonly trigger: INodeType;
	readonly parameters?: INodeParameters;
	readonly mode: WorkflowExecuteMode;
	readonly executionId: string;
	readonly workflowId: string;
	/** The items stored with the execution: the JSON of each, or the whole item. */
	readonly items: readonly (IDataObject | INodeExecutionData)[];
}

interface TriggerRun {
	/** The items with which the execution continues. */
	readonly items: readonly IDataObject[];
	/** The items as n8n stores them. */
	readonly stored: readonly INodeExecutionData[];
	readonly hints: readonly NodeExecutionHint[];
	readonly error?: { readonly message: string; readonly description?: string | null | undefined };
}

const asItem = (item: IDataObject | INodeExecutionData): INodeExecutionData =>
	'json' in item ? (item as INodeExecutionData) : { json: item };

export async function runTrigger(options: TriggerRunOptions): Promise<TriggerRun> {
	const { trigger, parameters = {}, mode, executionId, workflowId } = options;
	const { node, workflow, additionalData } = oneNodeWorkflow({
		nodeType: trigger,
		typeVersion: versionOf(trigger),
		parameters,
		credentialTypes: [],
		readCredential: async () => ({}),
		workflowId,
	});
	Object.assign(additionalData, surroundings(workflow, mode, executionId));
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
	const run = await new WorkflowExecute(additionalData, mode, data).processRunExecutionData(
		workflow,
	);
	const ran = run.data.resultData.runData[node.name]?.[0];
	const error = ran?.error ?? run.data.resultData.error;
	const stored = ran?.data?.['main']?.[0] ?? [];
	return {
		items: stored.map(({ json }) => json),
		stored,
		hints: ran?.hints ?? [],
		...(error && { error }),
	};
}
