import type { IPollFunctions, IRun } from 'n8n-workflow';
import { handOver } from '../../../../n8n/poll/handOver';

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
	const isSettled = await handOver(context, items, 'stored');
	expect(emitted).toEqual([[[{ json: { id: 'a' } }, { json: { id: 'b' } }]]]);
	return isSettled;
}

it.each<[string, boolean, IRun | Error | undefined]>([
	['ended', true, {} as IRun],
	['was cancelled by a person', true, new ManualExecutionCancelledError()],
	['could not be stored', false, new Error('database is locked')],
	['was dropped without a word', false, undefined],
])('says of a run that %s whether it was stored: %s', async (_what, isStored, end) => {
	expect(await outcome(end)).toBe(isStored);
});
