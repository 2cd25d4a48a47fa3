/**
 * The Asset and Webhook Service: its event list, and its deliveries.
 *
 * Facts: the list has one order; an event may be listed late, at its place by time; a page follows the record that it is asked
 * for, and an unknown one is refused. Some of its records are odd. A delivery waits 30 s for a response, or less where something between hangs up, and is repeated until it gets a 2xx,
 * later and later. A delivery may arrive twice. Its clock is not that of n8n.
 */
import { signTimestamped } from '../../simulator/delivery/signedDelivery';
import { POISONS } from '../support/poisons';
import type { HostProcess } from './hostProcess';
import type { Load } from './stations/plan';
import type { ListedMessage } from './stations/stories';
import type { World } from './world';

export const SECRET = 'whsec-of-the-endpoint';
export const SERVICE_URL = 'https://service.test';

const MINUTE_MS = 60_000;
/** As the specification has it; the pages of the poll trigger are smaller. */
const STATION_PAGE_SIZE = 100;
/** Between the attempts of a delivery. */
const AGAIN_AFTER_MS = [
	10_000,
	MINUTE_MS,
	5 * MINUTE_MS,
	15 * MINUTE_MS,
	30 * MINUTE_MS,
	60 * MINUTE_MS,
];

interface ServiceEvent {
	readonly id: string;
	readonly type: string;
	/** As the service orders them. */
	readonly createdAt: number;
	/** Records without a time are in the list all the same. */
	readonly hasTime: boolean;
	/** Its `data`; that of any event by default. */
	readonly data?: Readonly<Record<string, unknown>>;
	/** What is odd about its record, by `POISONS`. */
	readonly odd?: string;
	/** Its number, if it only is load. */
	readonly load?: number;
	isListed: boolean;
	/** As the list has it, once that was read: most are read many times. */
	record?: string;
}

/** Of an event that is not from a station of the scenario. */
const ANY = { asset: { id: 'asset_1' }, action: 'StatusNotification' };
const LOAD = { asset: { id: 'load-1' }, messageType: 'CALL', action: 'Heartbeat', payload: {} };
/** `slowPages`: a page takes so many times as long. */
const SLOWNESS = 3;

/** What n8n's helper resolves with. */
interface Answer {
	readonly statusCode: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

interface Reader {
	/** The node. */
	readonly reader: string;
	/** The number of its poll. */
	readonly poll?: number | undefined;
	/** The number of the version that was published when it began. */
	readonly version: number;
}

export class Service {
	/** In the order of time. */
	readonly events: ServiceEvent[] = [];
	readonly #byId = new Map<string, ServiceEvent>();
	/** The share of requests that fail, from 0 to 1. */
	failures = 0;
	/** Pages of the station trigger take longer. */
	isSlow = false;
	/** So long does the next one take. */
	nextPageMs: number | undefined;
	#load: { readonly from: number; readonly everyMs: number } | undefined;
	#loaded = 0;
	readonly #world: World;
	#deliveries = 0;

	constructor(world: World) {
		this.#world = world;
	}

	get now(): number {
		return this.#world.clock.now + this.#world.scenario.serviceAheadMs;
	}

	/** The list grows by itself. */
	startLoad({ everyMs, pagesPerPoll, pastMs }: Load): void {
		const from = this.now - pastMs;
		this.#load = { from, everyMs };
		const pageSize = STATION_PAGE_SIZE;
		this.#world.note({ what: 'load', from, everyMs, pageSize, pagesPerPoll });
	}

	/** What a station has sent, perhaps some time ago. */
	say(id: string, { type, asset, data, says, listedAfterMs }: ListedMessage, at: number): void {
		const exact = at + this.#world.scenario.serviceAheadMs;
		const createdAt = this.#world.scenario.hasWholeSeconds
			? Math.floor(exact / 1000) * 1000
			: exact;
		const whole = { asset: { id: asset }, ...data };
		const event = { id, type, createdAt, hasTime: true, data: whole, isListed: false };
		this.#insert(event);
		const about = { asset, ...(says && { says }) };
		this.#world.note({ what: 'created', event: id, type, createdAt, ...about });
		this.#listLater(event, at + listedAfterMs - this.#world.clock.now);
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
		this.#insert(event);
		this.#world.note({ what: 'created', event: id, type, ...(hasTime && { createdAt }) });
		this.#listLater(event, listedAfterMs);
		return event;
	}

	/** A record that cannot be used. */
	createOdd(id: string, { kind: odd, listedAfterMs }: { kind: string; listedAfterMs: number }) {
		const type = 'ocpp.message';
		const event = { id, type, createdAt: this.now, hasTime: true, odd, isListed: false };
		this.#insert(event);
		this.#world.note({ what: 'created', event: id, type, createdAt: this.now, isOdd: true });
		this.#listLater(event, listedAfterMs);
		return event;
	}

	#insert(event: ServiceEvent): void {
		const index = this.events.findLastIndex((other) => other.createdAt <= event.createdAt);
		this.events.splice(index + 1, 0, event);
		if (event.odd === undefined || POISONS[event.odd]?.hasId === true)
			this.#byId.set(event.id, event);
	}

