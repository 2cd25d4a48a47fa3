/** Runs the node: each input item with its own parameters, all of them with one client. */
import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	NodeOperationError,
	type IExecuteData,
} from 'n8n-workflow';
import { ApiError, type ApiClient, type ApiRecord } from '../../lib/service';
import { inParallel } from '../../lib/shared/pace';
import { printable, sentence } from '../../lib/shared/text';
import { asNumber } from '../../lib/shared/values';
import { apiClientFor, cancelSignal } from '../../n8n/api/apiClient';
import { errorItem, toNodeError } from '../../n8n/log/nodeError';
import { resources } from './resources';
import {
	parameter,
	parameterError,
	text,
	type InputItem,
	type OperationRun,
} from './shared/operation';

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
	const openClient = () =>
		(client ??= apiClientFor(context, (message) => {
			warn(sentence(message));
		}));
	let unreachable: ApiError | undefined;
	const itemsOf = async (itemIndex: number): Promise<INodeExecutionData[]> => {
		const plan = plans[itemIndex];
		if (plan === undefined || !('send' in plan)) return plan ?? [];
		try {
			if (unreachable) throw notTried(unreachable);
			const records = done.get(itemIndex) ?? (await plan.send(openClient));
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
		// An operation that changes something processes one item after another by default.
		const atOnce = asNumber(option, changes ? 1 : 8, 1, 64);
		return (await inParallel(indices.length, atOnce, itemsOf)).flat();
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

interface Plan {
	/** Whether it changes something at the service. */
	readonly changes: boolean;
	/** Resolves with the records. `client` is called only if there is a request to send. */
	readonly send: (client: () => Promise<ApiClient>) => Promise<ApiRecord[]>;
}

/** @throws for a parameter that a user has to correct. For an operation that changes something, this covers all parameters. */
function planOf(item: Omit<OperationRun, 'client'>): Plan {
	const { operations } = chosen(item, 'resource', resources);
	const operation = chosen(item, 'operation', operations);
	if (operation.prepare) {
		const send = operation.prepare(item);
		return { changes: true, send: async (client) => await send(await client()) };
	}
	if (operation.runLocally) return { changes: false, send: () => operation.runLocally(item) };
	return {
		changes: false,
		send: async (client) => await operation.run({ ...item, client: await client() }),
	};
}

/** The choice of the parameter with this name. */
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
		`Unknown ${name} '${value}'`,
		`Use one of ${Object.keys(choices).join(', ')}.`,
	);
}

/** The records of each finished item, by its index. */
type DoneItems = Map<number, ApiRecord[]>;

/** In memory only, since the records may contain signing secrets. n8n passes the same object to all tries of a node. */
const byRun = new WeakMap<IExecuteData, DoneItems>();

/** The items that earlier tries of Retry On Fail have finished; none without it. */
function doneItems(context: IExecuteFunctions): DoneItems {
	// An agent runs all calls of a tool with the data of its own node, and never repeats one with the same input.
	if (context.getNode().retryOnFail !== true || context.isToolExecution()) return new Map();
	const run = context.getExecuteData();
	const done = byRun.get(run) ?? new Map<number, ApiRecord[]>();
	byRun.set(run, done);
	return done;
}

/** One or two sentences about the items that a failed execution has finished, without their values. */
function aboutDone(done: ReadonlyMap<number, unknown>, total: number): string {
	if (done.size === 0) return 'No other item was processed.';
	const [were, them] = done.size === 1 ? ['was', 'it'] : ['were', 'them'];
	return `${done.size} of ${total} items ${were} done before the failure (item index ${ranges(done.keys())}). 'Retry On Fail' skips ${them}; running the node again repeats ${them}.`;
}

/** For example `0 to 2, 5`. */
function ranges(indices: Iterable<number>): string {
	const found: [first: number, last: number][] = [];
	for (const index of [...indices].sort((a, b) => a - b)) {
		const open = found.at(-1);
		if (open?.[1] === index - 1) open[1] = index;
		else found.push([index, index]);
	}
	return found.map(([first, last]) => (first === last ? first : `${first} to ${last}`)).join(', ');
}
