/** Small helpers for requests, used by several parts. */
import type { FastifyRequest } from 'fastify';

export const TOKEN_PATH = '/oauth/token';

/** Everything below it belongs to the simulator and not to the service. */
export const CONTROL_PREFIX = '/_simulator';

export function pathOf(request: FastifyRequest): string {
	return request.url.replace(/\?.*$/s, '');
}

export function queryOf(request: FastifyRequest): Record<string, string> {
	return Object.fromEntries(new URLSearchParams(request.url.replace(/^[^?]*/, '')));
}

export function isControl(request: FastifyRequest): boolean {
	const path = pathOf(request);
	return path === CONTROL_PREFIX || path.startsWith(`${CONTROL_PREFIX}/`);
}
