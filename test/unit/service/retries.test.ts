import { getEventListeners } from 'node:events';
import type { TransportRequest, TransportResponse } from '../../../lib/service';
import {
	withRetries,
	TransportError,
	raceSignal,
	systemRuntime,
} from '../../../lib/service/transport';
import { fakeRuntime, rejection } from './world';

const request = { method: 'GET', url: 'https://example.com', headers: {} } as const;
const answer = (status: number, headers: Record<string, string> = {}): TransportResponse => ({
	status,
	headers,
	body: '',
});

/** What becomes of a request to a service with these outcomes, one after the other, the last one for good. */
async function send(outcomes: (TransportResponse | Error)[], random = 0) {
	const runtime = fakeRuntime({ random });
	let sent = 0;
	const transport = async () => {
		const outcome = outcomes[Math.min(sent++, outcomes.length - 1)];
		if (outcome instanceof Error) throw outcome;
		return outcome ?? answer(200);
	};
	const result = await withRetries(transport, { runtime })(request).catch(
		(error: unknown) => error,
	);
	return { result, sent, slept: runtime.slept };
}

describe('a request that changes nothing', () => {
	it.each([408, 425, 429, 500, 502, 503, 504])('is tried again after %d', async (status) => {
		const { result, sent } = await send([answer(status), answer(200)]);
		expect(result).toMatchObject({ status: 200 });
		expect(sent).toBe(2);
	});

	it.each([200, 204, 301, 400, 401, 403, 404, 409, 501])(
		'is not tried again after %d',
		async (status) => {
			const { result, sent } = await send([answer(status)]);
			expect(result).toMatchObject({ status });
			expect(sent).toBe(1);
		},
	);

	it('is tried again after a failure of the network, at most 4 times', async () => {
		const error = new TransportError('the connection was reset', { retryable: true });
		expect(await send([error])).toMatchObject({ result: error, sent: 5 });
	});

	it('is not tried again after a failure that will not pass, nor after a cancellation', async () => {
		const expired = new TransportError('its certificate has expired', { retryable: false });
		for (const error of [expired, new Error('cancelled')]) {
			const { result, sent } = await send([error]);
			expect(result).toBe(error);
			expect(sent).toBe(1);
		}
	});

	it('waits longer each time, and by chance up to half as long', async () => {
		const { slept: longest } = await send([answer(503)]);
		expect(longest).toEqual([500, 1000, 2000, 4000]);
		const { slept: shortest } = await send([answer(503)], 0.999);
		expect(shortest.map((ms) => Math.round(ms / 10) * 10)).toEqual([250, 500, 1000, 2000]);
	});

	it('waits as long as Retry-After asks, in seconds or until a date', async () => {
		for (const after of ['7', new Date(fakeRuntime().now() + 7000).toUTCString()]) {
			const { slept } = await send([answer(429, { 'retry-after': after }), answer(200)]);
			expect(slept).toEqual([7000]);
		}
	});

	it('never waits less than Retry-After asks, and a little more by chance', async () => {
		const { slept } = await send([answer(429, { 'retry-after': '2' }), answer(200)], 0.5);
		expect(slept).toEqual([2125]);
	});

	it.each([60, 61])(
		'ends at once when Retry-After asks for all that is left or more, and says for how long: %d s',
		async (asked) => {
			const outcome = await send([answer(429, { 'retry-after': String(asked) })]);
			const result = { waitSeconds: asked, status: 429 };
			expect(outcome).toMatchObject({ result, slept: [], sent: 1 });
		},
	);

	it.each([{}, { 'retry-after': '0' }])(
		'returns its last response and names no wait if none is requested: %j',
		async (headers) => {
			expect((await send([answer(503, headers)])).result).toEqual(answer(503, headers));
		},
	);

	it('takes 60 s in all, the waits asked for included', async () => {
		const outcome = await send([answer(503, { 'retry-after': '25' })]);
		const slept = [25_000, 25_000];
		expect(outcome).toMatchObject({ result: { waitSeconds: 25 }, slept, sent: 3 });
	});

	describe('that is not answered', () => {
		beforeEach(() => {
			jest.useFakeTimers();
		});
		afterEach(() => {
			jest.useRealTimers();
		});

		it.each([
			['as a retry', [answer(503)], [false, true]],
			['as the first attempt', [], [true]],
		])('is cut off %s when the 60 s for all attempts are over', async (_, answers, cut) => {
			const signals: (AbortSignal | undefined)[] = [];
			const transport = async ({ signal }: TransportRequest): Promise<TransportResponse> => {
				const given = answers[signals.push(signal) - 1];
				return given ?? (await raceSignal(new Promise<never>(() => undefined), signal));
			};
			const areCut = () => signals.map((signal) => signal?.aborted);
			const runtime = { ...systemRuntime, random: () => 0 };
			const error = rejection(withRetries(transport, { runtime })(request));
			await jest.advanceTimersByTimeAsync(59_999);
			expect(areCut()).toEqual(cut.map(() => false));
			await jest.advanceTimersByTimeAsync(1);
			expect(await error).toMatchObject({ message: 'the response took too long' });
			expect(areCut()).toEqual(cut);
		});
	});

	it('leaves no timer and no listener behind', async () => {
		jest.useFakeTimers();
		const { signal } = new AbortController();
		await withRetries(async () => answer(200))({ ...request, signal });
		expect([jest.getTimerCount(), getEventListeners(signal, 'abort')]).toEqual([0, []]);
		jest.useRealTimers();
	});

	it('stops waiting when it is cancelled', async () => {
		const caller = new AbortController();
		let sent = 0;
		const transport = async () => {
			sent += 1;
			return answer(503, { 'retry-after': '30' });
		};
		const response = withRetries(transport)({ ...request, signal: caller.signal });
		setImmediate(() => {
			caller.abort(new Error('enough'));
		});
		expect(await rejection(response)).toMatchObject({ message: 'enough' });
		expect(sent).toBe(1);
	});
});

describe('Retry-After', () => {
	it.each([
		['40', 40_000],
		['1.25', 1250],
		[' 40 ', 40_000],
		['0', 0],
		['Thu, 01 Jan 2026 00:00:50 GMT', 50_000],
		['Thursday, 01-Jan-26 00:00:50 GMT', 50_000],
		['Thu Jan  1 00:00:50 2026', 50_000],
		['Thu, 01 Jan 2025 00:00:00 GMT', 0],
		...['soon', '0x10', 'after Thu, 01 Jan 2026 00:00:50 GMT', '-5', '2026-01-01', ''].map(
			// As without the header.
			(value): [string, number] => [value, 500],
		),
	])('of %p asks for %p ms', async (value, expected) => {
		const { slept } = await send([answer(503, { 'retry-after': value }), answer(200)]);
		expect(slept).toEqual([expected]);
	});
});
