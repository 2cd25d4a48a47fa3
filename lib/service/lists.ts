/**
 * The lists of the service, one row per list, and what their records say: ID, time, the fields that people use, the health of
 * an endpoint. The client, the action node, the simulator and the tests of all lists use the table. The comments give the
 * source of a path, in the terms defined at the top of `defaults.ts`.
 */
import { isOldestFirst } from '../shared/listOrder';
import { timeOf, HOUR_MS } from '../shared/time';
import { asText, asTexts, own } from '../shared/values';
import { DELIVERY, type ServiceInterface } from './defaults';

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
	/** Completes the name of the action, `Get many assets`: what it is for, and what it is not for. */
	readonly purpose: string;
	/** Query parameters with text values, each with a field in the editor. */
	readonly filters?: ListFilters;
	/** A filter that the service does not have: of the name, ID or serial number. */
	readonly nameFilter?: readonly [label: string, description: string];
	readonly fields: Shape;
}

/** Label and description of the field, by name of the query parameter. */
type ListFilters = Readonly<Record<string, readonly [label: string, description: string]>>;

/** The fields that Simplify keeps, at most ten: for each name in the output, the paths to try in a record, in order. */
type Shape = Readonly<Record<string, readonly string[]>>;

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
		purpose: 'to find a station by its name, site or model, not its status',
		/** Published (assets). */
		filters: {
			assetGroups: ['Asset Groups', 'Only assets of these groups: their IDs, separated by commas'],
			chargingStationMake: ['Charging Station Make', 'Only charging stations of this make'],
			chargingStationModel: ['Charging Station Model', 'Only charging stations of this model'],
			firmwareVersion: ['Firmware Version', 'Only charging stations with this firmware version'],
		},
		nameFilter: ['Name', 'Only assets with these words in their name, ID or serial number'],
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
		purpose: 'to a webhook endpoint with their responses, not what the events say',
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
		purpose: 'as stations sent them, not for outages, faults, sessions or uptime',
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

/** One record exactly as the service sent it. */
export type ApiRecord = Record<string, unknown>;

/** The time of creation in Unix milliseconds: its own `createdAt`, otherwise its first attempt. Undefined if it has neither. */
export function createdAtOf({ createdAt, attempts }: ApiRecord): number | undefined {
	return timeOf(createdAt) ?? (Array.isArray(attempts) ? attemptedAt(attempts[0]) : undefined);
}

/** The time of an attempt, in Unix milliseconds. */
function attemptedAt(attempt: unknown): number | undefined {
	return timeOf(own(attempt, 'timestamp'));
}

/** A function that makes records flat. A record with none of the fields is returned unchanged. */
export function flattener(shape: Shape): (record: ApiRecord) => ApiRecord {
	const fields = Object.entries(shape).map(
		([name, paths]) => [name, paths.map((path) => path.split('.'))] as const,
	);
	return (record) => {
		const flat: ApiRecord = {};
		let isEmpty = true;
		for (const [name, paths] of fields) {
			const found = paths.map((path) => valueAt(record, path)).find((value) => value !== undefined);
			if (found !== undefined) isEmpty = false;
			// n8n's table shows `undefined` for a field that only other items have.
			flat[name] = found ?? null;
		}
		return isEmpty ? record : flat;
	};
}

const flatAsset = flattener(LISTS.asset.fields);

/** Whether the name of an asset has all words of the text, in any case and order; or its ID, or its serial number. */
export function assetFilter(text: string): (asset: ApiRecord) => boolean {
	const words = text.toLowerCase().split(/\s+/);
	return (asset) => {
		const { name, id, serialNumber } = flatAsset(asset);
		const own = [name, id, serialNumber].map((value) => asText(value).toLowerCase());
		return own.some((value) => words.every((word) => value.includes(word)));
	};
}

/** The text, number, boolean or null at the path; a list has `length`, and `last` is its last entry. */
function valueAt(record: ApiRecord, path: readonly string[]): unknown {
	let value: unknown = record;
	for (const name of path) {
		value = Array.isArray(value) && name === 'last' ? value.at(-1) : own(value, name);
	}
	return typeof value === 'object' && value !== null ? undefined : value;
}

interface Bounds {
	/** The most records to return. */
	readonly most: number;
	/** The most records to read of a list that does not begin with the oldest: a month of records would take too long. */
	readonly mostSeen: number;
	readonly matching: (record: ApiRecord) => boolean;
}

