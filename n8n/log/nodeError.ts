/** Converts the package's errors and warnings to n8n's: an error's message says what happened, its description what to do. */
import {
	NodeApiError,
	NodeOperationError,
	WebhookPathTakenError,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';
import { ApiError } from '../../lib/service';
import { PackageError, isError } from '../../lib/shared/errors';
import { sentence } from '../../lib/shared/text';

/**
 * A `NodeApiError` if the service or the credential is at fault, a `NodeOperationError` if a parameter is.
 * Contains nothing of the request, since n8n stores errors with the execution.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	const item = itemIndex === undefined ? {} : { itemIndex };
	if (!(error instanceof PackageError)) {
		return new NodeOperationError(node, isError(error) ? error.message : String(error), item);
	}
	const { message, hint: description } = error;
	const { status, field } = error instanceof ApiError ? error : {};
	if (status === undefined && field === undefined) {
		return withMessage(new NodeOperationError(node, message, { description, ...item }), message);
	}
	const httpCode = status === undefined ? {} : { httpCode: String(status) };
	return withMessage(
		new NodeApiError(node, { message }, { message, description, ...httpCode, ...item }),
		message,
	);
}

/**
 * The same for what n8n runs to publish a workflow: hooks, and the first poll. Of those errors n8n shows only the message, so
 * it also says what to do.
 */
export function toTriggerError(node: INode, error: unknown): NodeApiError | NodeOperationError {
	const nodeError = toNodeError(node, error);
	const { message, description } = nodeError;
	if (!description) return nodeError;
	nodeError.description = null;
	return withMessage(nodeError, `${sentence(message)} ${description}`);
}

/**
 * n8n 2.41 tries every publication five times within 15 seconds, unless it fails with this class. Only its own message would be
 * about the path.
 */
export class FinalPublicationError extends WebhookPathTakenError {
	constructor(
		node: INode,
		override readonly message: string,
	) {
		super(node.name);
	}
}

/** Whether trying again cannot help before somebody changes something. An error about the node's own settings is one of n8n's. */
export function isFinal(error: unknown): boolean {
	return error instanceof NodeOperationError || (error instanceof PackageError && error.isFinal);
}

/**
 * The item for an error if the node is set to continue; `message` is what to do, `failure` is for workflows to branch on.
 *
 * n8n before 2.35.5 sends an item to the error output if its JSON has only the keys `error`, or `error` and `message`.
 * It would do so for an item's own `error` as well, but then n8n drops the message and the fields of the input.
 */
export function errorItem(
	nodeError: NodeApiError | NodeOperationError,
	cause: unknown,
): INodeExecutionData {
	const { message, description } = nodeError;
	const httpCode = nodeError instanceof NodeApiError ? nodeError.httpCode : null;
	const code = cause instanceof PackageError ? cause.code : undefined;
	const failure = {
		...(httpCode !== null && { status: Number(httpCode) }),
		...(code !== undefined && { code }),
	};
	return {
		json: { error: message, ...(description && { message: description }) },
		...(Object.keys(failure).length > 0 && { failure }),
	};
}

/** Shows texts next to the output of an execution, as sentences: some complete a log line. */
export function hintAt(
	context: Pick<IExecuteFunctions, 'addExecutionHints'>,
	texts: readonly string[],
	type: 'info' | 'warning' = 'warning',
): void {
	for (const text of texts) {
		context.addExecutionHints({ message: sentence(text), type, location: 'outputPane' });
	}
}

/** n8n replaces a message that contains a code such as EPERM with a generic one; ours says more. */
function withMessage<T extends Error>(error: T, message: string): T {
	error.message = message;
	return error;
}
