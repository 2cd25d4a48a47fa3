/** Runs the node: each input item by its own parameters, all of them with one client. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { ApiError, type ApiClient } from '../../lib/service';
import { inParallel } from '../../lib/shared/inParallel';
import { printable } from '../../lib/shared/printable';
import { parse } from '../../lib/vendor/zod';
import { apiClientFor, cancelSignal } from '../../n8n/apiClient';
import { errorItem, toNodeError } from '../../n8n/nodeError';
import { resources } from './resources';
import { parallelItems } from './shared/parallelItems';
import { parameter, parameterError, text, type InputItem } from './shared/parameters';

/**
 * One item for each record, paired with the input item it comes from and in the order of the input.
 *
 * An input item that fails ends the run, or becomes an item with the error where the node is set to continue. When the
 * service is away for one of them, those that are not under way yet are not tried.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const warn = warner(context);
	const signal = cancelSignal(context);
	let client: Promise<ApiClient> | undefined;
	let away: ApiError | undefined;
	const itemsOf = async (itemIndex: number): Promise<INodeExecutionData[]> => {
		const pairedItem = { item: itemIndex };
		try {
			if (away) throw notTried(away);
			client ??= apiClientFor(context, warn);
			const run = { context, itemIndex, client: await client, warn };
			const { operations } = chosen(run, 'resource', resources);
			const records = await chosen(run, 'operation', operations).run(run);
			return records.map((record) => ({ json: record as IDataObject, pairedItem }));
		} catch (error) {
			// Whatever the node is to do about errors. By this text n8n tells a cancelled run from a failed one.
			if (signal?.aborted) {
				throw new NodeOperationError(context.getNode(), 'The execution was canceled.', {
					itemIndex,
				});
			}
			if (error instanceof ApiError && error.unreachable) away ??= error;
			const nodeError = toNodeError(context.getNode(), error, itemIndex);
			if (!context.continueOnFail()) throw nodeError;
			return [{ ...errorItem(nodeError, error), pairedItem }];
		}
	};
	// Not of each item: how many are in flight is one number for the node.
	const atOnce = parse(parallelItems, context.getNodeParameter('options.parallelItems', 0, ''));
	return (await inParallel(context.getInputData().length, atOnce, itemsOf)).flat();
}

/** The failure of another item, for one that was not tried. */
function notTried({ message, field, code }: ApiError): ApiError {
	return new ApiError(message, {
		hint: 'Not sent for this item, since the service could not be reached for one before it: its error says what to do.',
		field,
		code,
	});
}

/** What the parameter of this name chooses. */
function chosen<T>(
	item: InputItem,
	name: 'resource' | 'operation',
	choices: Readonly<Record<string, T>>,
): T {
	const value = parameter(item, name, text);
	const choice = Object.hasOwn(choices, value) ? choices[value] : undefined;
	if (choice !== undefined) return choice;
	throw parameterError(
		item,
		`There is no ${name} “${value}”.`,
		`Choose one of ${Object.keys(choices).join(', ')}.`,
	);
}

/** Each warning once, in the log and where the person looks at the output. */
function warner(context: IExecuteFunctions): (message: string) => void {
	const given = new Set<string>();
	return (message) => {
		if (given.has(message)) return;
		given.add(message);
		context.logger.warn(`${printable(context.getNode().name)}: ${message}`);
		context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	};
}
