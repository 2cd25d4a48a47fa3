/** Determines the health of an endpoint from its deliveries, and whether the service is about to give up. */
import { HOUR_MS } from '../shared/time';
import { asText } from '../shared/values';
import { DELIVERED, DELIVERY_STATUS_FIELD, NOT_DELIVERED, RETRY_HOURS } from './defaults';
import { attemptedAt, createdAtOf, type ApiRecord } from './lists';

const MOST_ATTEMPTS = 1 + RETRY_HOURS.length;
/** The time from the first attempt to the one before the last retry. */
const LAST_RETRY_LEFT_MS =
	RETRY_HOURS.slice(0, -1).reduce((sum, hours) => sum + hours, 0) * HOUR_MS;

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

/** @param now Unix milliseconds */
export async function endpointHealth(
	deliveries: AsyncIterable<ApiRecord>,
	now: number,
): Promise<EndpointHealth & { readonly withoutStatus: number }> {
	let delivered = 0;
	let failed = 0;
	let withoutStatus = 0;
	let lastSuccessAt = -Infinity;
	const failures: { at: number; failure: Failure }[] = [];
	for await (const delivery of deliveries) {
		const status = asText(delivery[DELIVERY_STATUS_FIELD]).toLowerCase();
		const at = createdAtOf(delivery);
		if (status === '') withoutStatus += 1;
		if (status === DELIVERED) {
			delivered += 1;
			lastSuccessAt = Math.max(lastSuccessAt, at ?? -Infinity);
		} else if (status === NOT_DELIVERED) {
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
