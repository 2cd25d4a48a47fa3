/** Expectations for each list, from the specification. The tests of all lists compare the code with them. */
import type { INodeParameters } from 'n8n-workflow';
import type { ListedResource } from '../../lib/service';
import type { Scope } from '../../simulator';
import { generateAssets } from '../../simulator/data/assets';

interface ExpectedList {
	/** A list of one endpoint is the list of `we_1`. */
	readonly path: string;
	/** The scope that the simulator requires. */
	readonly scope: Scope;
	/** Name of the records in errors and in the editor. */
	readonly called: string;
	/** Parameters required in addition to those of all lists. */
	readonly parameters?: INodeParameters;
	/** The parameters, in the order of the editor. */
	readonly shown: readonly string[];
	/** The fields under Filters. */
	readonly filters: readonly string[];
	/** A record from the service, and the result of Simplify. */
	readonly record: object;
	readonly simple: object;
}

const [asset] = generateAssets(1);
const station = asset?.chargingStation;
const payload = {
	asset: { id: 'as_1' },
	messageId: 'm-1',
	protocol: 'ocpp1.6',
	messageType: 'CALL',
	action: 'StatusNotification',
	payload: { connectorId: 1 },
};
const attempts = [
	{ status: 'failed', statusCode: 500, timestamp: '2026-01-01T00:00:00Z' },
	{ status: 'success', statusCode: 200, timestamp: '2026-01-01T01:00:00Z' },
];
const event = { eventType: 'ocpp.message', payload };

const EXPECTED_LISTS: Readonly<Record<ListedResource, ExpectedList>> = {
	asset: {
		path: '/asset-management/v1/assets',
		scope: 'assets:read',
		called: 'assets',
		shown: ['returnAll', 'limit', 'simplify', 'filters', 'options'],
		filters: [
			...['assetGroups', 'chargingStationMake', 'chargingStationModel', 'firmwareVersion', 'name'],
		],
		record: { ...asset },
		simple: {
			id: asset?.id,
			name: station?.name,
			type: 'CHARGING_STATION',
			status: station?.status,
			serialNumber: station?.serialNumber,
			make: station?.manufacturingInfo.chargePointVendor,
			model: station?.manufacturingInfo.chargePointModel,
			firmwareVersion: station?.manufacturingInfo.firmwareVersion,
			protocol: station?.protocol,
			updatedAt: asset?.updatedAt,
		},
	},
	delivery: {
		path: '/webhooks/v1/webhook-endpoints/we_1/deliveries',
		scope: 'webhooks:read',
		called: 'deliveries',
		parameters: { endpointId: 'we_1' },
		shown: ['endpointId', 'status', 'returnAll', 'limit', 'simplify', 'options'],
		filters: [],
		record: { ...event, id: 'del_1', eventId: 'ev_1', status: 'success', attempts },
		simple: {
			id: 'del_1',
			eventId: 'ev_1',
			eventType: 'ocpp.message',
			status: 'success',
			attempts: 2,
			lastAttemptStatus: 'success',
			lastStatusCode: 200,
			lastAttemptAt: '2026-01-01T01:00:00Z',
			createdAt: null,
		},
	},
	event: {
		path: '/webhooks/v1/webhook-events',
		scope: 'webhooks:read',
		called: 'events',
		shown: ['returnAll', 'limit', 'simplify', 'filters', 'options'],
		filters: ['createdAfter', 'createdBefore', 'eventTypes', 'otherEventTypes'],
		record: { ...event, id: 'ev_1', createdAt: '2026-01-01T00:00:00Z' },
		simple: {
			id: 'ev_1',
			type: 'ocpp.message',
			createdAt: '2026-01-01T00:00:00Z',
			assetId: 'as_1',
			action: 'StatusNotification',
			messageType: 'CALL',
			messageId: 'm-1',
			protocol: 'ocpp1.6',
			status: null,
			errorCode: null,
		},
	},
};

/** For `it.each`. */
export const expectedLists = Object.entries(EXPECTED_LISTS) as [ListedResource, ExpectedList][];
