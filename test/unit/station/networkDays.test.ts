/**
 * Mornings of a real network: what happened at a station, and what the Station Trigger, Get Incidents, Get Status and Get
 * Uptime say of it. All of it was written down from the docs, before it was run.
 */
import type { StationSettings } from '../../../lib/station';
import { array, nullable, object, parse, string } from '../../../lib/vendor/zod';
import { incidents, status, uptime } from './past/pastWorld';
import { connection, message, MINUTE, type StationEvent, stationWorld, time } from './stationWorld';

type Said = (
	at: number,
	values: readonly string[],
	listedAt: { listedAt?: string },
) => StationEvent[];

const notified = (name: string, of: string | undefined, more: object) => {
	const [id, connectorId] = (of ?? '').split('/').map(Number);
	const evse = of === undefined ? {} : { evse: { id, ...(connectorId && { connectorId }) } };
	const variable = { name: 'AvailabilityState' };
	return { eventData: [{ component: { name, ...evse }, variable, ...more }] };
};

/** By the first word of what happened; a place of OCPP 1.6 such as `c1`, or of 2.0.1 such as `1/2`, reports a status. */
const SAID: Readonly<Record<string, Said>> = {
	lost: (at, _values, more) => [connection(at, 's1', 'DISCONNECTED', more)],
	back: (at, _values, more) => [connection(at, 's1', 'CONNECTED', more)],
	boot: (at) => [message(at, 's1', ['BootNotification', {}])],
	/** Until then, such as `11-24_09:00`, every so many seconds. */
	heartbeats: (at, [until = '', seconds = '60']) => {
		const all: StationEvent[] = [];
		for (let next = at; next <= time(until.replace('_', ' ')); next += Number(seconds) * 1_000) {
			all.push(message(next, 's1', ['Heartbeat', {}]));
		}
		return all;
	},
	evse: (at, [id, actualValue]) => [
		message(at, 's1', ['NotifyEvent', notified('EVSE', id, { actualValue })]),
	],
	station: (at, [actualValue]) => [
		message(at, 's1', ['NotifyEvent', notified('ChargingStation', undefined, { actualValue })]),
	],
	charging: (at, [id, eventType]) => [
		message(at, 's1', [
			'TransactionEvent',
			{
				...{ eventType, evse: { id: Number(id) } },
				transactionInfo: { transactionId: 'T', chargingState: 'Charging' },
			},
		]),
	],
};
const statusSaid =
	(place: string): Said =>
	(at, [value, errorCode = 'NoError'], more) => {
		const [evseId, connectorId] = place.split('/').map(Number);
		const payload = place.startsWith('c')
			? { connectorId: Number(place.slice(1)), status: value, errorCode }
			: { evseId, connectorId, connectorStatus: value };
		return [message(at, 's1', ['StatusNotification', payload], more)];
	};

/** Such as `09:00 c1 Faulted`, or `09:05>09:13 c1 Available`: created at 09:05, listed at 09:13. */
function eventsOf(lines: readonly string[]): StationEvent[] {
	return lines.flatMap((line) => {
		const [, when = '', listedAt, word = '', rest = ''] =
			/^((?:\d\d-\d\d )?[\d:]+)(?:>([\d:]+))? (\S+) ?(.*)$/.exec(line) ?? [];
		const said = SAID[word] ?? statusSaid(word);
		return said(time(when), rest.split(' '), listedAt === undefined ? {} : { listedAt });
	});
}

const clock = (iso: unknown) =>
	typeof iso === 'string' ? iso.slice(11, 19).replace(/:00$/, '') : '-';

const KINDS: Readonly<Record<string, Partial<StationSettings>>> = {
	fault: { kind: 'connectorFault', forMs: 0, resolveAfterMs: 0 },
	'fault of a connector': {
		...{ kind: 'connectorFault', scope: 'connector', forMs: 0 },
		resolveAfterMs: 60 * MINUTE,
	},
	offline: {},
	stuck: { kind: 'connectorStatus', forMs: 10 * MINUTE, resolveAfterMs: 0 },
};

/** Such as `09:00 to 09:10 boot, 1`. */
function incidentText(item: Readonly<Record<string, unknown>>): string {
	const { since, until, connector, endedBy } = item;
	const end = typeof endedBy === 'string' && endedBy !== 'report' ? ` ${endedBy}` : '';
	const where = typeof connector === 'string' ? `, ${connector}` : '';
	return `${clock(since)} to ${clock(until)}${end}${where}`;
}

