/** Runs the node: each input item by its own parameters, all of them over one client. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import type { ApiClient } from '../../lib/service';
import { printable } from '../../lib/shared/printable';
import { apiClientFor, cancelSignal } from '../../n8n/apiClient';
import { toNodeError } from '../../n8n/nodeError';
import { asset } from './resources/asset';
import { delivery } from './resources/delivery';
import { event } from './resources/event';
import type { Resource } from './resources/resource';
import { webhookEndpoint } from './resources/webhookEndpoint';
import { textParameter } from './shared/parameters';

/** The resources by the value of the parameter, in the order of the editor. */
export const resources: Readonly<Record<string, Resource>> = {
	asset,
	delivery,
	event,
	webhookEndpoint,
};

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
			const resource = resourceOf(context, itemIndex);
			const operation = textParameter(context, 'operation', itemIndex);
			const records = await resource.run(operation, { context, itemIndex, client, warn });
			for (const record of records) {
				output.push({ json: record as IDataObject, pairedItem: { item: itemIndex } });
			}
		} catch (error) {
			// However errors are to be treated; n8n tells a cancelled run from a failed one by this word.
			if (signal?.aborted) {
				throw new NodeOperationError(context.getNode(), 'The execution was canceled.', {
					itemIndex,
				});
			}
			const nodeError = toNodeError(context.getNode(), error, itemIndex);
			if (!context.continueOnFail()) throw nodeError;
			output.push({
				json: { error: nodeError.message, details: nodeError.description ?? '' },
				pairedItem: { item: itemIndex },
			});
		}
	}
	return output;
}

function resourceOf(context: IExecuteFunctions, itemIndex: number): Resource {
	const name = textParameter(context, 'resource', itemIndex);
	const resource = Object.hasOwn(resources, name) ? resources[name] : undefined;
	if (resource) return resource;
	throw new NodeOperationError(context.getNode(), `There is no resource “${name}”.`, {
		itemIndex,
		description: `Choose one of ${Object.keys(resources).join(', ')}.`,
	});
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
