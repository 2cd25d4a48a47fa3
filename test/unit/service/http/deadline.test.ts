import { getEventListeners } from 'node:events';
import { createDeadline, raceSignal } from '../../../../lib/service/transport';
import { rejection } from '../world';

describe('a deadline', () => {
	beforeEach(() => {
		jest.useFakeTimers();
	});
	afterEach(() => {
		jest.useRealTimers();
	});

	it('counts from its last restart, and what it ends can be tried again', () => {
		const deadline = createDeadline(undefined);
		deadline.restart(100, 'the connection took too long');
		jest.advanceTimersByTime(99);
		deadline.restart(100, 'the response took too long');
		jest.advanceTimersByTime(99);
		expect(deadline.signal.aborted).toBe(false);
		jest.advanceTimersByTime(1);
		expect(deadline.signal.reason).toMatchObject({
			name: 'TransportError',
			message: 'the response took too long',
			code: 'ETIMEDOUT',
			retryable: true,
		});
	});

	it('passes on that its caller cancels, or had cancelled before', () => {
		const reason = new Error('enough');
		const caller = new AbortController();
		const { signal } = createDeadline(caller.signal);
		expect(signal.aborted).toBe(false);
		caller.abort(reason);
		expect(signal.reason).toBe(reason);
		expect(createDeadline(caller.signal).signal.reason).toBe(reason);
	});

	it('aborts nothing after its end, and leaves nothing behind', () => {
		const caller = new AbortController();
		const deadline = createDeadline(caller.signal);
		deadline.restart(100, 'the response took too long');
		deadline.end();
		expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
		expect(jest.getTimerCount()).toBe(0);
		caller.abort();
		expect(deadline.signal.aborted).toBe(false);
	});
});

describe('work that may ignore a cancel', () => {
	const never = new Promise<never>(() => undefined);

	it.each([undefined, new AbortController().signal])('is waited for: %p', async (signal) => {
		expect(await raceSignal(Promise.resolve('done'), signal)).toBe('done');
		const failure = new Error('failed');
		expect(await rejection(raceSignal(Promise.reject(failure), signal))).toBe(failure);
		if (signal) expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('is left when it is cancelled, and not begun to wait for after that', async () => {
		const reason = new Error('enough');
		const caller = new AbortController();
		const left = rejection(raceSignal(never, caller.signal));
		caller.abort(reason);
		expect(await left).toBe(reason);
		expect(await rejection(raceSignal(never, caller.signal))).toBe(reason);
	});

	it('is left with an error even when the reason is none', async () => {
		const error = await rejection(raceSignal(never, AbortSignal.abort('enough')));
		expect(error).toEqual(new Error('The operation was cancelled.'));
	});
});
