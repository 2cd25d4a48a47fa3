import type { IPollFunctions, IRun } from 'n8n-workflow';
import type { Acknowledge } from '../../../../lib/ledger';
import { handOver } from '../../../../n8n/poll/handOver';

class ManualExecutionCancelledError extends Error {}

/** What `handOver` says when n8n settles the run so. */
async function outcome(
	settle: (done: PromiseWithResolvers<IRun | undefined>) => void,
	acknowledge: Acknowledge = 'stored',
) {
	const done = Promise.withResolvers<IRun | undefined>();
	const emitted: unknown[] = [];
	const context = {
		helpers: { createDeferredPromise: () => done },
		__emit: (items: unknown, _response: unknown, promise: unknown) => {
			emitted.push(items);
			expect(promise).toBe(done);
			settle(done);
		},
	} as unknown as IPollFunctions;
	const items = [{ record: { id: 'a' } }, { record: { id: 'b' } }];
	const isSettled = await handOver(context, items, acknowledge);
	expect(emitted).toEqual([[[{ json: { id: 'a' } }, { json: { id: 'b' } }]]]);
	return isSettled;
}

it.each([
	[
		'ended',
		true,
		(done: PromiseWithResolvers<IRun | undefined>) => {
			done.resolve({} as IRun);
		},
	],
	[
		'was cancelled by a person',
		true,
		(done: PromiseWithResolvers<IRun | undefined>) => {
			done.reject(new ManualExecutionCancelledError());
		},
	],
	[
		'could not be stored',
		false,
		(done: PromiseWithResolvers<IRun | undefined>) => {
			done.reject(new Error('database is locked'));
		},
	],
	[
		'was dropped without a word',
		false,
		(done: PromiseWithResolvers<IRun | undefined>) => {
			done.resolve(undefined);
		},
	],
])('says of a run that %s whether it was stored: %s', async (_what, isStored, settle) => {
	expect(await outcome(settle)).toBe(isStored);
});
