/** Applies faults: responds, delays or resets in place of the service, or alters its real response. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Service } from '../service/service';
import type { Fault } from '../shared/types';
import { bearerToken } from './authorize';
import { errorBody } from './errors';
import { isControl, pathOf, queryOf } from './request';

/** Time for a caller to read the data sent before a reset. Received together, both would look like a normal end. */
const READ_MS = 20;

const faults = new WeakMap<FastifyRequest, Fault>();

/** The fault of this request, for code that applies it later. */
export function faultOf(request: FastifyRequest): Fault | undefined {
	return faults.get(request);
}

export function injectFaults(fastify: FastifyInstance, service: Service): void {
	fastify.addHook('onRequest', async (request, reply) => {
		if (isControl(request)) return;
		const fault = service.faults.take({
			method: request.method,
			path: pathOf(request),
			query: queryOf(request),
		});
		if (!fault) return;
		faults.set(request, fault);
		if (fault.delayMs !== undefined) await sleep(fault.delayMs, undefined, { ref: false });
		if (fault.reset !== undefined && fault.reset !== false) {
			await reset(request, reply, fault.reset === 'midBody');
			return;
		}
		if (fault.revokeToken) service.tokens.revoke(bearerToken(request.headers.authorization) ?? '');
		if (answersItself(fault)) await answer(fault, reply);
	});
	fastify.addHook('preSerialization', async (request, _reply, payload) =>
		without(payload, faultOf(request)?.omitFields ?? []),
	);
}

function answersItself({ status, retryAfter, body }: Fault): boolean {
	return status !== undefined || retryAfter !== undefined || body !== undefined;
}

async function answer(fault: Fault, reply: FastifyReply): Promise<void> {
	const { retryAfter, body } = fault;
	const status = fault.status ?? (retryAfter === undefined ? 200 : 429);
	if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
	const text =
		typeof body === 'string'
			? body
			: JSON.stringify(body ?? errorBody(status, 'A fault was asked for.'));
	await reply.code(status).type('application/json').send(text);
}

/** With a TCP reset, which a caller sees as ECONNRESET and not as a normal end. */
async function reset(
	request: FastifyRequest,
	reply: FastifyReply,
	midBody: boolean,
): Promise<void> {
	reply.hijack();
	if (midBody) {
		reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000000' });
		reply.raw.write('{"data":{"hasMore":false,"items":[');
		await sleep(READ_MS, undefined, { ref: false });
		// A caller in this process reads between a timer and the next turn of the event loop, even if the timer is late.
		await nextTurn();
	}
	request.raw.socket.resetAndDestroy();
}

function without(payload: unknown, fields: readonly string[]): unknown {
	if (fields.length === 0 || typeof payload !== 'object' || payload === null) return payload;
	const { data } = payload as { data?: unknown };
	if (typeof data !== 'object' || data === null) return payload;
	const kept = Object.entries(data).filter(([name]) => !fields.includes(name));
	return { ...payload, data: Object.fromEntries(kept) };
}
