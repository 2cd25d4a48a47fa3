/** Controls the simulator over HTTP, below `/_simulator`: lets a person do with curl what tests do with calls. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { Service } from '../../service/service';
import { COMMAND_RESPONSES, HAPPENINGS, SCOPES, type SimulatorStats } from '../../shared/types';
import { EVERY_EVENT, isLoopback } from '../../store/endpoints';
import { parse, ServiceError } from '../errors';
import { createEndpoint, refused, withSecret } from './endpoints';

const eventInput = z.strictObject({
	id: z.string().min(1).optional(),
	type: z.string().min(1).optional(),
	data: z.record(z.string(), z.unknown()).optional(),
	createdAt: z.iso.datetime({ offset: true }).optional(),
});
const emitInput = eventInput.extend({
	deliver: z.boolean().optional(),
	copies: z.int().min(1).max(1000).optional(),
});
const deliverInput = z.strictObject({
	endpointId: z.string(),
	tamper: z
		.enum(['none', 'forged', 'altered', 'stale', 'future', 'truncated', 'unsigned'])
		.optional(),
	event: eventInput.default({}),
});
const endpointInput = z.strictObject({
	url: z.string(),
	events: z.array(z.string().min(1)).min(1).default([EVERY_EVENT]),
	secret: z.string().min(1).optional(),
});
const incidentQuery = z.object({ hours: z.coerce.number().min(0).max(720).optional() });
const moveInput = z.strictObject({ url: z.string() });
const idParams = z.object({ id: z.string() });
const happeningParams = z.object({ what: z.enum(HAPPENINGS) });
const happeningInput = z.strictObject({
	assetId: z.string().optional(),
	secondsAgo: z.number().min(0).max(3_600).optional(),
	deliver: z.boolean().optional(),
});
const clientInput = z.strictObject({
	clientId: z.string().min(1).optional(),
	clientSecret: z.string().min(1).optional(),
	scopes: z.array(z.enum(SCOPES)).optional(),
	tokenLifetimeSeconds: z.number().positive().optional(),
});
const stationInput = z.strictObject({
	commands: z.enum(COMMAND_RESPONSES),
	afterMs: z.number().min(0).max(600_000).optional(),
});
const faultInput = z
	.strictObject({
		method: z.string().optional(),
		path: z.string().optional(),
		pathPattern: z.string().transform(toPattern).optional(),
		queryParameter: z.string().optional(),
		status: z.int().min(200).max(599).optional(),
		retryAfter: z.union([z.string(), z.number()]).optional(),
		delayMs: z.number().min(0).max(600_000).optional(),
		reset: z.union([z.boolean(), z.literal('midBody')]).optional(),
		body: z.unknown().optional(),
		ignoreCursor: z.boolean().optional(),
		ignoreFilters: z.boolean().optional(),
		omitFields: z.array(z.string()).optional(),
		revokeToken: z.boolean().optional(),
		times: z.int().min(1).optional(),
	})
	.transform(({ path, pathPattern, ...fault }, context) => {
		const wanted = path ?? pathPattern;
		if (wanted !== undefined) return { ...fault, path: wanted };
		context.addIssue({ code: 'custom', message: 'path or pathPattern is needed' });
		return z.NEVER;
	});

export function controlRoutes(service: Service, stats: () => SimulatorStats) {
	return async (fastify: FastifyInstance): Promise<void> => {
		fastify.addHook('onRequest', async ({ headers, host }) => {
			const ownHost = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
			// A web page open on this machine can also reach the port, but it sends an Origin header or its own host name.
			if (headers.origin !== undefined || !isLoopback(ownHost)) {
				throw new ServiceError(403, 'The simulator is driven from this machine only.');
			}
		});

		fastify.get('/', async () => ({
			audience: service.audience,
			clientId: service.client.clientId,
			endpoints: service.endpoints.all().map(({ id, url, events }) => ({ id, url, events })),
		}));
		fastify.get('/stats', async () => stats());
		fastify.get('/incidents', async (request) => {
			return service.incidents(parse(incidentQuery, request.query).hours);
		});

		fastify.post('/events', async (request) => {
			const { deliver, copies, ...event } = parse(emitInput, request.body ?? {});
			return await service.emit(event, { deliver, copies });
		});
		fastify.post('/deliveries', async (request) => {
			const { endpointId, tamper, event: input } = parse(deliverInput, request.body);
			const endpoint = service.endpoints.get(endpointId);
			if (!endpoint) throw new ServiceError(404, 'There is no such webhook endpoint.');
			const event = service.events.get(input.id ?? '') ?? service.makeEvent(input);
			const response = await service.deliver(endpoint.url, endpoint.secret, event, tamper);
			return { event, response };
		});
		// Receiver for an endpoint that has no other URL yet.
		fastify.post('/receiver', async () => ({ status: 'received' }));

		fastify.post('/endpoints', async (request, reply) => {
			const endpoint = createEndpoint(service, parse(endpointInput, request.body));
			return await reply.code(201).send(withSecret(endpoint));
		});
		fastify.put('/endpoints/:id', async (request) => {
			const { id } = parse(idParams, request.params);
			const { url } = parse(moveInput, request.body);
			const moved = refused(() => service.endpoints.move(id, url));
			if (!moved) throw new ServiceError(404, 'There is no such webhook endpoint.');
			return { id, url };
		});
		fastify.delete('/endpoints/:id', async (request, reply) => {
			const { id } = parse(idParams, request.params);
			if (!service.deleteEndpoint(id)) {
				throw new ServiceError(404, 'There is no such webhook endpoint.');
			}
			return await reply.code(204).send();
		});

		fastify.post('/clients', async (request, reply) => {
			const client = service.tokens.addClient(parse(clientInput, request.body ?? {}));
			return await reply.code(201).send(client);
		});
		fastify.delete('/tokens', async (_request, reply) => {
			service.tokens.revokeAll();
			return await reply.code(204).send();
		});

		fastify.post('/stations/:what', async (request) => {
			const { what } = parse(happeningParams, request.params);
			const options = parse(happeningInput, request.body ?? {});
			try {
				return await service.happenings.happen(what, options);
			} catch (error) {
				if (error instanceof RangeError) throw new ServiceError(404, error.message);
				throw error;
			}
		});
		fastify.put('/stations/:id', async (request, reply) => {
			const { id } = parse(idParams, request.params);
			if (!service.commands.setStation(id, parse(stationInput, request.body))) {
				throw new ServiceError(404, 'There is no such asset.');
			}
			return await reply.code(204).send();
		});

		fastify.post('/faults', async (request, reply) => {
			service.faults.add(parse(faultInput, request.body));
			return await reply.code(204).send();
		});
		fastify.delete('/faults', async (_request, reply) => {
			service.faults.clear();
			return await reply.code(204).send();
		});
	};
}

function toPattern(text: string, context: z.RefinementCtx): RegExp {
	try {
		return new RegExp(text);
	} catch {
		context.addIssue({ code: 'custom', message: 'is not a regular expression' });
		return z.NEVER;
	}
}
