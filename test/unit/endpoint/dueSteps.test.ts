import { setImmediate as turn } from 'node:timers/promises';
import { RegistrationError } from '../../../lib/endpoint';
import { dueSteps as steps, type DueStep } from '../../../lib/endpoint/dueSteps';
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
	steps.end('key');
	const warnings: string[] = [];
	let taken = 0;
	let underWay = 0;
	let mostUnderWay = 0;
	let answer: () => Promise<number | undefined> = async () => undefined;
	const due: DueStep = {
		step: async () => {
			taken += 1;
			underWay += 1;
			mostUnderWay = Math.max(mostUnderWay, underWay);
			return await answer().finally(() => {
				underWay -= 1;
			});
		},
		warn: (message) => warnings.push(message),
	};
	return {
		steps,
		due,
		warnings,
		taken: () => taken,
		mostUnderWay: () => mostUnderWay,
		answerWith: (next: typeof answer) => {
			answer = next;
		},
		startNow: async () => {
			steps.startNow('key', due);
			await turn();
		},
	};
};

it('arms no timer when nothing will be due', () => {
	const { steps, due } = setUp();
	steps.plan('key', undefined, due);
	steps.startNow('key', due);
	expect(jest.getTimerCount()).toBe(0);
});

it('takes a step when it is due, and the next one when that step says', async () => {
	const { steps, due, taken, answerWith } = setUp();
	answerWith(async () => (taken() < 2 ? Date.now() + 2 * DAY_MS : undefined));
	steps.plan('key', Date.now() + 5000, due);
	await jest.advanceTimersByTimeAsync(4999);
	expect(taken()).toBe(0);
	await jest.advanceTimersByTimeAsync(1);
	expect(taken()).toBe(1);
	await jest.advanceTimersByTimeAsync(DAY_MS);
	expect(taken()).toBe(2);
	expect(jest.getTimerCount()).toBe(0);
});

it('takes one step at a time', async () => {
	const { steps, due, taken, mostUnderWay, answerWith } = setUp();
	const { opened: ended, open: end } = gate();
	answerWith(async () => {
		await ended;
		return undefined;
	});
	steps.plan('key', Date.now() + 1000, due);
	for (let n = 0; n < 10; n += 1) steps.startNow('key', due);
	expect(steps.isFree('key')).toBe(false);
	await jest.advanceTimersByTimeAsync(2000);
	expect(taken()).toBe(1);
	answerWith(async () => undefined);
	end();
	await jest.advanceTimersByTimeAsync(1000);
	expect(taken()).toBe(2);
	expect(mostUnderWay()).toBe(1);
});

it('takes none for five minutes after a failure, and reports its reason and hint', async () => {
	const { steps, taken, warnings, answerWith, startNow } = setUp();
	answerWith(async () => await Promise.reject(new RegistrationError('no\nid', 'Delete it.')));
	await startNow();
	await startNow();
	expect(taken()).toBe(1);
	expect(warnings).toEqual([expect.stringMatching(/will retry: no\ufffdid. Delete it\.$/)]);
	jest.setSystemTime(Date.now() + AGAIN_AFTER_MS);
	expect(steps.isFree('key')).toBe(true);
	answerWith(async () => undefined);
	await startNow();
	await startNow();
	expect(taken()).toBe(3);
});

it('takes a planned step again five minutes after a failure', async () => {
	const { steps, due, taken, answerWith } = setUp();
	answerWith(async () => await Promise.reject(new Error('away')));
	steps.plan('key', Date.now(), due);
	await jest.advanceTimersByTimeAsync(100);
	answerWith(async () => undefined);
	await jest.advanceTimersByTimeAsync(AGAIN_AFTER_MS - 1);
	expect(taken()).toBe(1);
	await jest.advanceTimersByTimeAsync(1);
	expect(taken()).toBe(2);
	expect(jest.getTimerCount()).toBe(0);
});

it('drops planned steps, even while a step is running', async () => {
	const { steps, due, taken, answerWith } = setUp();
	steps.plan('key', Date.now() + 1000, due);
	steps.end('key');
	answerWith(async () => {
		steps.end('key');
		return Date.now();
	});
	steps.plan('key', Date.now(), due);
	await jest.advanceTimersByTimeAsync(DAY_MS);
	expect(taken()).toBe(1);
	expect(jest.getTimerCount()).toBe(0);
});