/** The last that is told of each, with when it opened. */
async function told(events: readonly StationEvent[], settings: Partial<StationSettings>) {
	const world = stationWorld({ settings });
	world.events = [...events];
	await world.pollFrom('08:20', '10:50');
	const last = new Map(world.items().map((item) => [item['incident'], item]));
	return [...last.values()].map(incidentText).sort();
}

const statusShape = object({
	status: string(),
	since: nullable(string()),
	connectors: array(
		object({
			connector: string(),
			status: nullable(string()),
			since: nullable(string()),
		}),
	),
	faults: array(object({ connector: string(), since: string() })),
});

/** Such as `faulted 09:00; 1 Faulted 09:00; faults 1 09:00`. */
async function statusAt(events: readonly StationEvent[], at: string): Promise<string> {
	const listed = events.filter(({ listedAt }) => listedAt <= time(at));
	const [item] = await status(listed, { now: time(at), assets: ['s1'] });
	const { connectors, faults, ...one } = parse(statusShape, item);
	return [
		`${one.status} ${clock(one.since)}`,
		connectors.map((each) => `${each.connector} ${each.status} ${clock(each.since)}`).join(', '),
		...faults.map(({ connector, since }) => `fault ${connector} ${clock(since)}`),
	].join('; ');
}

const MINUTES = ['up', 'offline', 'faulted', 'unavailable', 'unknown'];

/** From 09:00 to 10:00, such as `1: up 50, faulted 10`. */
async function uptimeText(events: readonly StationEvent[], per: 'connector' | 'port') {
	const hour = { from: time('09:00'), to: time('10:00'), now: time('11-25 12:00') };
	const rows = await uptime(events, { per }, { ...hour, assets: ['s1'] });
	return rows.map((row) => {
		const minutes = MINUTES.flatMap((name) => {
			const count = row[`${name}Minutes`];
			return count === 0 ? [] : [`${name} ${String(count)}`];
		});
		return `${String(row[per])}: ${minutes.join(', ')}`;
	});
}

interface Morning {
	readonly it: string;
	readonly events: readonly string[];
	readonly incidents: Readonly<Record<string, readonly string[]>>;
	/** By the time at which it is asked for. */
	readonly status?: Readonly<Record<string, string>>;
	readonly connectors: readonly string[];
	readonly ports?: readonly string[];
}

