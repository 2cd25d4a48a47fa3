/**
 * Reports how an execution ends that a trigger has begun, from the process that runs it: by n8n's hooks (`hooks.ts`), otherwise by
 * `onExecutionFinish` of the context, which is public (n8n 2.33 and later) and says nothing of an execution that goes to sleep.
 */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Outcome } from '../../lib/ledger';
import { fieldOf, isRecord, own } from '../../lib/shared/values';
import { listenToHooks } from './hooks';

type ReportEnd = (outcome: Outcome) => Promise<void>;

/**
 * If n8n cannot save an execution, it calls no handler after its own, and the process, whose session lives, has lost the execution: so
 * one whose data the process no longer holds is lost (`test/integration/executionEnd.test.ts`).
 */
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
	if (!listenToHooks(context, once)) return listenToFinish(context, once);
	const data = fieldOf(context, 'runExecutionData');
	// Without the hooks, an execution that sleeps would look like a lost one.
	if (isRecord(data)) {
		lost.register(data, () => {
			if (!isOver) void report('lost');
		});
	}
	return true;
}

function listenToFinish(context: IExecuteFunctions, report: ReportEnd): boolean {
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