	#listLater(event: ServiceEvent, ms: number): void {
		this.#world.clock.after(ms, () => {
			event.isListed = true;
			this.#world.note({ what: 'listed', event: event.id });
		});
	}

	#grow(): void {
		if (this.#load === undefined) return;
		const { from, everyMs } = this.#load;
		for (let at = from + this.#loaded * everyMs; at <= this.now; at += everyMs) {
			const load = this.#loaded++;
			const id = `h${load}`;
			const said = { type: 'ocpp.message', data: LOAD, isListed: true };
			this.#insert({ ...said, id, createdAt: at, hasTime: true, load });
		}
	}

	/** A request of a node. */
	async request(by: HostProcess, from: Reader, url: string): Promise<Answer> {
		const { random, scenario } = this.#world;
		const { pathname, searchParams } = new URL(url);
		const isPage = pathname.endsWith('/webhook-events');
		const { pageMs } = scenario.stations ?? {};
		const { reader } = from;
		if (reader !== 'station' || !isPage)
			await by.sleep(random.spread(`request ${by.name}`, 20, 800));
		else {
			const label = `page ${by.name}`;
			const ms =
				pageMs === undefined
					? random.spread(label, 20, 800)
					: random.whole(label, 0.8 * pageMs, pageMs);
			const { nextPageMs: heldMs = 0 } = this;
			this.nextPageMs = undefined;
			await by.sleep(Math.max(heldMs, this.isSlow ? SLOWNESS * ms : ms));
		}
		if (random.chance('service fails', this.failures)) {
			if (random.chance('service hangs', 0.2))
				throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
			return this.#answer(random.pick('failure', [500, 503, 429]), { error: 'unavailable' });
		}
		if (pathname.endsWith('/oauth/token')) {
			return this.#answer(200, { access_token: 'token', token_type: 'Bearer', expires_in: 86_400 });
		}
		if (!isPage) {
			const { assets = [], unlisted = [] } = scenario.stations ?? {};
			const listed = assets.filter((asset) => !unlisted.includes(asset));
			const items = pathname.endsWith('/assets') ? listed.map((id) => ({ id, name: id })) : [];
			return this.#answer(200, { data: { items, hasMore: false } });
		}
		const most = reader === 'station' ? STATION_PAGE_SIZE : scenario.pageSize;
		const limit = Math.min(Number(searchParams.get('limit') ?? 50), most);
		return this.#page(by, from, limit, searchParams.get('startingAfter'));
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
		event: Pick<ServiceEvent, 'id' | 'type' | 'createdAt' | 'hasTime' | 'data' | 'odd'>,
		label: string,
		secret = SECRET,
	): Promise<boolean> {
		const { clock, random, n8n, note } = this.#world;
		const delivery = `del_${++this.#deliveries}`;
		const body = textOf(event, {
			id: event.id,
			type: event.type,
			...(event.hasTime && { createdAt: new Date(event.createdAt).toISOString() }),
			data: event.data ?? ANY,
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

	#page(
		by: HostProcess,
		{ reader, poll, version }: Reader,
		limit: number,
		after: string | null,
	): Answer {
		const { isOldestFirst } = this.#world.scenario;
		this.#grow();
		const { events: all } = this;
		const step = isOldestFirst ? 1 : -1;
		const known = after === null ? undefined : this.#byId.get(after);
		if (after !== null && known?.isListed !== true)
			return this.#answer(400, { error: 'startingAfter is unknown' });
		const start = known ? all.indexOf(known) + step : isOldestFirst ? 0 : all.length - 1;
		const page: ServiceEvent[] = [];
		let at = start;
		for (let event = all[at]; event && page.length <= limit; event = all[(at += step)])
			if (event.isListed) page.push(event);
		const hasMore = page.length > limit;
		page.splice(limit);
		const isEvent = ({ load, odd }: ServiceEvent) => load === undefined && odd === undefined;
		const events = page.filter(isEvent).map(({ id }) => id);
		const loads = page.flatMap(({ load }) => load ?? []);
		const load = [Math.min(...loads), Math.max(...loads)] as const;
		this.#world.note({
			...{ what: 'page', reader, by: by.name, events },
			...(poll !== undefined && { poll, version }),
			...(loads.length > 0 && { load }),
		});
		const items = page.map((event) => (event.record ??= recordOf(event))).join();
		return this.#respond(200, `{"data":{"items":[${items}],"hasMore":${hasMore}}}`);
	}

	#answer(statusCode: number, body: unknown): Answer {
		return this.#respond(statusCode, JSON.stringify(body));
	}

	#respond(statusCode: number, body: string): Answer {
		const date = new Date(this.now).toUTCString();
		return {
			statusCode,
			headers: { date, 'content-type': 'application/json' },
			body,
		};
	}
}

function recordOf(event: ServiceEvent): string {
	const { id, type, createdAt, hasTime, data = ANY } = event;
	return textOf(event, {
		...{ id, eventType: type },
		...(hasTime && { createdAt: new Date(createdAt).toISOString() }),
		payload: data,
	});
}

function textOf(
	{ odd = '' }: Pick<ServiceEvent, 'odd'>,
	fields: Readonly<Record<string, unknown>>,
) {
	return POISONS[odd]?.text(fields) ?? JSON.stringify(fields);
}
