/** Creating and deleting webhook endpoints (the specification does not list them), and resending a delivery. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { Service } from '../../service/service';
import type { Endpoint, EndpointInput } from '../../shared/types';
import { requireScope } from '../authorize';
import { parse, ServiceError } from '../errors';

const ENDPOINTS = '/webhooks/v1/webhook-endpoints';

const newEndpoint = z.strictObject({
	url: z.string(),
	events: z
		.array(
			z
				.string()
				.min(1)
				// A wildcard would be stored but match nothing: no source says that the service supports wildcards.
				.refine((type) => !type.includes('*'), 'event types are exact, without wildcards'),
		)
		.min(1),
});

const endpointParams = z.object({ endpointId: z.string() });
const deliveryParams = endpointParams.extend({ deliveryId: z.string() });

export function endpointRoutes(service: Service) {
	return async (fastify: FastifyInstance): Promise<void> => {
		fastify.addHook('onRequest', requireScope(service, 'webhooks:write'));

		fastify.post(ENDPOINTS, async (request, reply) => {
			const endpoint = createEndpoint(service, parse(newEndpoint, request.body));
			return await reply.code(201).send({ data: withSecret(endpoint) });
		});

		fastify.delete(`${ENDPOINTS}/:endpointId`, async (request, reply) => {
			const { endpointId } = parse(endpointParams, request.params);
			if (!service.deleteEndpoint(endpointId)) {
				throw new ServiceError(404, 'There is no such webhook endpoint.');
			}
			return await reply.code(204).send();
		});

		fastify.post(`${ENDPOINTS}/:endpointId/deliveries/:deliveryId/resend`, async (request) => {
			const { endpointId, deliveryId } = parse(deliveryParams, request.params);
			const data = await service.deliveries.resend(endpointId, deliveryId);
			if (!data) throw new ServiceError(404, 'There is no such delivery.');
			return { data };
		});
	};
}

/** @throws {ServiceError} 400 if the service does not deliver to the URL */
export function createEndpoint(service: Service, input: EndpointInput): Endpoint {
	return refused(() => service.endpoints.create(input));
}

/** Turns a rejected URL into a response. */
export function refused<T>(work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw new ServiceError(400, error instanceof Error ? error.message : String(error));
	}
}

/** The only response that contains the secret. */
export function withSecret({ id, url, events, secret }: Endpoint) {
	return { id, url, events, secret };
}
