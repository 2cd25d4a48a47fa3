/** Redelivers events at moments that the test chooses, and remembers which were acknowledged. */
import type { DeliveredEvent } from '../../simulator';
import { type EventSender, isAcknowledged } from './sender';
import { waitFor } from './wait';

export interface Deliveries {
	/** Delivers the events in the background, each unless a delivery of it is under way. */
	send(events: readonly DeliveredEvent[]): void;
	/** Waits until no delivery is under way. */
	settled(): Promise<void>;
	/** The events without a 2xx so far, of those that were sent. */
	unacknowledged(): DeliveredEvent[];
}

const SETTLED_WITHIN_MS = 120_000;

export function deliveriesBy(sender: Pick<EventSender, 'attempt'>): Deliveries {
	const sent = new Map<string, DeliveredEvent>();
	const underWay = new Set<string>();
	const acknowledged = new Set<string>();
	const deliver = async (event: DeliveredEvent): Promise<void> => {
		const attempt = await sender.attempt(event);
		underWay.delete(event.id);
		if (isAcknowledged(attempt)) acknowledged.add(event.id);
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
		unacknowledged: () => [...sent.values()].filter(({ id }) => !acknowledged.has(id)),
	};
}
