/** Runs the node: each input item with its own parameters, all of them with one client. */
import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeOperationError,
} from 'n8n-workflow';
import { ApiError, type ApiClient, type ApiRecord } from '../../lib/service';
import { inParallel } from '../../lib/shared/inParallel';
import { printable } from '../../lib/shared/printable';
import { parse } from '../../lib/vendor/zod';
import { apiClientFor, cancelSignal } from '../../n8n/apiClient';
import { errorItem, toNodeError } from '../../n8n/nodeError';
import { aboutDone, doneItems } from './doneItems';
import { planOf } from './plan';
import { parallelItems } from './shared/parallelItems';
import type { OperationRun } from './shared/resource';

/**
 * One item per record, paired with its input item and in the order of the input.
 *
 * An input item that fails ends the execution, or becomes an item with the error if the node is set to continue. When
 * the service is down for one of them, those that have not started are not tried. An operation that changes something
 * processes one item after another, once the parameters of all are checked.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const warn = warner(context);
	const indices = [...context.getInputData().keys()];
	const fail = failing(context);
	const plans = indices.map((itemIndex) => {
		try {
			return planOf({ context, itemIndex, warn });
		} catch (error) {
			return fail(error, itemIndex);
		}
	});
	const changes = plans.some((plan) => 'changes' in plan && plan.changes);
	const done = changes ? doneItems(context) : new Map<number, ApiRecord[]>();
	let client: Promise<ApiClient> | undefined;
	let unreachable: ApiError | undefined;
	const itemsOf = async (itemIndex: number): Promise<INodeExecutionData[]> => {
		const plan = plans[itemIndex];
		if (plan === undefined || !('send' in plan)) return plan ?? [];
		try {
			if (unreachable) throw notTried(unreachable);
			const records =
				done.get(itemIndex) ?? (await plan.send(() => (client ??= apiClientFor(context, warn))));
			if (plan.changes) done.set(itemIndex, records);
			return records.map((json) => ({
				json: json as IDataObject,
				pairedItem: { item: itemIndex },
			}));
		} catch (error) {
			if (error instanceof ApiError && error.unreachable) unreachable ??= error;
			return fail(error, itemIndex);
		}
	};
	// Read once: the number of parallel items belongs to the node, not to an item.
	const option = context.getNodeParameter('options.parallelItems', 0, '');
	try {
		return (
			await inParallel(indices.length, parse(parallelItems(changes), option), itemsOf)
		).flat();
	} catch (error) {
		const nodeError = toNodeError(context.getNode(), error);
		if (changes && indices.length > 1) {
			const about = aboutDone(done, indices.length);
			nodeError.description = `${nodeError.description ?? ''} ${about}`.trim();
		}
		throw nodeError;
	}
}

/** The result for an item that failed: the items with its error, or n8n's error if the node is to stop. */
function failing(context: IExecuteFunctions) {
	const signal = cancelSignal(context);
	return (error: unknown, itemIndex: number): INodeExecutionData[] => {
		// Applies to every error setting. n8n recognizes a cancelled execution by this text.
		if (signal?.aborted) {
			throw new NodeOperationError(context.getNode(), 'The execution was canceled.', { itemIndex });
		}
		const nodeError = toNodeError(context.getNode(), error, itemIndex);
		if (!context.continueOnFail()) throw nodeError;
		return [{ ...errorItem(nodeError, error), pairedItem: { item: itemIndex } }];
	};
}

/** The error of another item, for an item that was not tried. */
function notTried({ message, field, code }: ApiError): ApiError {
	return new ApiError(message, {
		hint: 'Skipped: the service was already unreachable for an earlier item. See that item for what to do.',
		field,
		code,
	});
}

/** Shows each warning once, in the log and next to the output. */
function warner(context: IExecuteFunctions): OperationRun['warn'] {
	const given = new Set<string>();
	return (message, { inLog } = { inLog: true }) => {
		if (given.has(message)) return;
		given.add(message);
		if (inLog) context.logger.warn(`${printable(context.getNode().name)}: ${message}`);
		context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	};
}
