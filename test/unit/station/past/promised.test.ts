/** Histories that were written from what docs/station-trigger.md, docs/nodes.md and docs/uptime.md promise, before they were run. */
import { back, lost, message, MINUTE, type StationEvent, time } from '../stationWorld';
import { incidents, outages, type PastOptions, status, uptime } from './pastWorld';

const HOUR = 60 * MINUTE;
const DAY: PastOptions = {
	...{ from: time('00:00'), to: time('11-24 00:00'), now: time('11-26 12:00'), assets: ['s1'] },
};
const iso = (text: string) => new Date(time(text)).toISOString();

const one6 = (at: string, connectorId: number, value: string) =>
	message(at, 's1', [
		'StatusNotification',
		{ connectorId, status: value, errorCode: value === 'Faulted' ? 'GroundFailure' : 'NoError' },
	]);
const two01 = (at: string, evseId: number, connectorId: number, connectorStatus: string) =>
	message(at, 's1', ['StatusNotification', { evseId, connectorId, connectorStatus }]);
const notified = (at: string, name: string, evse: object, more: object) =>
	message(at, 's1', [
		'NotifyEvent',
		{
			eventData: [{ component: { name, evse }, variable: { name: 'AvailabilityState' }, ...more }],
		},
	]);
const state = (at: string, name: string, evse: object, actualValue: string) =>
	notified(at, name, evse, { actualValue });
const problem = (
	at: string,
	evse: object,
	isActive: boolean,
	techCode: string,
	more: object = {},
) =>
	notified(at, 'Cooling', evse, {
		...{ variable: { name: 'Problem' }, actualValue: String(isActive), techCode, ...more },
	});
const boot = (at: string) => message(at, 's1', ['BootNotification', {}]);
const heartbeat = (at: string | number) => message(at, 's1', ['Heartbeat', {}]);
const heartbeats = (first: string, last: string) =>
	Array.from({ length: Math.floor((time(last) - time(first)) / HOUR) + 1 }, (_unused, n) =>
		heartbeat(time(first) + n * HOUR),
	);
const ALIVE = heartbeats('11-22 22:10', '11-25 23:10');

const up16 = [one6('11-22 22:00', 1, 'Available'), one6('11-22 22:00', 2, 'Available')];
const up201 = [two01('11-22 22:00', 1, 1, 'Available'), two01('11-22 22:00', 1, 2, 'Available')];

type Row = Readonly<Record<string, unknown>>;
const row = (connector: string, minutes: Row): Row => ({ connector, ...minutes });

