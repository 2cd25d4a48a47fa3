import { helperTransport, type TransportResponse } from '../../../lib/service';
import { rejection } from './world';

const request = { method: 'GET', url: 'https://example.com', headers: { a: 'b' } } as const;
const answer: TransportResponse = { status: 200, headers: { c: 'd' }, body: 'ok' };

describe('the transport through a helper', () => {
	it('passes the request on with a signal, and returns the response', async () => {
		const seen: unknown[] = [];
		const transport = helperTransport((given) => {
			seen.push(given);
			return Promise.resolve(answer);
		});
		expect(await transport(request)).toEqual(answer);
		expect(seen).toEqual([{ ...request, signal: expect.any(AbortSignal) as AbortSignal }]);
	});

	it('gives up in time on a helper that never responds, and aborts it', async () => {
		let signal: AbortSignal | undefined;
		const transport = helperTransport(
			(given) => {
				signal = given.signal;
				return new Promise(() => undefined);
			},
			{ timeoutMs: 20 },
		);
		expect(await rejection(transport(request))).toMatchObject({
			message: 'the response took too long',
			retryable: true,
		});
		expect(signal?.aborted).toBe(true);
	});

	it('ends with the reason of a caller who cancels', async () => {
		const caller = new AbortController();
		const transport = helperTransport(() => new Promise(() => undefined));
		const outcome = rejection(transport({ ...request, signal: caller.signal }));
		caller.abort(new Error('cancelled'));
		expect(await outcome).toMatchObject({ message: 'cancelled' });
	});

	it('rejects a response over the limit, counted in bytes', async () => {
		const transport = helperTransport(() => Promise.resolve({ ...answer, body: 'üü' }), {
			maxBodyBytes: 3,
		});
		expect(await rejection(transport(request))).toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
	});

	it('explains what the helper throws, and knows what may pass', async () => {
		const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
		for (const error of [reset, new Error('wrapped', { cause: reset })]) {
			const transport = helperTransport(() => Promise.reject(error));
			expect(await rejection(transport(request))).toMatchObject({
				message: 'the connection was reset',
				retryable: true,
			});
		}
	});

	it('passes a refusal of n8n on in its own words, for good', async () => {
		const blocked = Object.assign(new Error('The request was blocked because …'), {
			name: 'SsrfBlockedIpError',
			description: 'Ask your n8n administrator …',
		});
		const foreign = new Error('Domain not allowed: This credential is restricted …');
		for (const [error, hint] of [
			[blocked, 'Ask your n8n administrator …'],
			[foreign, undefined],
		] as const) {
			const transport = helperTransport(() => Promise.reject(error));
			expect(await rejection(transport(request))).toMatchObject({
				message: `n8n blocked the request: ${error.message}`,
				retryable: false,
				hint,
			});
		}
	});

	it('repeats nothing of an error that it does not know', async () => {
		const transport = helperTransport(() => Promise.reject(new Error('secret=hunter2')));
		const error = await rejection(transport(request));
		expect(error).toMatchObject({ message: 'the request failed', retryable: false });
	});
});
