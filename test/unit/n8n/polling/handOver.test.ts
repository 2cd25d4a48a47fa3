import type { IPollFunctions, IRun } from 'n8n-workflow';
import { handOver } from '../../../../n8n/polling/runPoll';

class ManualExecutionCancelledError extends Error {}

/** The result of `handOver` when the execution ends like this. */
async function outcome(end: IRun | Error | undefined) {
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
	const isStored = await handOver(context, items);
	expect(emitted).toEqual([[[{ json: { id: 'a' } }, { json: { id: 'b' } }]]]);
	return isStored;
}

const run = (status: string, error?: Error) =>
	({ status, data: { resultData: { error } } }) as IRun;
const FAILURE = new Error('database is locked');

it.each<[string, IRun | Error | undefined, boolean]>([
	['succeeded', run('success'), true],
	['failed', run('error', FAILURE), true],
	['was cancelled by a user', new ManualExecutionCancelledError(), true],
	[
		'was cancelled, by the name of the error',
		Object.assign(new Error(), { name: 'ExecutionCancelledError' }),
		true,
	],
	['could not be stored', FAILURE, false],
	['was dropped without a word', undefined, false],
])('whether n8n has stored an execution that %s', async (_what, end, isStored) => {
	expect(await outcome(end)).toBe(isStored);
});