const UPTIMES: readonly (readonly [string, readonly StationEvent[], readonly Row[]])[] = [
	[
		'a connector that is Faulted for two hours',
		[...up16, one6('06:00', 2, 'Faulted'), one6('08:00', 2, 'Available'), ...ALIVE],
		[row('1', { upMinutes: 1440 }), row('2', { faultedMinutes: 120, upMinutes: 1320 })],
	],
	[
		'a connection that is lost for two hours',
		[
			...[...up16, ...heartbeats('11-22 22:10', '09:10'), lost('10:00'), back('12:00')],
			...heartbeats('12:10', '11-25 23:10'),
		],
		[row('1', { offlineMinutes: 120 }), row('2', { offlineMinutes: 120, outages: 1 })],
	],
	[
		'a late message of the old socket',
		[
			...[...up16, ...heartbeats('11-22 22:10', '09:10'), lost('10:00'), heartbeat('10:00:20')],
			...[back('12:00'), ...heartbeats('12:10', '11-25 23:10')],
		],
		[row('1', { offlineMinutes: 120 }), row('2', { offlineMinutes: 120 })],
	],
	[
		'a message after the connection was lost, and another one soon',
		[...up16, ...ALIVE, lost('10:00'), heartbeat('10:00:20')],
		[row('1', { offlineMinutes: 0 }), row('2', { upMinutes: 1440 })],
	],
	[
		'silence of 27 hours',
		[...up16, heartbeat('11-22 23:00'), ...heartbeats('11-24 02:00', '11-25 23:00')],
		[row('1', { silentMinutes: 1440, uptimePercent: 0 }), row('2', { silentMinutes: 1440 })],
	],
	[
		'silence of nearly 26 hours',
		[...up16, heartbeat('11-22 23:00'), ...heartbeats('11-24 00:58', '11-25 23:58')],
		[row('1', { silentMinutes: 0, upMinutes: 1440 }), row('2', { upMinutes: 1440 })],
	],
	[
		'a boot after which one of two connectors reports',
		[
			...[...up16, one6('08:00', 1, 'Faulted'), boot('09:00'), one6('09:01', 2, 'Available')],
			...[one6('09:30', 1, 'Available'), ...ALIVE],
		],
		[
			row('1', { faultedMinutes: 60, unknownMinutes: 30, upMinutes: 1350 }),
			row('2', { upMinutes: 1440, unknownMinutes: 0 }),
		],
	],
	[
		'a boot after which none reports',
		[...up16, one6('08:00', 1, 'Faulted'), boot('09:00'), one6('10:00', 1, 'Available'), ...ALIVE],
		[row('1', { faultedMinutes: 120, unknownMinutes: 0 }), row('2', { upMinutes: 1440 })],
	],
	[
		'a boot that the service asked for',
		[
			...[...up16, one6('08:00', 1, 'Faulted'), one6('10:00', 1, 'Available'), ...ALIVE],
			message('08:59:40', 's1', ['TriggerMessage', { requestedMessage: 'BootNotification' }]),
			...[boot('09:00'), one6('09:01', 2, 'Available')],
		],
		[row('1', { faultedMinutes: 120, unknownMinutes: 0 }), row('2', { upMinutes: 1440 })],
	],
	[
		'an EVSE that is Faulted, and a connector that reports meanwhile',
		[
			...[
				...up201,
				state('10:00', 'EVSE', { id: 1 }, 'Faulted'),
				two01('10:10', 1, 1, 'Available'),
			],
			...[state('11:00', 'EVSE', { id: 1 }, 'Available'), ...ALIVE],
		],
		[row('1/1', { faultedMinutes: 60 }), row('1/2', { faultedMinutes: 60, upMinutes: 1380 })],
	],
	[
		'a connector without a number, of an EVSE with one',
		[
			...[
				two01('11-22 22:00', 1, 1, 'Available'),
				state('10:00', 'Connector', { id: 1 }, 'Faulted'),
			],
			...[two01('10:30', 1, 1, 'Available'), ...ALIVE],
		],
		[row('1/1', { faultedMinutes: 30, upMinutes: 1410 })],
	],
	[
		'a connector without a number, of an EVSE with two',
		[
			...[...up201, state('10:00', 'Connector', { id: 1 }, 'Faulted')],
			...[two01('10:30', 1, 1, 'Available'), state('11:00', 'Connector', { id: 1 }, 'Available')],
			...ALIVE,
		],
		[row('1/1', { faultedMinutes: 60 }), row('1/2', { faultedMinutes: 60 })],
	],
	[
		'a problem, which is an alarm and no outage',
		[...up201, problem('10:00', { id: 1 }, true, 'A'), ...ALIVE],
		[row('1/1', { upMinutes: 1440 }), row('1/2', { upMinutes: 1440 })],
	],
	[
		'a station that is Unavailable, and a connector that charges nevertheless',
		[
			...[...up16, one6('06:00', 0, 'Unavailable'), one6('07:00', 1, 'Charging'), ...ALIVE],
			one6('11-24 05:00', 1, 'Available'),
		],
		[
			row('1', { unavailableMinutes: 60, upMinutes: 1380 }),
			row('2', { unavailableMinutes: 1080, upMinutes: 360 }),
		],
	],
	[
		'a fault while the station is offline, which is offline first',
		[
			...[...up16, ...heartbeats('11-22 22:10', '08:10'), one6('09:00', 1, 'Faulted')],
			...[lost('10:00'), back('12:00'), one6('12:30', 1, 'Available')],
			...heartbeats('12:40', '11-25 23:40'),
		],
		[
			row('1', { faultedMinutes: 90, offlineMinutes: 120, outages: 1, longestOutageMinutes: 210 }),
			row('2', { faultedMinutes: 0, offlineMinutes: 120 }),
		],
	],
	[
		'a connector that is heard of at noon',
		[one6('11-22 22:00', 1, 'Available'), one6('12:00', 2, 'Available'), ...ALIVE],
		[row('1', { upMinutes: 1440 }), row('2', { unknownMinutes: 720, upMinutes: 720 })],
	],
];

it.each(UPTIMES)('Get Uptime: %s', async (_what, events, rows) => {
	expect(await uptime(events, {}, DAY)).toMatchObject(rows);
	expect(await uptime(events, {}, { ...DAY, isOldestFirst: true, copies: 2 })).toMatchObject(rows);
	const listed = await outages(events, {}, DAY);
	for (const { connector, outageMinutes } of await uptime(events, {}, DAY)) {
		const own = listed.filter((each) => each['connector'] === connector);
		expect(own.reduce((sum, { minutes }) => sum + Number(minutes), 0)).toBe(outageMinutes);
	}
});

