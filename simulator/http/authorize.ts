/** Accepts only requests with a valid access token that has the scope of the route. */
import type { onRequestAsyncHookHandler } from 'fastify';
import type { Service } from '../service/service';
import type { Scope } from '../shared/types';
import { ServiceError } from './errors';

/** The token in `Authorization: Bearer <ACCESS_TOKEN>` (specification 5.4). */
export function bearerToken(authorization: string | undefined): string | undefined {
	return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/** 401 without a valid token, 403 for a token without the scope. */
export function requireScope(service: Service, scope: Scope): onRequestAsyncHookHandler {
	return async (request, reply) => {
		const token = bearerToken(request.headers.authorization);
		const scopes = token === undefined ? undefined : service.tokens.scopesOf(token);
		if (!scopes) {
			reply.header('www-authenticate', 'Bearer');
			throw new ServiceError(
				401,
				token === undefined
					? 'The request carries no access token.'
					: 'The access token is unknown, expired or revoked.',
			);
		}
		if (!scopes.includes(scope)) {
			throw new ServiceError(403, `The API client lacks the scope ${scope}.`);
		}
	};
}
