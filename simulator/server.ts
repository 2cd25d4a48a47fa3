/** Combines routes, faults and counters into one HTTP server. */
import Fastify, { type FastifyInstance } from 'fastify';
import { errorBody, ServiceError } from './http/errors';
import { injectFaults } from './http/faultHooks';
import { CONTROL_PREFIX } from './http/request';
import { commandRoutes } from './http/routes/commands';
import { controlRoutes } from './http/routes/control';
import { endpointRoutes } from './http/routes/endpoints';
import { listRoutes } from './http/routes/lists';
import { tokenRoutes } from './http/routes/token';
import { countRequests } from './http/statistics';
import type { Service } from './service/service';
import type { SimulatorStats } from './shared/types';

export async function createServer(
	service: Service,
): Promise<{ fastify: FastifyInstance; stats: () => SimulatorStats }> {
	const fastify = Fastify({
		// Stopping must not wait for clients that keep their connections open.
		forceCloseConnections: true,
	});
	acceptJsonAlone(fastify);
	answerErrors(fastify);
	fastify.addHook('onSend', async (_request, reply) => {
		reply.header('date', new Date(service.now()).toUTCString());
	});

	// Faults come after the counters, so their responses are counted, and before the token check.
	const http = countRequests(fastify);
	injectFaults(fastify, service);
	const stats = (): SimulatorStats => ({
		tokenRequests: http.tokenRequests,
		connections: http.connections,
		requests: http.requests,
		deliveries: service.deliveries.counts,
		endpoints: service.endpoints.counts,
		commands: service.commands.stats,
	});

	await fastify.register(named('token', tokenRoutes(service)));
	await fastify.register(named('lists', listRoutes(service)));
	await fastify.register(named('endpoints', endpointRoutes(service)));
	await fastify.register(named('commands', commandRoutes(service)));
	const control = named('control', controlRoutes(service, stats));
	await fastify.register(control, { prefix: CONTROL_PREFIX });
	return { fastify, stats };
}

/** Without a name, Fastify looks for the plugin in all modules that are loaded. */
function named<T extends object>(name: string, plugin: T): T {
	return Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name });
}

/** 415 for any other content type. An empty body, which some clients send as JSON, counts as none. */
function acceptJsonAlone(fastify: FastifyInstance): void {
	fastify.removeAllContentTypeParsers();
	fastify.addContentTypeParser(
		'application/json',
		{ parseAs: 'string' },
		async (_request: unknown, body: string | Buffer): Promise<unknown> => {
			const text = body.toString();
			if (text === '') return undefined;
			try {
				return JSON.parse(text);
			} catch {
				throw new ServiceError(400, 'The body is not valid JSON.');
			}
		},
	);
}

function answerErrors(fastify: FastifyInstance): void {
	fastify.setErrorHandler(async (error: Error & { statusCode?: number }, _request, reply) => {
		const statusCode = error.statusCode ?? 500;
		await reply.code(statusCode).send(errorBody(statusCode, error.message));
	});
	fastify.setNotFoundHandler(async (request, reply) => {
		await reply.code(404).send(errorBody(404, `There is no ${request.method} ${request.url}.`));
	});
}
