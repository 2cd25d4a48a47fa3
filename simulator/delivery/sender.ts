/** Sends deliveries over HTTP and reports the receiver's response. Never throws. */
import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import type { DeliveryResult } from '../shared/types';
import type { SignedDelivery } from './signedDelivery';

/** Limit for the part of a response that is read and kept, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Whether the receiver acknowledged with a 2xx in time (specification 6.4 and section 7). */
export function isSuccess({ status, error }: DeliveryResult): boolean {
	return error === undefined && status >= 200 && status < 300;
}

export class Sender {
	private readonly agent: Agent;
	private readonly running = new Set<AbortController>();

	constructor(private readonly timeoutMs: number) {
		// The deadline below covers connecting, head and body. undici's own timeouts could only cut it short.
		this.agent = new Agent({ connectTimeout: 0, headersTimeout: 0, bodyTimeout: 0 });
	}

	async post(url: string, delivery: SignedDelivery): Promise<DeliveryResult> {
		const abort = new AbortController();
		const deadline = setTimeout(() => {
			abort.abort('timeout');
		}, this.timeoutMs);
		deadline.unref();
		this.running.add(abort);
		const result: DeliveryResult = { status: 0, headers: {}, body: '' };
		try {
			const answer = await request(url, {
				method: 'POST',
				headers: delivery.headers,
				body: delivery.body,
				dispatcher: this.agent,
				signal: abort.signal,
				// A new connection for each attempt: a reused one that the receiver has just closed
				// would cause failures that say nothing about the receiver.
				reset: true,
			});
			result.status = answer.statusCode;
			result.headers = singleHeaders(answer.headers);
			result.body = await beginning(answer.body);
			return result;
		} catch (error) {
			return {
				...result,
				error: abort.signal.aborted ? String(abort.signal.reason) : codeOf(error),
			};
		} finally {
			clearTimeout(deadline);
			this.running.delete(abort);
		}
	}

	/** Aborts all running attempts, which end with the error `stopped`. */
	async stop(): Promise<void> {
		for (const abort of this.running) abort.abort('stopped');
		await this.agent.destroy();
	}
}

function singleHeaders(
	headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
	);
}

async function beginning(body: Readable): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of body as AsyncIterable<Buffer>) {
		chunks.push(chunk);
		bytes += chunk.length;
		// Leaving the loop closes the connection.
		if (bytes >= MAX_ANSWER_BYTES) break;
	}
	return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8');
}

/** No `instanceof`: it is false for errors from outside a test's own realm. */
function codeOf(error: unknown): string {
	const { code, message } = error as { code?: unknown; message?: unknown };
	return String(code ?? message);
}
