/** Redelivers events at moments that the test chooses, and remembers when each was acknowledged. */
import type { DeliveredEvent } from '../../simulator';
import { type Attempt, type EventSender, isAcknowledged } from './sender';
import { waitFor } from './wait';

export interface Deliveries {
	/** Delivers the events in the background, each unless a delivery of it is under way. */
	send(events: readonly DeliveredEvent[]): void;
	/** Waits until no delivery is under way. */
	settled(): Promise<void>;
	/** When the first 2xx of an event arrived, as unix time in milliseconds. */
	readonly acknowledgedAt: ReadonlyMap<string, number>;
	/** The events without a 2xx so far, of those that were sent. */
	unacknowledged(): DeliveredEvent[];
	readonly attempts: readonly Attempt[];
}

const SETTLED_WITHIN_MS = 120_000;

export function deliveriesBy(sender: Pick<EventSender, 'attempt'>): Deliveries {
	const sent = new Map<string, DeliveredEvent>();
	const underWay = new Set<string>();
	const acknowledgedAt = new Map<string, number>();
	const attempts: Attempt[] = [];
	const deliver = async (event: DeliveredEvent): Promise<void> => {
		const attempt = await sender.attempt(event);
		underWay.delete(event.id);
		attempts.push(attempt);
		if (isAcknowledged(attempt) && !acknowledgedAt.has(event.id)) {
			acknowledgedAt.set(event.id, attempt.endedAt);
		}
	};
	return {
		send(events) {
			for (const event of events) {
				if (underWay.has(event.id)) continue;
				sent.set(event.id, event);
				underWay.add(event.id);
				void deliver(event);
			}
		},
		async settled() {
			await waitFor(() => underWay.size === 0, {
				what: 'every delivery to end',
				timeoutMs: SETTLED_WITHIN_MS,
			});
		},
		acknowledgedAt,
		unacknowledged: () => [...sent.values()].filter(({ id }) => !acknowledgedAt.has(id)),
		attempts,
	};
}
