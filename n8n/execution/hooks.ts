/**
 * The only use of something private in n8n: the handlers of `workflowExecuteAfter` in the lifecycle hooks of an execution.
 *
 * n8n's public `onExecutionFinish` (2.33 and later) says nothing of an execution that goes to sleep in a Wait node, which would then look
 * like one that still runs, and be interrupted when its process ends. n8n calls these handlers at the same moment with the outcome, one
 * after the other, its own first, which save the execution, and waits for them before it responds to a webhook and before a worker
 * finishes its job (measured on n8n 2.41.1). If one of its own rejects, for example because n8n cannot save the execution, n8n calls none
 * of the later ones, tries all of them once more, and gives up: the process lives, and the execution is lost. If an n8n has no such
 * hooks, `executionEnd.ts` uses what is public.
 */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Outcome } from '../../lib/ledger';
import { fieldOf, own } from '../../lib/shared/values';

type Handler = (run: unknown, ...more: unknown[]) => unknown;

/**
 * Calls `report` when the execution ends or goes to sleep, and n8n waits for it; also when n8n could not write that. False if this n8n
 * has no such hooks.
 */
export function listenToHooks(
	context: IExecuteFunctions,
	report: (outcome: Outcome) => Promise<void>,
): boolean {
	const handlers = own(fieldOf(fieldOf(context, 'additionalData'), 'hooks'), 'handlers');
	const after = own(handlers, 'workflowExecuteAfter');
	if (!Array.isArray(after)) return false;
	after.forEach((handler: Handler, index) => {
		after[index] = async function (this: unknown, run: unknown, ...more: unknown[]) {
			const handled = (async () => {
				await Reflect.apply(handler, this, [run, ...more]);
			})();
			handled.catch(() => {
				// After a stop, the last node may still be running.
				const isCanceled = outcomeOf(run) === 'canceled';
				void report(isCanceled ? 'canceled' : 'lost');
			});
			await handled;
		};
	});
	after.push((run: unknown) => report(outcomeOf(run)));
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
