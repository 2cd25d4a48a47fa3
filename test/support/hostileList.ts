/** A service that lists events in any order a test chooses, in pages like the real one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveredEvent } from '../../simulator';
import { startHttpService } from './httpService';
import type { ServiceAccess } from './n8n/credentials';
import { waitFor } from './wait';

export interface ListedEvent {
	readonly id: string;
	readonly eventType: string;
	readonly createdAt: string;
	readonly payload: object;
}

export interface HostileList extends ServiceAccess {
	/** The listed events, in this order. Can be changed at any time. */
	readonly events: ListedEvent[];
	/** When each event was first in a response, in Unix milliseconds. */
	readonly listedAt: ReadonlyMap<string, number>;
	/** Waits for this many more polls, and until the last one has had time to start its executions. */
	untilPolled(times: number): Promise<void>;
	stop(): Promise<void>;
}

let made = 0;

/** An event created this many seconds ago; in the future for a negative number. */
export function eventOf(secondsAgo: number): ListedEvent {
	return {
		id: `whevt_hostile_${++made}`,
		eventType: 'ocpp.message',
		createdAt: new Date(Date.now() - secondsAgo * 1000).toISOString(),
		payload: {},
	};
}

/** A delivered event as the service lists it. */
export function listed({ id, type, createdAt, data }: DeliveredEvent): ListedEvent {
	return { id, eventType: type, createdAt, payload: { ...data } };
}

const MINUTE_MS = 60_000;
/** Requests for the newest events that are closer together belong to one poll. */
const APART_MS = MINUTE_MS / 2;
const SETTLED_MS = 5_000;

/** Starts the service on 127.0.0.1; stop it when the test is over. */
export async function startHostileList(events: ListedEvent[]): Promise<HostileList> {
	const listedAt = new Map<string, number>();
	let polls = 0;
	let polledAt = -Infinity;
	const service = await startHttpService(({ path, query }) => {
		if (path === '/oauth/token') {
			return { body: { access_token: 'a-token', token_type: 'Bearer', expires_in: 3600 } };
		}
		const { startingAfter, limit } = query;
		if (startingAfter === undefined && performance.now() > polledAt + APART_MS) {
			polls += 1;
			polledAt = performance.now();
		}
		const start = events.findIndex(({ id }) => id === startingAfter) + 1;
		const end = start + Number(limit ?? 20);
		const items = events.slice(start, end);
		for (const { id } of items) if (!listedAt.has(id)) listedAt.set(id, Date.now());
		return { body: { data: { hasMore: end < events.length, items } } };
	});
	return {
		...{ baseUrl: service.url, authUrl: service.url, audience: 'https://api.example.com' },
		...{ clientId: `client-${service.port}`, clientSecret: 'a-secret' },
		...{ events, listedAt },
		async untilPolled(times) {
			const last = polls + times;
			await waitFor(() => polls >= last, {
				what: `${times} polls`,
				timeoutMs: (times + 1) * MINUTE_MS,
			});
			await sleep(SETTLED_MS);
		},
		stop: () => service.stop(),
	};
}
