/** The shapes of n8n's responses, as far as the tests and the demo read them. */
import { parse as unflatten } from 'flatted';
import { z } from 'zod/v4';

const NodeShape = z.looseObject({
	id: z.string(),
	name: z.string(),
	type: z.string(),
	typeVersion: z.number(),
	webhookId: z.string().optional(),
	parameters: z.record(z.string(), z.unknown()),
	credentials: z
		.record(z.string(), z.looseObject({ id: z.string().nullable(), name: z.string() }))
		.optional(),
});

export const WorkflowShape = z.looseObject({
	id: z.string(),
	name: z.string(),
	active: z.boolean(),
	versionId: z.string(),
	nodes: z.array(NodeShape),
	connections: z.record(z.string(), z.unknown()),
});
export type Workflow = z.infer<typeof WorkflowShape>;

/** A workflow as in a file: n8n gives it an ID on import. */
export const WorkflowFileShape = z.looseObject({
	name: z.string(),
	nodes: z.array(
		z.looseObject({ type: z.string(), credentials: z.record(z.string(), z.unknown()).optional() }),
	),
	connections: z.record(z.string(), z.unknown()),
});

export const CredentialShape = z.looseObject({
	id: z.string(),
	name: z.string(),
	type: z.string(),
});
export type Credential = z.infer<typeof CredentialShape>;

export const CredentialTestShape = z.object({
	status: z.enum(['OK', 'Error']),
	message: z.string(),
});
export type CredentialTest = z.infer<typeof CredentialTestShape>;

/** The progress of publishing, node by node: n8n publishes in the background. */
export const PublicationShape = z.object({
	status: z.enum(['in_progress', 'not_published', 'published', 'partial', 'failed']),
	triggers: z.array(
		z.object({ nodeId: z.string(), status: z.string(), errorMessage: z.string().nullable() }),
	),
});

const ExecutionStatus = z.enum([
	'new',
	'running',
	'waiting',
	'success',
	'error',
	'crashed',
	'canceled',
	'unknown',
]);
export type ExecutionStatus = z.infer<typeof ExecutionStatus>;

const ExecutionSummaryShape = z.looseObject({
	id: z.string(),
	workflowId: z.string(),
	mode: z.string(),
	status: ExecutionStatus,
	startedAt: z.string().nullable(),
	stoppedAt: z.string().nullable(),
});
export type ExecutionSummary = z.infer<typeof ExecutionSummaryShape>;

/** A page of n8n's public API. */
export const ExecutionsPageShape = z.object({
	data: z.array(ExecutionSummaryShape),
	nextCursor: z.string().nullable(),
});

const ItemShape = z.looseObject({ json: z.record(z.string(), z.unknown()) });
export type Item = z.infer<typeof ItemShape>;

const ErrorShape = z.looseObject({
	message: z.string(),
	description: z.string().nullish(),
});

const NodeRunShape = z.looseObject({
	executionStatus: z.string().optional(),
	error: ErrorShape.optional(),
	hints: z.array(z.looseObject({ message: z.string() })).optional(),
	data: z.looseObject({ main: z.array(z.array(ItemShape).nullable()).optional() }).optional(),
});

const RunDataShape = z.looseObject({
	/** What has not run yet, and what failed. */
	executionData: z
		.looseObject({
			nodeExecutionStack: z.array(
				z.looseObject({
					data: z.looseObject({ main: z.array(z.array(ItemShape).nullable()).optional() }),
				}),
			),
		})
		.optional(),
	resultData: z
		.looseObject({
			runData: z.record(z.string(), z.array(NodeRunShape)).default({}),
			error: ErrorShape.optional(),
			lastNodeExecuted: z.string().optional(),
		})
		.default({ runData: {} }),
});

/** Run data arrives as text that contains repeated values only once ("flatted" JSON). */
export const ExecutionShape = z.looseObject({
	id: z.string(),
	workflowId: z.string(),
	mode: z.string(),
	status: ExecutionStatus,
	/** When n8n stored it. */
	createdAt: z.string(),
	data: z
		.string()
		// An execution that is about to start has an empty list instead.
		.transform((text): unknown => unflatten(text) ?? {})
		.pipe(RunDataShape),
});
export type Execution = z.infer<typeof ExecutionShape>;

/** The items on the first output of a node, in its last run. */
export function itemsOf(execution: Execution, nodeName: string): readonly Item[] {
	const runs = execution.data.resultData.runData[nodeName] ?? [];
	return runs.at(-1)?.data?.main?.[0] ?? [];
}

/** The items with which an execution starts, or the ones it had yet to process when it failed or crashed. */
export const waitingItemsOf = ({ data }: Pick<Execution, 'data'>): readonly Item[] =>
	(data.executionData?.nodeExecutionStack ?? []).flatMap(
		(each) => each.data.main?.flatMap((output) => output ?? []) ?? [],
	);

/** The name of the only node of that type. */
export function nodeOfType({ name, nodes }: Workflow, type: string): string {
	const [node, ...others] = nodes.filter((candidate) => candidate.type === type);
	if (!node || others.length > 0)
		throw new Error(`The workflow '${name}' has none or several nodes of type ${type}.`);
	return node.name;
}

/** Message and description of the error that ended an execution; undefined if it did not fail. */
export function errorOf(
	execution: Execution,
): { message: string; description?: string } | undefined {
	const { error } = execution.data.resultData;
	if (!error) return undefined;
	return { message: error.message, ...(error.description && { description: error.description }) };
}

export const NodeTypeShape = z.looseObject({
	name: z.string(),
	credentials: z.array(z.looseObject({ name: z.string() })).optional(),
	webhooks: z
		.array(
			z.looseObject({
				path: z.string(),
				isFullPath: z.union([z.boolean(), z.string()]).optional(),
			}),
		)
		.optional(),
});
export type NodeType = z.infer<typeof NodeTypeShape>;