/**
 * The newest matching records, newest first; those without a time come last.
 * A list that is sorted oldest first is read to its end, where the newest are.
 */
export async function newest(
	records: AsyncIterable<ApiRecord>,
	{ most, mostSeen, matching }: Bounds,
): Promise<ApiRecord[]> {
	const times: number[] = [];
	const found: { record: ApiRecord; at: number }[] = [];
	let seen = 0;
	for await (const record of records) {
		const at = createdAtOf(record);
		if (at !== undefined) times.push(at);
		seen += 1;
		if (matching(record)) found.push({ record, at: at ?? -Infinity });
		if (seen >= mostSeen && isOldestFirst(times) !== true) break;
		if (found.length >= most && isOldestFirst(times) === false) break;
	}
	// Equal ones, such as those without a time, keep the order of the list.
	found.sort((a, b) => (a.at === b.at ? 0 : b.at - a.at));
	return found.slice(0, most).map(({ record }) => record);
}

const MOST_ATTEMPTS = 1 + DELIVERY.retryHours.length;
/** The time from the first attempt to the one before the last retry. */
const LAST_RETRY_LEFT_MS =
	DELIVERY.retryHours.slice(0, -1).reduce((sum, hours) => sum + hours, 0) * HOUR_MS;

interface EndpointHealth {
	/** The number of successful deliveries. */
	readonly delivered: number;
	/** The number of failed deliveries, including those that will be retried. */
	readonly failed: number;
	/** The share of successful deliveries among both; null if there are none. */
	readonly share: number | null;
	/** The oldest failed delivery after which none succeeded. Deliveries without a time do not count. */
	readonly oldestFailure: Failure | null;
	/** Whether that delivery has no retries left, or only the last one. */
	readonly givingUp: boolean;
}

/** Times are ISO 8601; values that the service does not send are null. */
interface Failure {
	readonly deliveryId: string | null;
	readonly eventId: string | null;
	readonly createdAt: string;
	readonly lastAttemptAt: string | null;
	readonly attempts: number;
}

/** How a delivery is known to have succeeded, and to have failed: words in lower case, of the settings. */
export function statusWords({ succeededWords, failedWords }: StatusWords) {
	const wordsOf = (text: string) => asTexts(text).map((word) => word.trim().toLowerCase());
	return { success: wordsOf(succeededWords), failed: wordsOf(failedWords) };
}

type StatusWords = Pick<ServiceInterface, 'succeededWords' | 'failedWords'>;

/** @param now Unix milliseconds */
export async function endpointHealth(
	deliveries: AsyncIterable<ApiRecord>,
	settings: StatusWords,
	now: number,
): Promise<EndpointHealth & { readonly withoutStatus: number }> {
	const words = statusWords(settings);
	let delivered = 0;
	let failed = 0;
	let withoutStatus = 0;
	let lastSuccessAt = -Infinity;
	const failures: { at: number; failure: Failure }[] = [];
	for await (const delivery of deliveries) {
		const status = asText(delivery[DELIVERY.statusField]).toLowerCase();
		const at = createdAtOf(delivery);
		if (status === '') withoutStatus += 1;
		if (words.success.includes(status)) {
			delivered += 1;
			lastSuccessAt = Math.max(lastSuccessAt, at ?? -Infinity);
		} else if (words.failed.includes(status)) {
			failed += 1;
			if (at !== undefined) failures.push({ at, failure: failureOf(delivery, at) });
		}
	}
	// The list may have any order: a success later in the list may be newer.
	const [oldest] = failures.filter(({ at }) => at >= lastSuccessAt).sort((a, b) => a.at - b.at);
	return {
		delivered,
		failed,
		share: delivered + failed === 0 ? null : delivered / (delivered + failed),
		oldestFailure: oldest?.failure ?? null,
		givingUp:
			oldest !== undefined &&
			(oldest.failure.attempts >= MOST_ATTEMPTS || now - oldest.at >= LAST_RETRY_LEFT_MS),
		withoutStatus,
	};
}

function failureOf({ id, eventId, attempts }: ApiRecord, at: number): Failure {
	const made: readonly unknown[] = Array.isArray(attempts) ? attempts : [];
	const lastAt = attemptedAt(made.at(-1));
	return {
		deliveryId: asText(id) || null,
		eventId: asText(eventId) || null,
		createdAt: new Date(at).toISOString(),
		lastAttemptAt: lastAt === undefined ? null : new Date(lastAt).toISOString(),
		attempts: made.length,
	};
}