const MORNINGS: readonly Morning[] = [
	{
		it: 'an EVSE speaks for itself before its connector does, and the place is Faulted until the EVSE is not',
		events: [
			'08:00 evse 1 Available',
			'09:00 evse 1 Faulted',
			'09:10 1/1 Available',
			'09:30 evse 1 Available',
		],
		incidents: { fault: ['09:00 to 09:30, 1'] },
		status: {
			'09:05': 'faulted 09:00; 1 Faulted 09:00; fault 1 09:00',
			'09:20': 'faulted 09:00; 1/1 Faulted 09:00; fault 1 09:00',
			'09:40': 'ok -; 1/1 Available 09:30',
		},
		connectors: ['1/1: up 30, faulted 30'],
	},
	{
		it: 'a connector is Faulted by its EVSE, then by itself: one state of the place, two incidents',
		events: [
			...['08:00 1/1 Available', '08:00 1/2 Available', '09:00 1/0 Faulted', '09:10 1/2 Faulted'],
			...['09:20 1/0 Available', '09:50 1/2 Available'],
		],
		incidents: { fault: ['09:00 to 09:20, 1', '09:10 to 09:50, 1/2'] },
		status: {
			'09:30':
				'faulted 09:10; 1 Available 09:20, 1/1 Available 09:20, 1/2 Faulted 09:00; fault 1/2 09:10',
		},
		connectors: ['1/1: up 40, faulted 20', '1/2: up 10, faulted 50'],
		ports: ['1: up 40, faulted 20'],
	},
	{
		it: 'a connector that is Unavailable is Faulted meanwhile by its EVSE',
		events: [
			...[
				'08:00 1/1 Available',
				'08:00 1/2 Available',
				'09:00 1/1 Unavailable',
				'09:10 evse 1 Faulted',
			],
			...['09:30 evse 1 Available', '09:50 1/1 Available'],
		],
		incidents: { fault: ['09:10 to 09:30, 1'], stuck: ['09:00 to 09:50, 1/1'] },
		status: {
			'09:40': 'unavailable 09:30; 1 Available 09:30, 1/1 Unavailable 09:30, 1/2 Available 09:30',
		},
		connectors: ['1/1: up 10, faulted 20, unavailable 30', '1/2: up 40, faulted 20'],
	},
	{
		it: 'a station is Unavailable, and one of its EVSEs charges meanwhile',
		events: [
			...['08:00 1/1 Available', '08:00 2/1 Available', '08:30 station Unavailable'],
			...['09:10 charging 1 Started', '09:30 charging 1 Ended', '09:50 station Available'],
		],
		incidents: { stuck: ['08:30 to 09:50, 0'] },
		status: {
			'09:20': 'unavailable 08:30; 0 Unavailable 08:30, 1/1 Available 09:10, 2/1 Unavailable 08:30',
			'09:40':
				'unavailable 08:30; 0 Unavailable 08:30, 1/1 Unavailable 09:30, 2/1 Unavailable 08:30',
		},
		connectors: ['1/1: up 30, unavailable 30', '2/1: up 10, unavailable 50'],
	},
	{
		it: 'after a boot, only the other connector reports: the fault is open until that is certain',
		events: [
			...['08:00 c1 Available', '08:00 c2 Available', '09:00 c1 Faulted', '09:10 boot'],
			...['09:10:30 c2 Available', '09:50 c1 Charging'],
		],
		incidents: { fault: ['09:00 to 09:10 boot, 1'] },
		status: {
			'09:15': 'faulted 09:00; 1 Faulted 09:00, 2 Available 08:00; fault 1 09:00',
			'09:30': 'ok -; 1 null -, 2 Available 08:00',
		},
		connectors: ['1: up 10, faulted 10, unknown 40', '2: up 60'],
	},
	{
		it: 'the connection is lost in the ten minutes after a boot, before any connector reports',
		events: [
			...[
				'08:00 c1 Available',
				'08:00 c2 Available',
				'09:00 c1 Faulted',
				'09:10 boot',
				'09:12 lost',
			],
			...['09:40 back', '09:45 c2 Available'],
		],
		incidents: { fault: ['09:00 to 09:10 boot, 1'], offline: ['09:12 to 09:40'] },
		status: {
			'09:20': 'offline 09:12; 1 Faulted 09:00, 2 Available 08:00; fault 1 09:00',
			'09:43': 'faulted 09:00; 1 Faulted 09:00, 2 Available 08:00; fault 1 09:00',
			'09:50': 'ok -; 1 null -, 2 Available 08:00',
		},
		connectors: ['1: offline 28, faulted 10, unknown 22', '2: up 32, offline 28'],
	},
	{
		it: 'a station whose EVSE reports and whose connectors never do is well once the EVSE says so after a boot',
		events: [
			...['08:00 evse 1 Available', '09:00 evse 1 Faulted', '09:10 boot', '09:11 evse 1 Available'],
			...['09:12 lost', '09:14 back'],
		],
		incidents: { fault: ['09:00 to 09:11, 1'] },
		status: {
			'09:13': 'offline 09:12; 1 Available 09:11',
			'09:17': 'ok -; 1 Available 09:11',
		},
		connectors: ['1: up 47, offline 2, faulted 11'],
	},
	{
		it: 'connector 0 is Faulted until it says that it is not, after a boot',
		events: ['08:00 c1 Available', '09:00 c0 Faulted', '09:10 boot', '09:11 c0 Available'],
		incidents: { fault: ['09:00 to 09:11, 0'] },
		status: { '09:15': 'ok -; 0 Available 09:11, 1 Available 09:11' },
		connectors: ['1: up 49, faulted 11'],
	},
	{
		it: 'a station boots twice: what is not reported after the first boot ended there',
		events: [
			...['08:00 c1 Available', '08:00 c2 Available', '09:00 c1 Faulted', '09:08 c1 Faulted'],
			...['09:10 boot', '09:18 boot', '09:18:30 c2 Available'],
		],
		incidents: { fault: ['09:00 to 09:10 boot, 1'] },
		connectors: ['1: faulted 10, unknown 50', '2: up 60'],
	},
	{
		it: 'a station boots, and its old socket is noticed as closed after that',
		events: [
			...['08:00 c1 Available', '08:00 heartbeats 08:59', '09:00 c1 Faulted', '09:10 boot'],
			...['09:10 c1 Available', '09:10:30 lost', '09:11 heartbeats 10:40'],
		],
		incidents: { fault: ['09:00 to 09:10 boot, 1'], offline: [] },
		connectors: ['1: up 50, faulted 10'],
	},
	{
		it: 'a station is updated to OCPP 2.0.1 while a connector is Faulted',
		events: [
			...['08:00 c1 Available', '08:30 c2 Faulted', '09:10 boot', '09:11 1/1 Available'],
			...['09:11 2/1 Available', '09:30 2/1 Faulted', '09:40 2/1 Available'],
		],
		incidents: { fault: ['08:30 to 09:10 boot, 2', '09:30 to 09:40, 2/1'] },
		status: {
			'09:15': 'ok -; 1/1 Available 09:11, 2/1 Available 09:11',
			'09:35': 'faulted 09:30; 1/1 Available 09:11, 2/1 Faulted 09:30; fault 2/1 09:30',
		},
		connectors: [
			...['1: up 10, unknown 50', '1/1: up 49, unknown 11'],
			...['2: faulted 10, unknown 50', '2/1: up 39, faulted 10, unknown 11'],
		],
		ports: ['1: up 59, unknown 1', '2: up 39, faulted 20, unknown 1'],
	},
	{
		it: 'the end of a fault is listed after the next fault has begun',
		events: [
			...['08:00 c1 Available', '09:00 c1 Faulted', '09:05>09:13 c1 Available', '09:10 c1 Faulted'],
			'09:30 c1 Available',
		],
		incidents: { 'fault of a connector': ['09:00 to 09:30, 1'] },
		connectors: ['1: up 35, faulted 25'],
	},
	{
		it: 'a fault that is back within the time to resolve is listed before the one that began the incident',
		events: [
			...['08:00 c1 Available', '09:00>09:08 c1 Faulted', '09:03>09:08 c1 Available'],
			...['09:06 c1 Faulted', '09:30 c1 Available'],
		],
		incidents: { 'fault of a connector': ['09:00 to 09:30, 1'] },
		connectors: ['1: up 33, faulted 27'],
	},
	{
		it: 'an outage of a minute joins a long one to the next, and both are listed after that',
		events: [
			...['08:00 c1 Available', '09:00>09:20 lost', '09:10>09:20 back', '09:11>09:20 lost'],
			...['09:12>09:20 back', '09:13 lost', '09:30 back'],
		],
		incidents: { offline: ['09:00 to 09:30'] },
		connectors: ['1: up 32, offline 28'],
	},
	{
		it: 'a straggler, a connection reported as lost twice, and no word of the new one',
		events: [
			...['08:00 c1 Available', '09:00 lost', '09:00:30 c1 Available', '09:20 lost'],
			'09:45 heartbeats 10:40',
		],
		incidents: { offline: ['09:00 to 09:45'] },
		status: { '09:30': 'offline 09:00; 1 Available 08:00', '09:50': 'ok -; 1 Available 08:00' },
		connectors: ['1: up 15, offline 45'],
	},
];

it.each(MORNINGS)('$it', async ({ events: lines, connectors, ports, ...expected }) => {
	const events = eventsOf([...lines, '10:45 heartbeats 11-25_10:00 3600']);
	for (const [kind, items] of Object.entries(expected.incidents)) {
		const settings = KINDS[kind] ?? {};
		expect(await told(events, settings)).toEqual(items);
		const morning = { from: time('08:20'), to: time('10:50'), assets: ['s1'] };
		const past = await incidents(events, settings, morning);
		expect(past.map(incidentText).sort()).toEqual(items);
	}
	for (const [at, text] of Object.entries(expected.status ?? {})) {
		expect(`${at}: ${await statusAt(events, at)}`).toBe(`${at}: ${text}`);
	}
	expect(await uptimeText(events, 'connector')).toEqual(connectors);
	if (ports !== undefined) expect(await uptimeText(events, 'port')).toEqual(ports);
});
