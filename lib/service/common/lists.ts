/**
 * The lists of the service, one row per list: the client, the action node, the simulator and the tests of all lists use
 * this table. The comments give the source of a path, in the terms defined at the top of `defaults.ts`.
 */

export interface ListRow {
	/** Under the base URL. `{endpointId}` is replaced by an encoded ID: the list then belongs to one endpoint. */
	readonly path: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** The resource, as the editor shows it. */
	readonly name: string;
	readonly description: string;
	/** The records, as the editor and errors name them: `List assets`, `Get many assets`. */
	readonly records: string;
	/** Completes the description of the operation, which begins with `Retrieve a list of`. */
	readonly about: string;
	/** Query parameters with text values, each with a field in the editor. */
	readonly filters?: ListFilters;
	readonly fields: Shape;
}

/** Label and description of the field, by name of the query parameter. */
export type ListFilters = Readonly<Record<string, readonly [label: string, description: string]>>;

/** The fields that Simplify keeps, at most ten: for each name in the output, the paths to try in a record, in order. */
export type Shape = Readonly<Record<string, readonly string[]>>;

const STATION = 'chargingStation';
const MADE = `${STATION}.manufacturingInfo`;
const ofPayload = (path: string) => [`payload.${path}`, `data.${path}`];

/** By value of the parameter Resource, in the order of the editor; the first one is the default. */
export const LISTS = {
	asset: {
		/** Section 4. */
		path: '/asset-management/v1/assets',
		/** Section 4 requires it here, and only here. */
		headers: { 'content-type': 'application/json' },
		name: 'Asset',
		description: 'A charging station or another device that the service manages',
		records: 'assets',
		about: 'assets',
		/** Published (assets). */
		filters: {
			assetGroups: ['Asset Groups', 'Only assets of these groups: their IDs, separated by commas'],
			chargingStationMake: ['Charging Station Make', 'Only charging stations of this make'],
			chargingStationModel: ['Charging Station Model', 'Only charging stations of this model'],
			firmwareVersion: ['Firmware Version', 'Only charging stations with this firmware version'],
		},
		fields: {
			id: ['id'],
			name: ['name', `${STATION}.name`],
			type: ['type'],
			status: ['status', `${STATION}.status`],
			serialNumber: ['serialNumber', `${STATION}.serialNumber`],
			make: ['make', `${MADE}.chargePointVendor`],
			model: ['model', `${MADE}.chargePointModel`],
			firmwareVersion: ['firmwareVersion', `${MADE}.firmwareVersion`],
			protocol: ['protocol', `${STATION}.protocol`],
			updatedAt: ['updatedAt'],
		},
	},
	delivery: {
		/** Section 4. */
		path: '/webhooks/v1/webhook-endpoints/{endpointId}/deliveries',
		name: 'Delivery',
		description: 'An event that was sent to a webhook endpoint, with its attempts',
		records: 'deliveries',
		about: 'deliveries to a webhook endpoint in the last 30 days',
		fields: {
			id: ['id'],
			eventId: ['eventId'],
			eventType: ['eventType'],
			status: ['status'],
			attempts: ['attempts.length'],
			lastAttemptStatus: ['attempts.last.status'],
			lastStatusCode: ['attempts.last.statusCode'],
			lastAttemptAt: ['attempts.last.timestamp'],
			createdAt: ['createdAt'],
		},
	},
	event: {
		/** Section 4. */
		path: '/webhooks/v1/webhook-events',
		name: 'Event',
		description: 'Something that happened, such as a message from a charging station',
		records: 'events',
		about: 'events of the last 30 days',
		fields: {
			id: ['id'],
			type: ['type', 'eventType'],
			createdAt: ['createdAt'],
			assetId: ofPayload('asset.id'),
			status: [
				...ofPayload('status'),
				...ofPayload('payload.status'),
				// OCPP 2.0.1.
				...ofPayload('payload.connectorStatus'),
				...ofPayload('payload.eventType'),
			],
			action: ofPayload('action'),
			messageType: ofPayload('messageType'),
			messageId: ofPayload('messageId'),
			protocol: ofPayload('protocol'),
			errorCode: [
				...ofPayload('errorCode'),
				...ofPayload('payload.errorCode'),
				...ofPayload('payload.eventData.last.techCode'),
			],
		},
	},
} satisfies Readonly<Record<string, ListRow>>;

export type ListedResource = keyof typeof LISTS;

/** The names of the rows, in order. */
export const LISTED_RESOURCES = Object.keys(LISTS) as ListedResource[];
