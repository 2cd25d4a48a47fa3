/** A client of n8n's internal REST: JSON both ways, keeps the session cookie, turns refusals into errors with n8n's message. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { z } from 'zod/v4';

const REQUEST_MS = 60_000;
/** One connection per request: n8n closes one that is idle for 5 s, which on a busy machine may be just as it is reused. */
const dispatcher = new Agent({ pipelining: 0 });

/** n8n responded, but not with success. */
class N8nRefusal extends Error {
	override readonly name = 'N8nRefusal';
	constructor(
		readonly call: string,
		readonly status: number,
		/** n8n's error message. */
		readonly reason: string,
	) {
		super(`n8n answered ${call} with ${status}: ${reason}`);
	}
}

export interface Session {
	/** Sends `body` as JSON and parses the response; throws N8nRefusal unless the status is 2xx. Waits while n8n's database is not ready. */
	send<T>(
		method: string,
		path: string,
		shape: z.ZodType<T>,
		body?: unknown,
		headers?: Readonly<Record<string, string>>,
	): Promise<T>;
}

/** The response to `ask`, or undefined if n8n does not serve that path. */
export async function unlessNotFound<T>(ask: Promise<T>): Promise<T | undefined> {
	try {
		return await ask;
	} catch (error) {
		if (error instanceof N8nRefusal && error.status === 404) return undefined;
		throw error;
	}
}

/** On a busy machine, n8n does nothing for a moment while it waits for its database. */
const NOT_READY = 'Database is not ready';
const READY_MS = 60_000;
const PAUSE_MS = 500;

const Refusal = z.looseObject({ message: z.string() });

export function createSession(url: string): Session {
	let cookie: string | undefined;
	const session: Session = {
		async send(method, path, shape, body, headers) {
			const giveUpAt = performance.now() + READY_MS;
			for (;;) {
				try {
					return await ask(method, path, shape, body, headers);
				} catch (error) {
					const isNotReady = error instanceof N8nRefusal && error.reason.startsWith(NOT_READY);
					if (!isNotReady || performance.now() > giveUpAt) throw error;
				}
				await sleep(PAUSE_MS);
			}
		},
	};
	const ask: Session['send'] = async (method, path, shape, body, headers) => {
		const response = await fetch(`${url}${path}`, {
			method,
			headers: {
				accept: 'application/json',
				...(body !== undefined && { 'content-type': 'application/json' }),
				...(cookie && { cookie: `n8n-auth=${cookie}` }),
				...headers,
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(REQUEST_MS),
			dispatcher,
		});
		for (const line of response.headers.getSetCookie()) {
			cookie = /^n8n-auth=([^;]+)/.exec(line)?.[1] ?? cookie;
		}
		const text = await response.text();
		if (!response.ok) {
			throw new N8nRefusal(`${method} ${path}`, response.status, reasonIn(text));
		}
		return shape.parse(JSON.parse(text));
	};
	return session;
}

function reasonIn(text: string): string {
	try {
		const refusal = Refusal.safeParse(JSON.parse(text));
		if (refusal.success) return refusal.data.message;
	} catch {
		// Not JSON: shown as it is.
	}
	return text.slice(0, 300);
}
