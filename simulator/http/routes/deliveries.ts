/** The deliveries of an endpoint: the list, and sending one of them again. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { Service } from '../../service';
import { requireScope } from '../authorize';
import { parse, ServiceError } from '../errors';
import { faultOf } from '../faultHooks';
import { page, pageQuery } from '../paging';

const DELIVERIES = '/webhooks/v1/webhook-endpoints/:endpointId/deliveries';

const deliveriesQuery = pageQuery.extend({ status: z.enum(['success', 'failed']).optional() });
const endpointParams = z.object({ endpointId: z.string() });
const deliveryParams = endpointParams.extend({ deliveryId: z.string() });

export function deliveryRoutes(service: Service) {
	return async (fastify: FastifyInstance): Promise<void> => {
		fastify.get(DELIVERIES, {
			onRequest: requireScope(service, 'webhooks:read'),
			handler: async (request) => {
				const { endpointId } = parse(endpointParams, request.params);
				const query = parse(deliveriesQuery, request.query);
				if (!service.endpoints.get(endpointId)) {
					throw new ServiceError(404, 'There is no such webhook endpoint.');
				}
				const fault = faultOf(request);
				const wanted = fault?.ignoreFilters ? undefined : query.status;
				const deliveries = service.deliveries
					.list(endpointId)
					.filter(({ status }) => wanted === undefined || status === wanted);
				return page(service.newestFirst ? deliveries.reverse() : deliveries, query, fault);
			},
		});

		fastify.post(`${DELIVERIES}/:deliveryId/resend`, {
			onRequest: requireScope(service, 'webhooks:write'),
			handler: async (request) => {
				const { endpointId, deliveryId } = parse(deliveryParams, request.params);
				const data = await service.deliveries.resend(endpointId, deliveryId);
				if (!data) throw new ServiceError(404, 'There is no such delivery.');
				return { data };
			},
		});
	};
}
