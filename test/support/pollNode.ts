/** A poll trigger run by n8n-core's own PollContext. A stand-in for n8n stores executions as the test says and runs them. */
import { PollContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IPollFunctions,
	IRun,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { type Next, oneNodeWorkflow } from './engine';
import { runTrigger } from './triggerRun';

export interface PollNodeOptions {
	readonly trigger: INodeType;
	readonly parameters?: INode['parameters'];
	readonly credential: IDataObject;
	readonly workflowId: string;
	/** Stores an execution before it runs; a rejection means that n8n could not store it. */
	readonly run?: (...items: IDataObject[]) => Promise<void>;
	/** Whether n8n runs stored executions; false means that it loses them. */
	readonly runs?: () => boolean;
	/** What the node after the trigger does; there is none by default. */
	readonly next?: Next;
	/** The workflow's static data as saved by n8n, as after a restart. */
	readonly staticData?: IDataObject;
}

interface PollNode {
	/** The items that passed the trigger, in order: the workflow was executed for them. */
	readonly started: IDataObject[];
	/** The items of each execution that n8n has stored. */
	readonly runs: readonly IDataObject[][];
	/** The warnings in n8n's log. */
	readonly warnings: readonly string[];
	/** The workflow's static data as saved by n8n so far. */
	saved(): IDataObject;
	/** Polls as after an activation of this kind; later polls of one activation share its context, as in n8n. */
	activation(mode: WorkflowActivateMode): () => Promise<INodeExecutionData[][] | null>;
}

let executions = 0;

export function createPollNode(options: PollNodeOptions): PollNode {
	const { trigger, parameters = {}, credential, workflowId, run, runs: doesRun, next } = options;
	const started: IDataObject[] = [];
	const runs: IDataObject[][] = [];
	const warnings: string[] = [];
	let saved = structuredClone(options.staticData ?? {});

	const execute = async (items: IDataObject[]): Promise<IRun> => {
		await run?.(...items);
		runs.push(items);
		if (doesRun?.() ?? true) {
			const executionId = String(++executions);
			const ran = await runTrigger({
				...{ trigger, parameters, mode: 'trigger', executionId, workflowId },
				...{ items, next },
			});
			started.push(...ran.items);
		}
		return {} as IRun;
	};
	return {
		started,
		runs,
		warnings,
		saved: () => saved,
		activation(mode) {
			const { node, workflow, additionalData } = oneNodeWorkflow({
				nodeType: trigger,
				typeVersion: 1,
				parameters,
				credentialTypes: ['assetServiceApi'],
				readCredential: async () => credential,
				...{ workflowId, staticData: structuredClone(saved) },
			});
			/** n8n saves static data when a poll trigger is activated, and with each execution that a poll starts. */
			const save = (): void => {
				saved = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
			};
			const emit = (
				data: INodeExecutionData[][],
				_response?: unknown,
				done?: { resolve: (run: IRun) => void; reject: (error: Error) => void },
			): void => {
				save();
				void execute((data[0] ?? []).map(({ json }) => json)).then(
					(ran) => done?.resolve(ran),
					(error: unknown) => done?.reject(error as Error),
				);
			};
			const context = new PollContext(
				workflow,
				node,
				additionalData,
				'trigger',
				mode,
				emit,
			) as unknown as IPollFunctions;
			jest.spyOn(context.logger, 'warn').mockImplementation((line) => void warnings.push(line));
			let polls = 0;
			return async () => {
				const polled = (await trigger.poll?.call(context)) ?? null;
				if (polls++ === 0) save();
				return polled;
			};
		},
	};
}
