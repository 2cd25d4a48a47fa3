/**
 * The Asset and Webhook Service: its event list, and its deliveries.
 *
 * Facts: the list has one order; an event may be listed late, at its place by time; a page follows the record that it is asked
 * for, and an unknown one is refused. A delivery waits 30 s for a response, or less where something between hangs up, and is repeated until it gets a 2xx,
 * later and later. A delivery may arrive twice. Its clock is not that of n8n.
 */
import { signTimestamped } from '../../lib/signature';
import type { HostProcess } from './hostProcess';
import type { World } from './world';

export const SECRET = 'whsec-of-the-endpoint';
export const SERVICE_URL = 'https://service.test';

const MINUTE_MS = 60_000;
/** Between the attempts of a delivery. */
const AGAIN_AFTER_MS = [
	10_000,
	MINUTE_MS,
	5 * MINUTE_MS,
	15 * MINUTE_MS,
	30 * MINUTE_MS,
	60 * MINUTE_MS,
];

export interface ServiceEvent {
	readonly id: string;
	readonly type: string;
	/** As the service orders them. */
	readonly createdAt: number;
	/** Records without a time are in the list all the same. */
	readonly hasTime: boolean;
	isListed: boolean;
}

/** What n8n's helper resolves with. */
interface Answer {
	readonly statusCode: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

export class Service {
	/** In the order of time. */
	readonly events: ServiceEvent[] = [];
	/** The share of requests that fail, from 0 to 1. */
	failures = 0;
	readonly #world: World;
	#deliveries = 0;

	constructor(world: World) {
		this.#world = world;
	}

	get now(): number {
		return this.#world.clock.now + this.#world.scenario.serviceAheadMs;
	}

	create(
		id: string,
		{ type, listedAfterMs, hasTime }: { type: string; listedAfterMs: number; hasTime: boolean },
	): ServiceEvent {
		const { random, scenario } = this.#world;
		// Stations send late, and some services write whole seconds.
		const age = random.spread(`age ${id}`, 1, scenario.jitterMs);
		const exact = this.now - age;
		const createdAt = scenario.hasWholeSeconds ? Math.floor(exact / 1000) * 1000 : exact;
		const event = { id, type, createdAt, hasTime, isListed: false };
		const index = this.events.findLastIndex((other) => other.createdAt <= createdAt);
		this.events.splice(index + 1, 0, event);
		this.#world.note({ what: 'created', event: id, type, ...(hasTime && { createdAt }) });
		this.#world.clock.after(listedAfterMs, () => {
			event.isListed = true;
			this.#world.note({ what: 'listed', event: id });
		});
		return event;
	}

	/** A request of a node. */
	async request(by: HostProcess, reader: string, url: string): Promise<Answer> {
		const { random } = this.#world;
		await by.sleep(random.spread(`request ${by.name}`, 20, 800));
		if (random.chance('service fails', this.failures)) {
			if (random.chance('service hangs', 0.2))
				throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
			return this.#answer(random.pick('failure', [500, 503, 429]), { error: 'unavailable' });
		}
		const { pathname, searchParams } = new URL(url);
		if (pathname.endsWith('/oauth/token')) {
			return this.#answer(200, { access_token: 'token', token_type: 'Bearer', expires_in: 86_400 });
		}
		if (!pathname.endsWith('/webhook-events'))
			return this.#answer(200, { data: { items: [], hasMore: false } });
		const limit = Math.min(Number(searchParams.get('limit') ?? 50), this.#world.scenario.pageSize);
		return this.#page(by, reader, limit, searchParams.get('startingAfter'));
	}

	/** Delivers the event until n8n acknowledges it. */
	deliver(event: ServiceEvent, { attempts = AGAIN_AFTER_MS.length + 1 } = {}): void {
		const attempt = (n: number) => {
			void this.send(event, event.id).then((isAcknowledged) => {
				const again = AGAIN_AFTER_MS[Math.min(n, AGAIN_AFTER_MS.length - 1)] ?? 0;
				if (isAcknowledged || n + 1 >= attempts) return;
				const jitter = 0.8 + 0.4 * this.#world.random.next(`again ${event.id}`);
				this.#world.clock.after(again * jitter, () => {
					attempt(n + 1);
				});
			});
		};
		attempt(0);
	}

	/** One attempt; whether it was acknowledged. */
	async send(
		event: Pick<ServiceEvent, 'id' | 'type' | 'createdAt' | 'hasTime'>,
		label: string,
		secret = SECRET,
	): Promise<boolean> {
		const { clock, random, n8n, note } = this.#world;
		const delivery = `del_${++this.#deliveries}`;
		const body = JSON.stringify({
			id: event.id,
			type: event.type,
			...(event.hasTime && { createdAt: new Date(event.createdAt).toISOString() }),
			data: { asset: { id: 'asset_1' }, action: 'StatusNotification' },
		});
		const timestamp = Math.floor(this.now / 1000);
		const headers = {
			'content-type': 'application/json',
			'x-webhook-delivery-id': delivery,
			'x-webhook-signature': signTimestamped(secret, timestamp, body),
		};
		const url = random.chance(`url ${label}`, this.#world.scenario.wrongUrlShare) ? 'other' : 'own';
		const to = n8n.receiver(random.next(`to ${label}`));
		note({ what: 'sent', delivery, event: event.id, to: to?.name ?? '', url });
		const response = await new Promise<{ status: number; body: string }>((resolve) => {
			if (to === undefined) {
				resolve({ status: 0, body: 'refused' });
				return;
			}
			const request = n8n.receive(to, { headers, body, isOtherUrl: url === 'other' }, resolve);
			clock.after(this.#world.scenario.hangsUpAfterMs, () => {
				request.hangUp();
				resolve({ status: 0, body: 'hung up' });
			});
		});
		note({ what: 'response', delivery, event: event.id, ...response });
		return response.status >= 200 && response.status < 300;
	}

	#page(by: HostProcess, reader: string, limit: number, after: string | null): Answer {
		const { isOldestFirst } = this.#world.scenario;
		const listed = this.events.filter(({ isListed }) => isListed);
		const ordered = isOldestFirst ? listed : listed.toReversed();
		const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
		if (after !== null && start === 0)
			return this.#answer(400, { error: 'startingAfter is unknown' });
		const page = ordered.slice(start, start + limit);
		this.#world.note({ what: 'page', reader, by: by.name, events: page.map(({ id }) => id) });
		return this.#answer(200, {
			data: {
				items: page.map(({ id, type, createdAt, hasTime }) => ({
					id,
					eventType: type,
					...(hasTime && { createdAt: new Date(createdAt).toISOString() }),
					payload: { asset: { id: 'asset_1' }, action: 'StatusNotification' },
				})),
				hasMore: start + limit < ordered.length,
			},
		});
	}

	#answer(statusCode: number, body: unknown): Answer {
		const date = new Date(this.now).toUTCString();
		return {
			statusCode,
			headers: { date, 'content-type': 'application/json' },
			body: JSON.stringify(body),
		};
	}
}
