import type { IPollFunctions, IRun } from 'n8n-workflow';
import type { Acknowledge } from '../../../../lib/ledger';
import { handOver } from '../../../../n8n/poll/handOver';

class ManualExecutionCancelledError extends Error {}

/** The result of `handOver` when the execution ends like this. */
async function outcome(end: IRun | Error | undefined, acknowledge: Acknowledge) {
	const done = Promise.withResolvers<IRun | undefined>();
	const emitted: unknown[] = [];
	const context = {
		helpers: { createDeferredPromise: () => done },
		__emit: (items: unknown, _response: unknown, promise: unknown) => {
			emitted.push(items);
			expect(promise).toBe(done);
			if (end instanceof Error) done.reject(end);
			else done.resolve(end);
		},
	} as unknown as IPollFunctions;
	const items = [{ record: { id: 'a' } }, { record: { id: 'b' } }];
	const isSettled = await handOver(context, items, acknowledge);
	expect(emitted).toEqual([[[{ json: { id: 'a' } }, { json: { id: 'b' } }]]]);
	return isSettled;
}

const run = (status: string, error?: Error) =>
	({ status, data: { resultData: { error } } }) as IRun;
const FAILURE = new Error('database is locked');

it.each<[string, IRun | Error | undefined, boolean, boolean]>([
	['succeeded', run('success'), true, true],
	['was put to sleep by a Wait node', run('waiting'), true, true],
	['failed', run('error', FAILURE), true, false],
	['failed without a reason', run('crashed'), true, false],
	['names a failure although its status is success', run('success', FAILURE), true, false],
	['was cancelled by a person', new ManualExecutionCancelledError(), true, false],
	[
		'was cancelled, by the name of the error',
		Object.assign(new Error(), { name: 'ExecutionCancelledError' }),
		true,
		false,
	],
	['could not be stored', FAILURE, false, false],
	['was dropped without a word', undefined, false, false],
])('an execution that %s', async (_what, end, isStored, hasSucceeded) => {
	expect(await outcome(end, 'stored')).toBe(isStored);
	expect(await outcome(end, 'succeeded')).toBe(hasSucceeded);
});
