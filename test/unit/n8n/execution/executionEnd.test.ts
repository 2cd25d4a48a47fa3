/** How the end of an execution is noticed: see test/integration/executionEnd.test.ts for n8n's own engine. */
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Outcome } from '../../../../lib/ledger';
import { onExecutionEnd } from '../../../../n8n/execution/executionEnd';
import { collectGarbage, collectUntil } from '../../../support/garbage';
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
		expect(after).toEqual([save, expect.any(Function)]);
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

describe('of an execution whose data nothing holds any more', () => {
	/** Without the data. */
	const lost = (options?: Parameters<typeof execution>[0]) => {
		const { after, finish, outcomes } = execution(options);
		return { after, finish, outcomes };
	};

	it('is that it was lost', async () => {
		// n8n may still hold the handlers.
		const { after, outcomes } = lost();
		await collectUntil(() => outcomes.length > 0, 'the loss to be reported');
		expect(outcomes).toEqual(['lost']);
		expect(after.length).toBe(1);
	});

	it('is not reported without hooks: the execution may be asleep', async () => {
		const { finish, outcomes } = lost({ hasHooks: false });
		await collectGarbage();
		expect(outcomes).toEqual([]);
		expect(finish.length).toBe(1);
	});

	it.each([true, false])('is the one reported before, with hooks: %s', async (hasHooks) => {
		const { after, finish, outcomes } = lost({ hasHooks });
		await [...after, ...finish][0]?.({ status: 'success' });
		await collectGarbage();
		expect(outcomes).toEqual(['succeeded']);
	});
});
