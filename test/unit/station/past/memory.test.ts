/** What a question keeps in memory of a long list, which is made page by page. */
import { walkPages } from '../../../../lib/service/paging';
import { DEFAULT_CONNECTION, readPast } from '../../../../lib/station';
import { timesOf } from '../../../../lib/station/past/history';
import { factsIn, LogWriter } from '../../../../lib/station/past/log';
import { collectGarbage } from '../../../support/garbage';

/** At most 200 MB of a million events: as much of these. */
const EVENTS = 50_000;
const MOST_BYTES = 200 * 2 ** 20 * (EVENTS / 1_000_000);
const STATIONS = 500;
const NOW = Date.UTC(2026, 0, 10, 12);
const EVERY_MS = 400;

/** About 8 % say something of a station's state, and each message has a long payload. */
function recordOf(n: number): { id: string } {
	const isState = n % 12 === 0;
	const payload = isState
		? { connectorId: 1, errorCode: 'NoError', status: n % 24 === 0 ? 'Available' : 'Charging' }
		: { filler: 'x'.repeat(500) };
	const call = { messageType: 'CALL', messageId: `message-${n}`, payload };
	const action = isState ? 'StatusNotification' : 'Heartbeat';
	return JSON.parse(
		JSON.stringify({
			...{ id: `whevt_${n}`, eventType: 'ocpp.message' },
			createdAt: new Date(NOW - n * EVERY_MS).toISOString(),
			payload: { asset: { id: `asset_${n % STATIONS}` }, ...call, action },
		}),
	) as { id: string };
}

const client: Parameters<typeof readPast>[0]['client'] = {
	list: (_resource, asked) =>
		walkPages(
			(limit, after) => {
				asked.onDate?.(NOW);
				const first = after === undefined ? 0 : Number(after.slice('whevt_'.length)) + 1;
				const items = Array.from({ length: limit }, (_unused, n) => recordOf(first + n));
				return Promise.resolve({ items, hasMore: true });
			},
			{ pageSize: 100, ...asked },
			() => undefined,
		),
};

const read = async (backMs: number) =>
	await readPast({
		...{ client, words: DEFAULT_CONNECTION, now: NOW, maxEvents: 2 * EVENTS },
		...{ wants: { connections: true, states: true, sessions: true } },
		...{ from: NOW - backMs, lookBackMs: 0 },
	});

it('keeps facts and never events: less than 200 MB of a million', async () => {
	const memory = async () => {
		await collectGarbage();
		const { heapUsed, arrayBuffers } = process.memoryUsage();
		return heapUsed + arrayBuffers;
	};
	// Compiled code and schemas stay.
	await read(EVERY_MS * 1000);
	const before = await memory();
	const past = await read(EVERY_MS * EVENTS);
	const kept = (await memory()) - before;
	expect(past.events).toBeGreaterThanOrEqual(EVENTS);
	expect(past.facts.stations.size).toBe(STATIONS);
	expect(kept).toBeLessThan(MOST_BYTES);
}, 120_000);

/** Of these, times and codes are kept in columns outside of the heap: a pointer for each code. */
const MOST_HEAP_BYTES = 10 * 2 ** 20 * (EVENTS / 1_000_000);

it('keeps no object for each fault of one station: less than 10 MB of the heap if one of four in a million is a fault', async () => {
	const times = (count: number) => {
		const log = new LogWriter();
		for (let n = 0; n < count; n++) {
			const status = n % 4 === 3 ? 'Faulted' : n % 2 === 0 ? 'Available' : 'Charging';
			const errorCode = status === 'Faulted' ? 'OtherError' : 'NoError';
			const fact = {
				about: 'status',
				connector: n % 8 < 4 ? '1' : '2',
				status,
				errorCode,
			} as const;
			log.add({ at: NOW - n * EVERY_MS, eventId: `whevt_${n}`, facts: [fact] }, true);
		}
		const facts = factsIn('s1', log.end(), { from: -Infinity, to: Infinity });
		const read = { knownUpTo: NOW, heardUpTo: NOW, readBackTo: NOW - count * EVERY_MS };
		return timesOf(facts, { ...read, oldestAt: undefined, silentAfterMs: 1e8 });
	};
	const heap = async () => {
		await collectGarbage();
		return process.memoryUsage().heapUsed;
	};
	times(1_000);
	const before = await heap();
	const { connectors } = times(EVENTS);
	const kept = (await heap()) - before;
	const faults = connectors.flatMap(({ faulted }) => [...faulted]);
	expect(faults).toHaveLength(EVENTS / 4);
	expect(kept).toBeLessThan(MOST_HEAP_BYTES);
}, 120_000);
