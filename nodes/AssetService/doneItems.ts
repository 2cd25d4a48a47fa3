/** Remembers the input items that have changed something, so that a retry does not repeat the change, and lists them in errors. */
import type { IExecuteData, IExecuteFunctions } from 'n8n-workflow';
import type { ApiRecord } from '../../lib/service';

/** The records of each finished item, by its index. */
type DoneItems = Map<number, ApiRecord[]>;

/** In memory only, since the records may contain signing secrets. n8n passes the same object to all tries of a node. */
const byRun = new WeakMap<IExecuteData, DoneItems>();

/** The items that earlier tries of Retry On Fail have finished; none without it. */
export function doneItems(context: IExecuteFunctions): DoneItems {
	// An agent runs all calls of a tool with the data of its own node, and never repeats one with the same input.
	if (context.getNode().retryOnFail !== true || context.isToolExecution()) return new Map();
	const run = context.getExecuteData();
	const done = byRun.get(run) ?? new Map<number, ApiRecord[]>();
	byRun.set(run, done);
	return done;
}

/** One or two sentences about the items that a failed execution has finished, without their values. */
export function aboutDone(done: ReadonlyMap<number, unknown>, total: number): string {
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
