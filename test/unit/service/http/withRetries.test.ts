import type { TransportRequest, TransportResponse } from '../../../../lib/service';
import { TransportError } from '../../../../lib/service/common/errors';
import { systemRuntime } from '../../../../lib/service/http/runtime';
import { retryAfterMs, withRetries } from '../../../../lib/service/http/withRetries';
import { fakeRuntime, rejection } from '../world';

const request = { method: 'GET', url: 'https://example.com', headers: {} } as const;
const answer = (status: number, headers: Record<string, string> = {}): TransportResponse => ({
	status,
	headers,
	body: '',
});
const broken = () => new TransportError('the connection was reset', { retryable: true });

/** Gives these outcomes one after the other, the last one for good. */
function transportOf(...outcomes: (TransportResponse | Error)[]) {
	let sent = 0;
	return {
		sent: () => sent,
		transport: () => {
			const outcome = outcomes[Math.min(sent++, outcomes.length - 1)];
			return outcome instanceof Error
				? Promise.reject(outcome)
				: Promise.resolve(outcome ?? answer(200));
		},
	};
}

describe('a request that changes nothing', () => {
	it.each([408, 425, 429, 500, 502, 503, 504])('is tried again after %d', async (status) => {
		const { transport, sent } = transportOf(answer(status), answer(200));
		const response = await withRetries(transport, { runtime: fakeRuntime() })(request);
		expect(response.status).toBe(200);
		expect(sent()).toBe(2);
	});

	it.each([200, 204, 301, 400, 401, 403, 404, 409, 501])(
		'is not tried again after %d',
		async (status) => {
			const { transport, sent } = transportOf(answer(status));
			const response = await withRetries(transport, { runtime: fakeRuntime() })(request);
			expect(response.status).toBe(status);
			expect(sent()).toBe(1);
		},
	);

	it('is tried again after a failure of the network, at most 4 times', async () => {
		const { transport, sent } = transportOf(broken());
		const error = await rejection(withRetries(transport, { runtime: fakeRuntime() })(request));
		expect(error).toMatchObject({ name: 'TransportError', message: 'the connection was reset' });
		expect(sent()).toBe(5);
	});

	it('is not tried again after a failure that will not pass, nor after a cancellation', async () => {
		for (const error of [
			new TransportError('its certificate has expired', { retryable: false }),
			new Error('cancelled'),
		]) {
			const { transport, sent } = transportOf(error);
			expect(await rejection(withRetries(transport, { runtime: fakeRuntime() })(request))).toBe(
				error,
			);
			expect(sent()).toBe(1);
		}
	});

	it('waits longer each time, and by chance up to half as long', async () => {
		const longest = fakeRuntime({ random: 0 });
		await withRetries(transportOf(answer(503)).transport, { runtime: longest })(request);
		expect(longest.slept).toEqual([500, 1000, 2000, 4000]);
		const shortest = fakeRuntime({ random: 0.999 });
		await withRetries(transportOf(answer(503)).transport, { runtime: shortest })(request);
		expect(shortest.slept.map((ms) => Math.round(ms / 10) * 10)).toEqual([250, 500, 1000, 2000]);
	});

	it('waits as long as Retry-After asks, in seconds or until a date', async () => {
		for (const after of ['7', new Date(fakeRuntime().now() + 7000).toUTCString()]) {
			const runtime = fakeRuntime();
			const { transport } = transportOf(answer(429, { 'retry-after': after }), answer(200));
			await withRetries(transport, { runtime })(request);
			expect(runtime.slept).toEqual([7000]);
		}
	});

	it('never waits less than Retry-After asks, and a little more by chance', async () => {
		const runtime = fakeRuntime({ random: 0.5 });
		const { transport } = transportOf(answer(429, { 'retry-after': '2' }), answer(200));
		await withRetries(transport, { runtime })(request);
		expect(runtime.slept).toEqual([2125]);
	});

	it.each([60, 61])(
		'ends at once when Retry-After asks for all that is left or more, and says for how long: %d s',
		async (asked) => {
			const runtime = fakeRuntime();
			const { transport, sent } = transportOf(answer(429, { 'retry-after': String(asked) }));
			const response = await withRetries(transport, { runtime })(request);
			expect(response).toMatchObject({ waitSeconds: asked, status: 429 });
			expect(runtime.slept).toEqual([]);
			expect(sent()).toBe(1);
		},
	);

	it.each([{}, { 'retry-after': '0' }])(
		'gives its last answer and names no wait when none is asked for: %j',
		async (headers) => {
			const { transport } = transportOf(answer(503, headers));
			const response = await withRetries(transport, { runtime: fakeRuntime() })(request);
			expect(response).toEqual(answer(503, headers));
		},
	);

	it('takes 60 s in all, the waits asked for included', async () => {
		const runtime = fakeRuntime();
		const { transport, sent } = transportOf(answer(503, { 'retry-after': '25' }));
		const response = await withRetries(transport, { runtime })(request);
		expect(runtime.slept).toEqual([25_000, 25_000]);
		expect(response.waitSeconds).toBe(25);
		expect(sent()).toBe(3);
	});

	describe('that is not answered', () => {
		beforeEach(() => {
			jest.useFakeTimers();
		});
		afterEach(() => {
			jest.useRealTimers();
		});

		/** Answers the first attempts as given, and the one after them when it is told or cut off. */
		function transportThatHangs(...answers: TransportResponse[]) {
			const signals: (AbortSignal | undefined)[] = [];
			let answerLate: (response: TransportResponse) => void = () => undefined;
			const transport = ({ signal }: TransportRequest): Promise<TransportResponse> => {
				const given = answers[signals.push(signal) - 1];
				if (given) return Promise.resolve(given);
				return new Promise((resolve, reject) => {
					answerLate = resolve;
					signal?.addEventListener('abort', () => {
						reject(signal.reason as Error);
					});
				});
			};
			return {
				transport,
				signals,
				answerLate: (response: TransportResponse) => {
					answerLate(response);
				},
			};
		}

		it('is cut off as a retry when the 60 s for all attempts are over', async () => {
			const { transport, signals } = transportThatHangs(answer(503));
			const runtime = { ...systemRuntime, random: () => 0 };
			const error = rejection(withRetries(transport, { runtime })(request));
			await jest.advanceTimersByTimeAsync(59_999);
			expect(signals.map((signal) => signal?.aborted)).toEqual([false, false]);
			await jest.advanceTimersByTimeAsync(1);
			expect(await error).toMatchObject({ message: 'the answer took too long' });
			expect(signals.map((signal) => signal?.aborted)).toEqual([false, true]);
		});

		it('is cut off as the first attempt when the 60 s are over', async () => {
			const { transport, signals } = transportThatHangs();
			const error = rejection(withRetries(transport)(request));
			await jest.advanceTimersByTimeAsync(59_999);
			expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
			await jest.advanceTimersByTimeAsync(1);
			expect(await error).toMatchObject({ message: 'the answer took too long' });
			expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
		});

		it('is answered late but within the 60 s', async () => {
			const { transport, answerLate } = transportThatHangs();
			const response = withRetries(transport)(request);
			await jest.advanceTimersByTimeAsync(59_999);
			answerLate(answer(200));
			expect((await response).status).toBe(200);
		});
	});

	it('stops waiting when it is cancelled', async () => {
		const caller = new AbortController();
		const { transport, sent } = transportOf(answer(503, { 'retry-after': '30' }));
		const response = withRetries(transport)({ ...request, signal: caller.signal });
		setImmediate(() => {
			caller.abort(new Error('enough'));
		});
		expect(await rejection(response)).toMatchObject({ message: 'enough' });
		expect(sent()).toBe(1);
	});
});

describe('Retry-After', () => {
	const now = Date.UTC(2026, 0, 1);
	it.each([
		['120', 120_000],
		['1.25', 1250],
		[' 120 ', 120_000],
		['0', 0],
		['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
		['Thursday, 01-Jan-26 00:01:00 GMT', 60_000],
		['Thu Jan  1 00:01:00 2026', 60_000],
		['Thu, 01 Jan 2025 00:00:00 GMT', 0],
		['soon', undefined],
		['0x10', undefined],
		['after Thu, 01 Jan 2026 00:01:00 GMT', undefined],
		['-5', undefined],
		['2026', 2_026_000],
		['2026-01-01', undefined],
		['', undefined],
	])('of %p asks for %p ms', (value, expected) => {
		expect(retryAfterMs({ 'retry-after': value }, now)).toBe(expected);
	});

	it('that is not there asks for nothing', () => {
		expect(retryAfterMs({}, now)).toBeUndefined();
	});
});
