import { setImmediate as turn } from 'node:timers/promises';
import { dueSteps } from '../../../lib/endpoint';
import { PackageError } from '../../../lib/shared/errors';
import { gate } from '../../support/wait';

const AGAIN_AFTER_MS = 300_000;
const DAY_MS = 24 * 60 * 60 * 1000;

beforeEach(() => {
	jest.useFakeTimers({ now: 1_000_000, doNotFake: ['setImmediate', 'nextTick'] });
});
afterEach(() => {
	jest.useRealTimers();
});

const setUp = () => {
	// One per process, so drop the state of the previous test.
	dueSteps.end('key');
	const warnings: string[] = [];
	let taken = 0;
	let underWay = 0;
	let mostUnderWay = 0;
	let answer: () => Promise<number | undefined> = async () => undefined;
	const step = async () => {
		taken += 1;
		underWay += 1;
		mostUnderWay = Math.max(mostUnderWay, underWay);
		return await answer().finally(() => {
			underWay -= 1;
		});
	};
	const warn = (message: string) => warnings.push(message);
	return {
		plan: (at: number | undefined) => {
			dueSteps.plan('key', at, step, warn);
		},
		begin: () => {
			dueSteps.startNow('key', step, warn);
		},
		warnings,
		taken: () => taken,
		mostUnderWay: () => mostUnderWay,
		answerWith: (next: typeof answer) => {
			answer = next;
		},
		startNow: async () => {
			dueSteps.startNow('key', step, warn);
			await turn();
		},
	};
};

it('arms no timer when nothing will be due', () => {
	const { plan, begin } = setUp();
	plan(undefined);
	begin();
	expect(jest.getTimerCount()).toBe(0);
});

it('takes a step when it is due, and the next one when that step says', async () => {
	const { plan, taken, answerWith } = setUp();
	answerWith(async () => (taken() < 2 ? Date.now() + 2 * DAY_MS : undefined));
	plan(Date.now() + 5000);
	await jest.advanceTimersByTimeAsync(4999);
	expect(taken()).toBe(0);
	await jest.advanceTimersByTimeAsync(1);
	expect(taken()).toBe(1);
	await jest.advanceTimersByTimeAsync(DAY_MS);
	expect(taken()).toBe(2);
	expect(jest.getTimerCount()).toBe(0);
});

it('takes one step at a time', async () => {
	const { plan, begin, taken, mostUnderWay, answerWith } = setUp();
	const { opened: ended, open: end } = gate();
	answerWith(async () => {
		await ended;
		return undefined;
	});
	plan(Date.now() + 1000);
	for (let n = 0; n < 10; n += 1) begin();
	expect(dueSteps.isFree('key')).toBe(false);
	await jest.advanceTimersByTimeAsync(2000);
	expect(taken()).toBe(1);
	answerWith(async () => undefined);
	end();
	await jest.advanceTimersByTimeAsync(1000);
	expect(taken()).toBe(2);
	expect(mostUnderWay()).toBe(1);
});

it('takes none for five minutes after a failure, and reports its reason and hint', async () => {
	const { taken, warnings, answerWith, startNow } = setUp();
	answerWith(async () => await Promise.reject(new PackageError('no\nid', { hint: 'Delete it.' })));
	await startNow();
	await startNow();
	expect(taken()).toBe(1);
	expect(warnings).toEqual([expect.stringMatching(/will retry: no\ufffdid. Delete it\.$/)]);
	jest.setSystemTime(Date.now() + AGAIN_AFTER_MS);
	expect(dueSteps.isFree('key')).toBe(true);
	answerWith(async () => undefined);
	await startNow();
	await startNow();
	expect(taken()).toBe(3);
});

it('takes a planned step again five minutes after a failure', async () => {
	const { plan, taken, answerWith } = setUp();
	answerWith(async () => await Promise.reject(new Error('away')));
	plan(Date.now());
	await jest.advanceTimersByTimeAsync(100);
	answerWith(async () => undefined);
	await jest.advanceTimersByTimeAsync(AGAIN_AFTER_MS - 1);
	expect(taken()).toBe(1);
	await jest.advanceTimersByTimeAsync(1);
	expect(taken()).toBe(2);
	expect(jest.getTimerCount()).toBe(0);
});

it('drops planned steps, even while a step is running', async () => {
	const { plan, taken, answerWith } = setUp();
	plan(Date.now() + 1000);
	dueSteps.end('key');
	answerWith(async () => {
		dueSteps.end('key');
		return Date.now();
	});
	plan(Date.now());
	await jest.advanceTimersByTimeAsync(DAY_MS);
	expect(taken()).toBe(1);
	expect(jest.getTimerCount()).toBe(0);
});
