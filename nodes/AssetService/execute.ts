/** Runs the node: each input item by its own parameters, all of them with one client. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { ApiClient } from '../../lib/service';
import { printable } from '../../lib/shared/printable';
import { apiClientFor, cancelSignal } from '../../n8n/apiClient';
import { errorItem, toNodeError } from '../../n8n/nodeError';
import { resources } from './resources';
import { parameter, parameterError, text, type InputItem } from './shared/parameters';

/**
 * One item for each record, paired with the input item it comes from.
 * An input item that fails ends the run, or becomes an item with the error where the node is set to continue.
 */
export async function execute(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const warn = warner(context);
	const signal = cancelSignal(context);
	let client: ApiClient | undefined;
	const output: INodeExecutionData[] = [];
	for (const itemIndex of context.getInputData().keys()) {
		try {
			client ??= await apiClientFor(context, warn);
			const run = { context, itemIndex, client, warn };
			const { operations } = chosen(run, 'resource', resources);
			const records = await chosen(run, 'operation', operations).run(run);
			for (const record of records) {
				output.push({ json: record as IDataObject, pairedItem: { item: itemIndex } });
			}
		} catch (error) {
			// Whatever the node is to do about errors. By this text n8n tells a cancelled run from a failed one.
			if (signal?.aborted) {
				throw new NodeOperationError(context.getNode(), 'The execution was canceled.', {
					itemIndex,
				});
			}
			const nodeError = toNodeError(context.getNode(), error, itemIndex);
			if (!context.continueOnFail()) throw nodeError;
			output.push({ ...errorItem(nodeError, error), pairedItem: { item: itemIndex } });
		}
	}
	return output;
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
