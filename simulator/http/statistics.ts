/** Counts requests and connections, so tests can see what a client really did. */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestStat } from '../shared/types';
import { isControl, pathOf, queryOf, TOKEN_PATH } from './request';

const MAX_REQUESTS = 100_000;

interface HttpStats {
	tokenRequests: number;
	connections: number;
	readonly requests: RequestStat[];
}

export function countRequests(fastify: FastifyInstance): HttpStats {
	const stats: HttpStats = { tokenRequests: 0, connections: 0, requests: [] };
	const seen = new WeakSet<Socket>();
	const entries = new WeakMap<FastifyRequest, RequestStat>();

	fastify.addHook('onRequest', async (request) => {
		if (isControl(request)) return;
		const entry = {
			method: request.method,
			path: pathOf(request),
			query: queryOf(request),
			status: 0,
		};
		entries.set(request, entry);
		if (stats.requests.push(entry) > MAX_REQUESTS) stats.requests.shift();
		if (entry.path === TOKEN_PATH) stats.tokenRequests += 1;
		if (!seen.has(request.raw.socket)) {
			seen.add(request.raw.socket);
			stats.connections += 1;
		}
	});
	// Before the response is sent, so a client that has received it finds it counted.
	fastify.addHook('onSend', async (request, reply) => {
		const entry = entries.get(request);
		if (entry) entry.status = reply.statusCode;
	});
	return stats;
}
