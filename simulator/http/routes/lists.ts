/** A route for each list of the service. Path and filters come from the table of lists, the records from here. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import { LISTED_RESOURCES, LISTS, type ListedResource, type ListRow } from '../../../lib/service';
import type { Asset } from '../../data/assets';
import type { Service } from '../../service/service';
import type { DeliveredEvent, Scope } from '../../shared/types';
import { requireScope } from '../authorize';
import { parse, ServiceError } from '../errors';
import { faultOf } from '../faultHooks';
import { type Entry, page, pageQuery, type Records, recordsOf } from '../paging';

/** The filters that the request has. */
type Filters = Readonly<Record<string, string | undefined>>;

interface ServedList {
	readonly scope: Scope;
	/** Filters that are not in the table, or that accept only some values. */
	readonly filters?: z.ZodRawShape;
	/** In list order. `endpointId` is empty if the path has none. */
	readonly records: (service: Service, filters: Filters, endpointId: string) => Records;
}

const SERVED: Readonly<Record<ListedResource, ServedList>> = {
	asset: {
		scope: 'assets:read',
		records: ({ assets }, filters) => recordsOf(assets.filter((asset) => passes(asset, filters))),
	},
	delivery: {
		scope: 'webhooks:read',
		filters: { status: z.enum(['success', 'failed']).optional() },
		records: (service, filters, endpointId) => {
			if (!service.endpoints.get(endpointId)) {
				throw new ServiceError(404, 'There is no such webhook endpoint.');
			}
			const deliveries = service.deliveries
				.list(endpointId)
				.filter(({ status }) => filters['status'] === undefined || status === filters['status']);
			return recordsOf(service.newestFirst ? deliveries.reverse() : deliveries);
		},
	},
	event: {
		scope: 'webhooks:read',
		records:
			({ events, newestFirst, form: { listedEvent = asListed } }) =>
			(after) => {
				const wanted = events.from(after, newestFirst);
				return wanted && eachListed(wanted, listedEvent);
			},
	},
};

const pathParams = z.object({ endpointId: z.string().default('') });

export function listRoutes(service: Service) {
	return async (fastify: FastifyInstance): Promise<void> => {
		for (const resource of LISTED_RESOURCES) {
			const { path, filters: known = {} }: ListRow = LISTS[resource];
			const { scope, filters, records } = SERVED[resource];
			const texts = Object.fromEntries(
				Object.keys(known).map((name) => [name, z.string().optional()]),
			);
			const filterQuery = z.object({ ...texts, ...filters });
			fastify.get(path.replace(/\{(\w+)\}/g, ':$1'), {
				onRequest: requireScope(service, scope),
				handler: async (request) => {
					const { endpointId } = parse(pathParams, request.params);
					const given = parse(filterQuery, request.query) as Filters;
					const fault = faultOf(request);
					const wanted = records(service, fault?.ignoreFilters ? {} : given, endpointId);
					return page(wanted, parse(pageQuery, request.query), fault, service.form.list);
				},
			});
		}
	};
}

function passes({ assetGroup, chargingStation }: Asset, filters: Filters): boolean {
	const { chargePointVendor, chargePointModel, firmwareVersion } =
		chargingStation.manufacturingInfo;
	const equal = (name: string, value: string) =>
		filters[name] === undefined || filters[name] === value;
	return (
		equal('chargingStationMake', chargePointVendor) &&
		equal('chargingStationModel', chargePointModel) &&
		equal('firmwareVersion', firmwareVersion) &&
		inGroups(assetGroup?.id, filters['assetGroups'])
	);
}

function inGroups(id: string | undefined, wanted: string | undefined): boolean {
	if (wanted === undefined) return true;
	const ids = wanted.split(',').map((text) => text.trim());
	return id !== undefined && ids.includes(id);
}

function* eachListed(
	events: Iterable<DeliveredEvent>,
	shownAs: (event: DeliveredEvent) => object,
): Generator<Entry> {
	for (const event of events) yield { id: event.id, shown: shownAs(event) };
}

/** The list uses other field names than a delivery (published). */
function asListed({ id, type, createdAt, data }: DeliveredEvent) {
	return { id, eventType: type, createdAt, payload: data };
}
