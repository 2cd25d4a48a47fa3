/**
 * Reports how the execution ends that a trigger has begun, from the process that runs it.
 *
 * n8n has two ways to say so (both measured on n8n 2.41.1):
 * - the handlers of `workflowExecuteAfter` in the execution's lifecycle hooks. They are not public, but only they say that the
 *   execution goes to sleep in a Wait node. n8n calls them one after the other, its own first, which save the execution,
 *   and waits for them before it responds to a webhook and before a worker finishes its job.
 * - `onExecutionFinish` of the context (public, n8n 2.33 and later): the same moment, without the outcome, and not when the
 *   execution goes to sleep. Used where the hooks are not found.
 *
 * If n8n cannot save the execution, it may call neither. So an execution whose data the process no longer holds is lost.
 */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Outcome } from '../lib/ledger';
import { isRecord, own } from '../lib/shared/values';

type ReportEnd = (outcome: Outcome) => Promise<void>;

const lost = new FinalizationRegistry<() => void>((report) => {
	report();
});

/** Calls `report` at the end, perhaps more than once. `report` never rejects. False if this n8n does not report the end. */
export function onExecutionEnd(context: IExecuteFunctions, report: ReportEnd): boolean {
	let isOver = false;
	const once = async (outcome: Outcome): Promise<void> => {
		isOver = true;
		await report(outcome);
	};
	if (!listenToHooks(context, once)) return listenToEnd(context, once);
	const data = fieldOf(context, 'runExecutionData');
	// Without the hooks, an execution that sleeps would look like a lost one.
	if (isRecord(data)) {
		lost.register(data, () => {
			if (!isOver) void report('lost');
		});
	}
	return true;
}

function listenToHooks(context: IExecuteFunctions, report: ReportEnd): boolean {
	const handlers = own(fieldOf(fieldOf(context, 'additionalData'), 'hooks'), 'handlers');
	const after = own(handlers, 'workflowExecuteAfter');
	if (!Array.isArray(after)) return false;
	after.push((run: unknown) => report(outcomeOf(run)));
	return true;
}

function listenToEnd(context: IExecuteFunctions, report: ReportEnd): boolean {
	const { onExecutionFinish } = context as Partial<IExecuteFunctions>;
	if (onExecutionFinish === undefined) return false;
	const isCanceled = context.getExecutionCancelSignal();
	onExecutionFinish.call(context, async () => {
		if (isCanceled?.aborted === true) {
			await report('canceled');
			return;
		}
		const error = own(own(fieldOf(context, 'runExecutionData'), 'resultData'), 'error');
		await report(error === undefined ? 'succeeded' : 'failed');
	});
	return true;
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
	success: 'succeeded',
	waiting: 'asleep',
	canceled: 'canceled',
};

/** `run` is n8n's `IRun`. An unknown status is a failure, so that the event is not taken for done. */
function outcomeOf(run: unknown): Outcome {
	const outcome = OUTCOMES[String(own(run, 'status'))] ?? 'failed';
	const hasError = own(own(own(run, 'data'), 'resultData'), 'error') !== undefined;
	return hasError && outcome === 'succeeded' ? 'failed' : outcome;
}

/** A field of an object of n8n that its types do not show, or that is inherited. */
function fieldOf(object: unknown, name: string): unknown {
	return typeof object === 'object' && object !== null
		? (object as Readonly<Record<string, unknown>>)[name]
		: undefined;
}
