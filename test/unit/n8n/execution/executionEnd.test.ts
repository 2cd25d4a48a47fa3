/** How the end of an execution is noticed: see test/integration/executionEnd.test.ts for n8n's own engine. */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Outcome } from '../../../../lib/ledger';
import { onExecutionEnd } from '../../../../n8n/execution/executionEnd';
import { gate } from '../../../support/wait';

type Handler = (run?: unknown) => Promise<void>;

/** An execution on an n8n with or without hooks that the node can find, and with or without `onExecutionFinish`. */
function execution({ hasHooks = true, isPublic = true } = {}) {
	const after: Handler[] = [];
	const finish: Handler[] = [];
	const abort = new AbortController();
	const data = { resultData: {} as { error?: Error } };
	const context = {
		runExecutionData: data,
		additionalData: { hooks: hasHooks ? { handlers: { workflowExecuteAfter: after } } : {} },
		getExecutionCancelSignal: () => abort.signal,
		...(isPublic && { onExecutionFinish: (handler: Handler) => void finish.push(handler) }),
	};
	const outcomes: Outcome[] = [];
	const isReported = onExecutionEnd(context as unknown as IExecuteFunctions, async (outcome) => {
		outcomes.push(outcome);
	});
	return { after, finish, abort, data, outcomes, isReported };
}

describe('by the hooks of the execution', () => {
	const error = { resultData: { error: new Error('a node failed') } };

	it.each([
		[{ status: 'success' }, 'succeeded'],
		[{ status: 'success', data: { resultData: {} } }, 'succeeded'],
		[{ status: 'success', data: error }, 'failed'],
		[{ status: 'error', data: error }, 'failed'],
		[{ status: 'crashed' }, 'failed'],
		[{ status: 'canceled', data: error }, 'canceled'],
		[{ status: 'waiting' }, 'asleep'],
		[{ status: 'a status of a later n8n' }, 'failed'],
		[{}, 'failed'],
		[undefined, 'failed'],
	])('%j is %s', async (run, outcome) => {
		const { after, finish, outcomes, isReported } = execution();
		expect([isReported, after.length, finish.length]).toEqual([true, 1, 0]);
		await after[0]?.(run);
		expect(outcomes).toEqual([outcome]);
	});

	it('comes after n8n has saved the execution, and n8n waits for the report', async () => {
		const save = jest.fn();
		const after: Handler[] = [save];
		const { opened, open } = gate();
		const hooks = { handlers: { workflowExecuteAfter: after } };
		onExecutionEnd({ additionalData: { hooks } } as unknown as IExecuteFunctions, () => opened);
		await after[0]?.();
		expect(save).toHaveBeenCalledTimes(1);
		const reported = jest.fn();
		const reporting = after[1]?.({ status: 'success' }).then(reported);
		await new Promise(setImmediate);
		expect(reported).not.toHaveBeenCalled();
		open();
		await reporting;
	});
});

describe('by `onExecutionFinish` where there are no such hooks', () => {
	it.each([
		['succeeded', undefined, false, 'succeeded'],
		['failed', new Error('a node failed'), false, 'failed'],
		['was stopped', undefined, true, 'canceled'],
		['was stopped within a node', new Error('aborted'), true, 'canceled'],
	])('an execution that %s', async (_how, error, isStopped, outcome) => {
		const { finish, abort, data, outcomes, isReported } = execution({ hasHooks: false });
		expect(isReported).toBe(true);
		if (error) data.resultData.error = error;
		if (isStopped) abort.abort();
		await finish[0]?.();
		expect(outcomes).toEqual([outcome]);
	});
});

it('is not noticed by an n8n that has neither', () => {
	expect(execution({ hasHooks: false, isPublic: false }).isReported).toBe(false);
});

describe('of an execution that n8n cannot save', () => {
	/** With n8n's own handler, called with the hooks as `this`. */
	const saved = (save: (this: unknown, ...given: unknown[]) => unknown) => {
		const after: unknown[] = [save];
		const hooks = { handlers: { workflowExecuteAfter: after }, executionId: '4711' };
		const outcomes: Outcome[] = [];
		onExecutionEnd(
			{ additionalData: { hooks } } as unknown as IExecuteFunctions,
			async (outcome) => {
				outcomes.push(outcome);
			},
		);
		/** As n8n does it: one handler after the other, until one rejects. */
		const end = async (...given: unknown[]): Promise<void> => {
			for (const handler of after) await Reflect.apply(handler as Handler, hooks, given);
		};
		return { hooks, outcomes, end };
	};
	const locked = new Error('database is locked');

	it.each([
		['success', 'lost'],
		['error', 'lost'],
		['waiting', 'lost'],
		['canceled', 'canceled'],
	])('that ends with %s is %s, and n8n gets its error', async (status, outcome) => {
		const { outcomes, end } = saved(async () => {
			throw locked;
		});
		await expect(end({ status })).rejects.toBe(locked);
		expect(outcomes).toEqual([outcome]);
	});

	it('is what the second try says if that can be saved', async () => {
		const save = jest.fn().mockRejectedValueOnce(locked).mockResolvedValue(undefined);
		const { outcomes, end } = saved(save);
		await expect(end({ status: 'success' })).rejects.toBe(locked);
		await end({ status: 'error' });
		expect(outcomes).toEqual(['lost', 'failed']);
	});

	it('n8n’s own handlers get what n8n gives them, also one that is not asynchronous', async () => {
		const save = jest.fn();
		const { hooks, outcomes, end } = saved(save);
		await end({ status: 'success' }, { cursor: 1 });
		expect(save.mock.contexts).toEqual([hooks]);
		expect(save.mock.calls).toEqual([[{ status: 'success' }, { cursor: 1 }]]);
		expect(outcomes).toEqual(['succeeded']);
	});
});