const FAULTS = { kind: 'connectorFault', forMs: 0, resolveAfterMs: 0 } as const;

it.each<readonly [string, readonly StationEvent[], readonly Row[]]>([
	[
		'of two problems of a component, each ends by itself',
		[
			...[...up201, problem('10:00', { id: 1 }, true, 'A'), problem('10:05', { id: 1 }, true, 'B')],
			...[problem('10:30', { id: 1 }, false, 'A'), ...ALIVE],
		],
		[
			{ connector: '1', errorCode: 'A', state: 'resolved', until: iso('10:30') },
			{ connector: '1', errorCode: 'B', state: 'open', since: iso('10:05') },
		],
	],
	[
		'a boot ends the problem that no monitor reports',
		[
			...[...up201, problem('10:00', { id: 1 }, true, 'A')],
			problem('10:05', { id: 1 }, true, 'B', { variableMonitoringId: 7 }),
			...[boot('11:00'), two01('11:01', 1, 1, 'Available'), ...ALIVE],
		],
		[
			{ errorCode: 'A', state: 'resolved', until: iso('11:00'), endedBy: 'boot' },
			{ errorCode: 'B', state: 'open', endedBy: null },
		],
	],
	[
		'an EVSE and its only connector share an incident, which lasts until both are over',
		[
			...[two01('11-22 22:00', 1, 1, 'Available'), two01('10:00', 1, 1, 'Faulted')],
			...[state('10:01', 'EVSE', { id: 1 }, 'Faulted'), two01('10:10', 1, 1, 'Available')],
			...[state('10:20', 'EVSE', { id: 1 }, 'Available'), ...ALIVE],
		],
		[{ connector: '1/1', state: 'resolved', since: iso('10:00'), until: iso('10:20') }],
	],
])('Get Incidents: %s', async (_what, events, items) => {
	expect(await incidents(events, { ...FAULTS, scope: 'code' }, DAY)).toMatchObject(items);
});

it.each<readonly [string, readonly StationEvent[], Row]>([
	[
		'a station that was updated to 2.0.1 has no places of its old numbers',
		[
			...[one6('08:00', 1, 'Faulted'), boot('09:00'), two01('09:01', 1, 1, 'Available')],
			...[heartbeat('11:50')],
		],
		{ status: 'ok', faults: [], connectors: [{ connector: '1/1', status: 'Available' }] },
	],
	[
		'a station of which no connector is known is not ok',
		[one6('11-22 06:00', 1, 'Faulted'), heartbeat('11:00')],
		{ status: 'unknown' },
	],
	[
		'a station that is offline while a connector is Faulted',
		[one6('08:00', 1, 'Faulted'), heartbeat('09:00'), lost('10:00')],
		{ status: 'offline', since: iso('10:00'), faults: [{ connector: '1' }] },
	],
	[
		'a station that was not heard for longer than was read',
		[one6('11-22 08:00', 1, 'Available'), heartbeat('11-22 09:00')],
		{ status: 'silent', since: null, lastSeenAt: null },
	],
	[
		'a station with an open problem, whose connectors are well',
		[...up201, problem('10:00', { id: 1 }, true, 'A'), heartbeat('11:00')],
		{ status: 'ok', problems: [{ connector: '1', errorCode: 'A' }] },
	],
])('Get Status: %s', async (_what, events, item) => {
	expect(await status(events, { now: time('12:00'), assets: ['s1'] })).toMatchObject([item]);
});

it('Get Uptime per port, as a published example has it: 2,000 minutes down of 43,200, 500 of them excluded', async () => {
	const events = [
		...[one6('11-01 00:00', 1, 'Available'), one6('11-05 00:00', 1, 'Faulted')],
		one6('11-06 09:20', 1, 'Available'),
		...heartbeats('11-01 00:10', '12-02 23:10'),
	];
	const exclusions = [
		{
			...{ from: time('11-05 00:00'), to: time('11-05 08:20'), reason: 'Works' },
			...{ assetId: undefined, connector: undefined },
		},
	];
	const month = { from: time('11-01 00:00'), to: time('12-01 00:00'), now: time('12-03 12:00') };
	expect(
		await uptime(events, { exclusions, per: 'port' }, { ...month, assets: ['s1'] }),
	).toMatchObject([
		{ outageMinutes: 2000, excludedOutageMinutes: 500, downMinutes: 1500, upMinutes: 41_200 },
	]);
});
