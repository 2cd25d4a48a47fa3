/** The list of recent events. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../service';
import type { DeliveredEvent } from '../../types';
import { requireScope } from '../authorize';
import { parse } from '../errors';
import { faultOf } from '../faultHooks';
import { page, pageQuery } from '../paging';

export function eventRoutes(service: Service) {
	return async (fastify: FastifyInstance): Promise<void> => {
		fastify.get('/webhooks/v1/webhook-events', {
			onRequest: requireScope(service, 'webhooks:read'),
			handler: async (request) => {
				const query = parse(pageQuery, request.query);
				const events = service.events.all().map(asListed);
				return page(service.newestFirst ? events.reverse() : events, query, faultOf(request));
			},
		});
	};
}

/** The list has other field names than a delivery (published). */
function asListed({ id, type, createdAt, data }: DeliveredEvent) {
	return { id, eventType: type, createdAt, payload: data };
}
