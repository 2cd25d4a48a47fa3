/** The list of assets with its four filters. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';
import type { Asset } from '../../data/assets';
import type { Service } from '../../service';
import { requireScope } from '../authorize';
import { parse } from '../errors';
import { faultOf } from '../faultHooks';
import { page, pageQuery } from '../paging';

const assetsQuery = pageQuery.extend({
	chargingStationMake: z.string().optional(),
	chargingStationModel: z.string().optional(),
	firmwareVersion: z.string().optional(),
	/** Ids, separated by commas. */
	assetGroups: z.string().optional(),
});

type Filters = z.infer<typeof assetsQuery>;

export function assetRoutes(service: Service) {
	return async (fastify: FastifyInstance): Promise<void> => {
		fastify.get('/asset-management/v1/assets', {
			onRequest: requireScope(service, 'assets:read'),
			handler: async (request) => {
				const query = parse(assetsQuery, request.query);
				const fault = faultOf(request);
				const assets = fault?.ignoreFilters
					? service.assets
					: service.assets.filter((asset) => passes(asset, query));
				return page(assets, query, fault);
			},
		});
	};
}

function passes({ assetGroup, chargingStation }: Asset, filters: Filters): boolean {
	const { chargePointVendor, chargePointModel, firmwareVersion } =
		chargingStation.manufacturingInfo;
	const equal = (wanted: string | undefined, value: string) =>
		wanted === undefined || wanted === value;
	return (
		equal(filters.chargingStationMake, chargePointVendor) &&
		equal(filters.chargingStationModel, chargePointModel) &&
		equal(filters.firmwareVersion, firmwareVersion) &&
		inGroups(assetGroup?.id, filters.assetGroups)
	);
}

function inGroups(id: string | undefined, wanted: string | undefined): boolean {
	if (wanted === undefined) return true;
	const ids = wanted.split(',').map((text) => text.trim());
	return id !== undefined && ids.includes(id);
}
