/** What somebody would write for one question: pages of the list by fetch, all events kept, and times by luxon. */
import { DateTime } from 'luxon';

/** Nothing is checked, as a script would do it. */
interface Page {
	readonly data: {
		readonly items: readonly Readonly<Record<string, unknown>>[];
		readonly hasMore: boolean;
	};
}

interface Payload {
	readonly asset: { readonly id: string };
	readonly status?: unknown;
	readonly action?: unknown;
	readonly messageId?: unknown;
	readonly payload?: Readonly<Record<string, string | number | undefined>>;
}

interface Event {
	readonly at: DateTime;
	readonly type: unknown;
	readonly asset: string;
	readonly data: Payload;
}

interface Asked {
	readonly url: string;
	readonly from: number;
	readonly lookBackMs: number;
	readonly to: number;
}

/** Oldest first. */
async function eventsSince({ url, from, lookBackMs }: Asked): Promise<Event[]> {
	const events: Event[] = [];
	let after = '';
	for (;;) {
		const response = await fetch(`${url}/webhooks/v1/webhook-events?limit=100${after}`);
		const { items, hasMore } = ((await response.json()) as Page).data;
		for (const { createdAt, eventType, payload } of items) {
			const data = payload as Payload;
			const at = DateTime.fromISO(String(createdAt), { zone: 'utc' });
			events.push({ at, type: eventType, asset: data.asset.id, data });
		}
		const last = items.at(-1);
		if (!hasMore || last === undefined || (events.at(-1)?.at.toMillis() ?? 0) < from - lookBackMs) {
			return events.reverse();
		}
		after = `&startingAfter=${String(last['id'])}`;
	}
}

interface Down {
	since?: number | undefined;
	readonly spans: { from: number; to: number }[];
}

function set(known: Map<string, Down>, key: string, isDown: boolean, at: number): void {
	const own = known.get(key) ?? { spans: [] };
	known.set(key, own);
	if (isDown) own.since ??= at;
	else if (own.since !== undefined) {
		own.spans.push({ from: own.since, to: at });
		own.since = undefined;
	}
}

/** Minutes down of each connector on each day. */
export async function uptime(asked: Asked): Promise<object[]> {
	const known = new Map<string, Down>();
	const connectors = new Map<string, Set<string>>();
	for (const { at, type, asset, data } of await eventsSince(asked)) {
		if (type === 'asset.connectivity') {
			set(known, asset, data.status === 'DISCONNECTED', at.toMillis());
		} else if (data.action === 'StatusNotification') {
			const { connectorId, evseId, status, connectorStatus } = data.payload ?? {};
			const place = `${asset} ${String(evseId ?? '')}/${String(connectorId)}`;
			connectors.set(asset, (connectors.get(asset) ?? new Set()).add(place));
			const said = String(status ?? connectorStatus);
			set(known, place, ['Faulted', 'Unavailable'].includes(said), at.toMillis());
		}
	}
	const rows: object[] = [];
	const end = DateTime.fromMillis(asked.to, { zone: 'Europe/Berlin' });
	for (const [asset, places] of connectors) {
		for (const place of places) {
			const spans = [asset, place].flatMap((key) => {
				const { spans, since } = known.get(key) ?? { spans: [] };
				return since === undefined ? spans : [...spans, { from: since, to: asked.to }];
			});
			spans.sort((a, b) => a.from - b.from);
			let day = DateTime.fromMillis(asked.from, { zone: 'Europe/Berlin' });
			while (day < end) {
				const next = DateTime.min(day.plus({ days: 1 }).startOf('day'), end);
				let [down, at] = [0, day.toMillis()];
				for (const span of spans) {
					const from = Math.max(at, span.from);
					const to = Math.min(next.toMillis(), span.to);
					if (to > from) {
						down += to - from;
						at = to;
					}
				}
				const length = next.diff(day).toMillis();
				const uptimePercent = ((length - down) / length) * 100;
				rows.push({
					asset,
					place,
					day: day.toISODate(),
					downMinutes: down / 60_000,
					uptimePercent,
				});
				day = next;
			}
		}
	}
	return rows;
}

/** Start and stop of each transaction, joined by its ID. */
export async function sessions(asked: Asked): Promise<object[]> {
	const byMessage = new Map<string, Event>();
	const starts = new Map<string, Event>();
	const rows: object[] = [];
	for (const event of await eventsSince(asked)) {
		const { asset, data, at } = event;
		const { payload = {} } = data;
		const message = `${asset} ${String(data.messageId)}`;
		const info = payload['transactionInfo'] as unknown as { transactionId?: string } | undefined;
		const key = `${asset} ${String(payload['transactionId'] ?? info?.transactionId)}`;
		const isEnd = data.action === 'TransactionEvent' && payload['eventType'] === 'Ended';
		if (data.action === 'StartTransaction') byMessage.set(message, event);
		else if (data.action === 'TransactionEvent' && payload['eventType'] === 'Started') {
			starts.set(key, event);
		} else if (data.action === 'StopTransaction' || isEnd) {
			const start = starts.get(key);
			if (at.toMillis() < asked.from || start === undefined) continue;
			const startedAt = DateTime.fromISO(String(start.data.payload?.['timestamp']));
			const stoppedAt = DateTime.fromISO(String(payload['timestamp']));
			const wh = Number(payload['meterStop']) - Number(start.data.payload?.['meterStart']);
			rows.push({
				asset,
				startedAt: startedAt.toISO(),
				stoppedAt: stoppedAt.toISO(),
				minutes: stoppedAt.diff(startedAt, 'minutes').minutes,
				energyKwh: wh / 1000,
			});
		} else if (payload['transactionId'] !== undefined) {
			const start = byMessage.get(message);
			if (start !== undefined) starts.set(key, start);
		}
	}
	return rows;
}
