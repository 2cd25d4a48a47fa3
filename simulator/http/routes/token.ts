/** The token route (specification section 4, rule 1): client credentials for an access token. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { Service } from '../../service/service';
import { whatIsWrong } from '../errors';
import { TOKEN_PATH } from '../request';

const OTHER_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Exactly these fields: a client that sends more, or another grant type, does not follow the specification. */
const tokenRequest = z.strictObject({
	client_id: z.string().min(1),
	client_secret: z.string().min(1),
	audience: z.string().min(1),
	grant_type: z.string(),
});

/** A response `{ error, error_description }` as from Auth0: the published URLs are those of an Auth0 tenant. */
class TokenError extends Error {
	constructor(
		readonly statusCode: number,
		readonly error: string,
		description: string,
	) {
		super(description);
	}
}

export function tokenRoutes(service: Service) {
	return async (fastify: FastifyInstance): Promise<void> => {
		fastify.setErrorHandler(async (error: Error & { statusCode?: number }, _request, reply) => {
			const { error: code } = error instanceof TokenError ? error : { error: 'invalid_request' };
			await reply
				.code(error.statusCode ?? 500)
				.send({ error: code, error_description: error.message });
		});

		fastify.route({
			method: OTHER_METHODS,
			url: TOKEN_PATH,
			onRequest: async (_request, reply) => {
				reply.header('allow', 'POST');
				throw new TokenError(405, 'invalid_request', 'Tokens are requested with POST.');
			},
			handler: () => undefined,
		});

		fastify.post(TOKEN_PATH, {
			onRequest: async ({ headers }) => {
				if (headers.authorization === undefined) return;
				throw new TokenError(
					400,
					'invalid_request',
					'The token request carries no Authorization header; the credentials are in its body.',
				);
			},
			handler: async (request, reply) => {
				reply.header('cache-control', 'no-store');
				return answer(service, request.body);
			},
		});
	};
}

function answer(service: Service, body: unknown) {
	const parsed = tokenRequest.safeParse(body);
	if (!parsed.success) {
		throw new TokenError(400, 'invalid_request', whatIsWrong(parsed.error));
	}
	const { client_id, client_secret, audience, grant_type } = parsed.data;
	if (grant_type !== 'client_credentials') {
		throw new TokenError(403, 'unsupported_grant_type', `Unsupported grant type: ${grant_type}`);
	}
	const token = service.tokens.issue(client_id, client_secret);
	if (!token) throw new TokenError(401, 'access_denied', 'Unauthorized');
	if (audience !== service.audience) {
		throw new TokenError(403, 'access_denied', `Service not enabled within domain: ${audience}`);
	}
	return {
		access_token: token.accessToken,
		token_type: 'Bearer',
		expires_in: token.expiresInSeconds,
		scope: token.scopes.join(' '),
	};
}
