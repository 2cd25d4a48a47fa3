/** A service that lists events in any order a test chooses, in pages like the real one. */
import { startHttpService } from './httpService';
import type { ServiceAccess } from './n8n/credentials';

export interface ListedEvent {
	readonly id: string;
	readonly eventType: string;
	readonly createdAt: string;
	readonly payload: object;
}

interface HostileList extends ServiceAccess {
	/** The listed events, in this order. Can be changed at any time. */
	readonly events: ListedEvent[];
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

/** Starts the service on 127.0.0.1; stop it when the test is over. */
export async function startHostileList(events: ListedEvent[]): Promise<HostileList> {
	const service = await startHttpService(({ path, query }) => {
		if (path === '/oauth/token') {
			return { body: { access_token: 'a-token', token_type: 'Bearer', expires_in: 3600 } };
		}
		const { startingAfter, limit } = query;
		const start = events.findIndex(({ id }) => id === startingAfter) + 1;
		const end = start + Number(limit ?? 20);
		return { body: { data: { hasMore: end < events.length, items: events.slice(start, end) } } };
	});
	return {
		...{ baseUrl: service.url, authUrl: service.url, audience: 'https://api.example.com' },
		...{ clientId: `client-${service.port}`, clientSecret: 'a-secret' },
		events,
		stop: () => service.stop(),
	};
}
