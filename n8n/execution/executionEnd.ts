/**
 * Reports how an execution ends that a trigger has begun, from the process that runs it: by n8n's hooks (`hooks.ts`), otherwise by
 * `onExecutionFinish` of the context, which is public (n8n 2.33 and later) and says nothing of an execution that goes to sleep.
 */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Outcome } from '../../lib/ledger';
import { fieldOf, own } from '../../lib/shared/values';
import { listenToHooks } from './hooks';

type ReportEnd = (outcome: Outcome) => Promise<void>;

/** Calls `report` at the end, perhaps more than once. `report` never rejects. False if this n8n does not report the end. */
export function onExecutionEnd(context: IExecuteFunctions, report: ReportEnd): boolean {
	return listenToHooks(context, report) || listenToFinish(context, report);
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
