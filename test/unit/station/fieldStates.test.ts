/** What stations and services really send about connections and faults, and what operators learn of it. */
import { SERVICE_INTERFACE } from '../../../lib/service';
import { connectionSettings, type StationSettings } from '../../../lib/station';
import { incidents } from './past/pastWorld';
import {
	back,
	connection,
	lost,
	message,
	MINUTE,
	type StationEvent,
	stationWorld,
	time,
} from './stationWorld';

const DAY_MINUTES = 24 * 60;

const heartbeats = (from: string, to: string, everyMs: number, action = 'Heartbeat') => {
	const events: StationEvent[] = [];
	for (let at = time(from); at <= time(to); at += everyMs) {
		events.push(message(at, 's1', [action, {}], { messageId: `${action}-${at}` }));
	}
	return events;
};
const response = (at: string, messageId: string) =>
	message(at, 's1', ['', { status: 'Accepted' }], { messageType: 'CALL_RESULT', messageId });

const status = (
	at: string,
	connectorId: number,
	value: string,
	[error, vendor, info]: string[] = [],
) =>
	message(at, 's1', [
		'StatusNotification',
		{
			...{ connectorId, status: value, errorCode: error ?? 'NoError' },
			...{ vendorErrorCode: vendor, info, timestamp: new Date(time(at)).toISOString() },
		},
	]);
const faulted = (at: string, ...codes: string[]) => status(at, 1, 'Faulted', codes);

const status201 = (
	at: string | number,
	evseId: number,
	connectorId: number,
	connectorStatus: string,
) => message(at, 's1', ['StatusNotification', { evseId, connectorId, connectorStatus }]);
const notified = (
	at: string,
	name: string,
	evse: Record<string, number> | undefined,
	more: Record<string, unknown>,
) => {
	const data = {
		component: { name, ...(evse && { evse }) },
		variable: { name: 'AvailabilityState' },
	};
	return message(at, 's1', ['NotifyEvent', { seqNo: 0, eventData: [{ ...data, ...more }] }]);
};
const availability = (
	at: string,
	name: string,
	evse: Record<string, number> | undefined,
	value: string,
) => notified(at, name, evse, { actualValue: value });
const problem = (
	at: string,
	name: string,
	evse: Record<string, number> | undefined,
	actualValue: string,
	more: Record<string, unknown> = {},
) => notified(at, name, evse, { variable: { name: 'Problem' }, actualValue, ...more });

const FAULT: Partial<StationSettings> = {
	...{ kind: 'connectorFault', forMs: 0, resolveAfterMs: 0 },
};

/** Such as `opened 09:30 - 1 OverVoltage`: state, since, until, connector and codes. */
async function told(
	events: readonly StationEvent[],
	settings: Partial<StationSettings> = {},
	[from, to]: readonly [string, string] = ['08:57', '10:15'],
): Promise<string[]> {
	const world = stationWorld({ settings });
	world.events = [...events];
	await world.pollFrom(from, to);
	const items = world.items().map((item) => {
		const clock = (value: unknown) =>
			typeof value === 'string' ? value.slice(11, 19).replace(/:00$/, '') : '-';
		const { state, since, until, connector, errorCode, vendorErrorCode } = item;
		const where = [connector, errorCode, vendorErrorCode].filter(
			(each) => typeof each === 'string',
		);
		return [state, clock(since), clock(until), ...where].join(' ');
	});
	return items.sort();
}

describe('a station', () => {
	it('that opens a new socket before the old one is closed is not offline', async () => {
		const events = [back('09:00'), lost('09:00:40'), ...heartbeats('08:59', '10:00', 30_000)];
		expect(await told(events)).toEqual([]);
		expect(await told(events, { forMs: 0 })).toEqual([]);
	});

	it('is offline at once with forMinutes 0, unless it goes on', async () => {
		const blip = [lost('09:00:10'), back('09:00:30')];
		expect(await told(blip, { forMs: 0, resolveAfterMs: 0 })).toEqual([
			'opened 09:00:10 09:00:30',
			'resolved 09:00:10 09:00:30',
		]);
		expect(await told([lost('09:00:10')], { forMs: 0 }, ['08:59', '09:02'])).toEqual([
			'opened 09:00:10 -',
		]);
	});

	it('that is lost and back at the same moment is connected', async () => {
		for (const [first, second] of [
			['b', 'c'],
			['c', 'b'],
		] as const) {
			const events = [
				lost('09:00', 's1', { id: 'a' }),
				...[back('09:02', 's1', { id: first }), lost('09:02', 's1', { id: second })],
			];
			expect(await told(events, { forMs: 0, resolveAfterMs: 0 })).toEqual([
				'opened 09:00 -',
				'resolved 09:00 09:02',
			]);
		}
	});

	it('that opens another socket just after an outage is not offline again', async () => {
		const events = [
			lost('08:50'),
			back('09:00:10'),
			lost('09:00:30'),
			...heartbeats('09:00:31', '09:30', MINUTE),
		];
		expect(await told(events, { forMs: 0, resolveAfterMs: 0 }, ['08:45', '09:30'])).toEqual([
			'opened 08:50 -',
			'resolved 08:50 09:00:10',
		]);
	});

	it('that only sends messages again is back with the first of them', async () => {
		const events = [lost('09:00'), ...heartbeats('09:30', '11:00', 5 * MINUTE)];
		const expected = ['opened 09:00 -', 'resolved 09:00 09:30'];
		expect(await told(events)).toEqual(expected);
		const boot = message('09:30', 's1', ['BootNotification', {}]);
		expect(await told([lost('09:00'), boot])).toEqual(expected);
		for (const action of ['MeterValues', 'NotifyReport', 'StatusNotification', 'Authorize']) {
			const said = message('09:30', 's1', [action, {}]);
			expect(await told([lost('09:00'), said])).toEqual(expected);
		}
	});

	it('is offline though the service sends it messages, without a response', async () => {
		const calls = heartbeats('09:01', '10:00', 2 * MINUTE, 'TriggerMessage');
		const transfers = heartbeats('09:01', '10:00', 2 * MINUTE, 'DataTransfer');
		const own = heartbeats('09:01', '10:00', 2 * MINUTE, 'SomethingElse');
		expect(await told([lost('09:00'), ...calls, ...transfers, ...own])).toEqual(['opened 09:00 -']);
	});

	it('is back with a response, if that is certainly its own', async () => {
		const call = (at: string, action: string, messageId = '7') =>
			message(at, 's1', [action, {}], { messageId });
		const resolved = ['opened 09:00 -', 'resolved 09:00 09:30:01'];
		expect(await told([lost('09:00'), call('09:30', 'Reset'), response('09:30:01', '7')])).toEqual(
			resolved,
		);
		const others = [response('09:30:01', '7'), call('09:20', 'Reset'), call('09:31', 'Reset')];
		expect(await told([lost('09:00'), ...others])).toEqual(['opened 09:00 -']);
		// If the station has not sent it, the response is its own.
		const transfer = [call('09:30', 'DataTransfer'), response('09:30:01', '7')];
		expect(await told([lost('09:00'), ...transfer])).toEqual(resolved);
	});

	it('that is lost at a time that is listed late is not offline, if it went on', async () => {
		const events = [
			lost('09:00:40', 's1', { listedAt: '09:50' }),
			...heartbeats('08:59', '10:00', 30_000),
		];
		expect(await told(events)).toEqual([]);
		const late = { ...heartbeats('09:01', '09:01', MINUTE)[0], listedAt: time('09:20') };
		expect(await told([lost('09:00'), late as StationEvent])).toEqual([
			'opened 09:00 -',
			'resolved 09:00 09:01',
		]);
	});

	it('that was connected again in the moment in which it was lost, as is listed late, was offline for no time', async () => {
		const events = [
			...[lost('09:00'), back('09:00', 's1', { listedAt: '09:08' })],
			...[lost('12:00'), back('12:30')],
		];
		expect(await told(events, {}, ['08:45', '13:00'])).toEqual([
			...['opened 09:00 -', 'opened 12:00 -'],
			...['resolved 09:00 09:00', 'resolved 12:00 12:30'],
		]);
		const inTime = [lost('09:00'), back('09:00'), lost('12:00'), back('12:30')];
		expect(await told(inTime, { forMs: 0, resolveAfterMs: 0 }, ['08:45', '13:00'])).toEqual([
			...['opened 12:00 -', 'resolved 12:00 12:30'],
		]);
	});

	it.each([
		['08:50', '08:50'],
		['08:59', '09:00'],
	])(
		'that was lost at %s, and back in the moment in which it was lost again, as is listed late, was offline from %s until then',
		async (before, since) => {
			const late = { listedAt: '09:08' };
			const events = [lost(before, 's1', late), back('09:00', 's1', late), lost('09:00')];
			expect(await told(events)).toEqual(['opened 09:00 -', `resolved ${since} 09:00`]);
		},
	);

	it('has no second outage within one that was reported as over, however late its parts are listed', async () => {
		const events = [
			...[lost('09:00:10', 's1', { listedAt: '09:02:30' }), lost('09:00:30'), back('09:02')],
			back('09:00:20', 's1', { listedAt: '09:04:30' }),
		];
		expect(await told(events, { forMs: 0, resolveAfterMs: 0 })).toEqual([
			'opened 09:00:30 -',
			'resolved 09:00:10 09:02',
		]);
	});

	it('that is healthy costs nothing', async () => {
		const world = stationWorld();
		world.events = heartbeats('08:00', '10:00', 10_000);
		await world.pollFrom('08:59', '09:00');
		const before = new Map(world.store.records);
		await world.pollFrom('09:01', '10:00');
		const changed = [...world.store.records].filter(([key, text]) => before.get(key) !== text);
		expect(changed.map(([key]) => key.split(':').at(-1))).toEqual(['head']);
	});

	it.each([
		...['disconnect', 'DISCONNECTED', 'CONNECTION_LOST', 'unreachable', 'Offline'],
		...['Unavailable', 'NO_CONNECTION', 'connection-failed'],
	])(
		'is offline by the word %s, and back by others; a word in no list changes nothing',
		async (word) => {
			expect(
				await told([connection('09:00', 's1', word), connection('09:30', 's1', 'online')]),
			).toEqual(['opened 09:00 -', 'resolved 09:00 09:30']);
			const world = stationWorld();
			world.events = [
				connection('09:00', 's1', word),
				...['09:10', '09:20'].map((at) => connection(at, 's1', 'degraded')),
				connection('09:00', 's2', 'degraded'),
			];
			await world.pollFrom('08:55', '10:00');
			expect(world.ids()).toHaveLength(1);
			expect(new Set(world.warnings)).toEqual(
				new Set([
					"asset.connectivity events with 'degraded' change nothing: add the words to 'Connected Words' or 'Disconnected Words' in the credential",
				]),
			);
		},
	);

	it('is connected by the words of the credential, at their path', async () => {
		const settings = connectionSettings({
			...{ ...SERVICE_INTERFACE, connectedWords: 'here', disconnectedWords: 'Gone, not here' },
			connectionPath: 'link.state',
		});
		const said = (at: string, state: string) => {
			const one = connection(at, 's1', 'CONNECTED');
			Object.assign(one.record['payload'] as object, { link: { state } });
			return one;
		};
		expect(await told([said('09:00', 'NOT HERE'), said('09:20', 'Here')], settings)).toEqual([
			'opened 09:00 -',
			'resolved 09:00 09:20',
		]);
	});
});

describe('a fault', () => {
	const ok = (at: string) => status(at, 1, 'Available');

	it('that is reported again, each time with the time of the report, counts once', async () => {
		const reports = ['09:30', '09:40', '09:50'].map((at) => faulted(at, 'GroundFailure'));
		for (const scope of ['code', 'connector', 'station'] as const) {
			const repeated = { ...FAULT, scope, times: 3, withinMs: 60 * MINUTE };
			expect(await told(reports, repeated)).toEqual([]);
			const between = [
				faulted('09:30', 'GroundFailure'),
				ok('09:35'),
				reports[1],
				ok('09:45'),
				reports[2],
			];
			const events = between.filter((event) => event !== undefined);
			expect(await told(events, repeated, ['08:55', '10:40'])).toEqual([
				scope === 'station' ? 'opened 09:30 - GroundFailure' : 'opened 09:30 - 1 GroundFailure',
			]);
		}
		expect(await told([...reports, ok('10:00')], FAULT)).toEqual([
			'opened 09:30 - 1 GroundFailure',
			'resolved 09:30 10:00 1 GroundFailure',
		]);
	});

	it('opens an incident for each report that names a new code, until it is over', async () => {
		const events = [
			faulted('09:30', 'OtherError', 'A'),
			faulted('09:31', 'GroundFailure', 'B'),
			faulted('09:33', 'GroundFailure', 'A', 'Error A resolved'),
		];
		const opened = ['opened 09:30 - 1 OtherError A', 'opened 09:31 - 1 GroundFailure B'];
		expect(await told(events, FAULT)).toEqual(opened);
		expect(await told([...events, ok('09:50')], FAULT)).toEqual([
			...opened,
			'resolved 09:30 09:50 1 OtherError A',
			'resolved 09:31 09:50 1 GroundFailure B',
		]);
		expect(await told(events, { ...FAULT, scope: 'connector' })).toEqual(opened.slice(0, 1));
	});

	it('names several codes of the vendor in one text', async () => {
		const events = ['F101', 'F101,F205', 'F205'].map((code, n) =>
			faulted(`09:3${n}`, 'OtherError', code),
		);
		expect(await told(events, FAULT)).toEqual([
			'opened 09:30 - 1 OtherError F101',
			'opened 09:31 - 1 OtherError F101,F205',
		]);
		expect(
			await told(
				[faulted('09:30', 'OtherError', 'F1, F2'), faulted('09:31', 'OtherError', 'F2,F1')],
				FAULT,
			),
		).toHaveLength(1);
	});

	it('that is back with some of its codes is the same one, and another code is its own incident', async () => {
		const settings = { ...FAULT, resolveAfterMs: 60 * MINUTE };
		const of = (from: string, to: string, ...codes: string[]) => [faulted(from, ...codes), ok(to)];
		const both = ['OtherError', 'F101,F205'];
		const one = ['OtherError', 'F205'];
		const cases: [StationEvent[], string[]][] = [
			[
				[...of('09:00', '09:10', ...both), ...of('09:30', '09:40', ...one)],
				['opened 09:00 - 1 OtherError F101,F205', 'resolved 09:00 09:40 1 OtherError F101,F205'],
			],
			[
				[...of('09:00', '09:10', ...one), ...of('09:30', '09:40', ...both)],
				[
					...['opened 09:00 - 1 OtherError F205', 'opened 09:30 - 1 OtherError F101,F205'],
					'resolved 09:00 09:40 1 OtherError F205',
					'resolved 09:30 09:40 1 OtherError F101,F205',
				],
			],
			[
				[
					faulted('09:00', 'NoError'),
					...of('09:01', '09:10', ...one),
					...of('09:30', '09:40', ...one),
				],
				['opened 09:00 - 1', 'resolved 09:00 09:40 1 OtherError F205'],
			],
			[
				[
					...of('09:00', '09:10', ...one),
					...[faulted('09:30', ...one), faulted('09:35', 'OtherError', 'F205,F301')],
					ok('09:40'),
				],
				[
					...['opened 09:00 - 1 OtherError F205', 'opened 09:35 - 1 OtherError F205,F301'],
					'resolved 09:00 09:40 1 OtherError F205',
					'resolved 09:35 09:40 1 OtherError F205,F301',
				],
			],
			[
				[
					...of('09:00', '09:10', 'OtherError', 'A,B'),
					...[faulted('09:30', 'OtherError', 'A'), faulted('09:35', 'OtherError', 'B,C')],
					ok('09:40'),
				],
				[
					...['opened 09:00 - 1 OtherError A,B', 'opened 09:35 - 1 OtherError B,C'],
					'resolved 09:00 09:40 1 OtherError A,B',
					'resolved 09:35 09:40 1 OtherError B,C',
				],
			],
			[
				[...of('09:00', '09:10', ...both), ...of('10:10', '10:20', ...one)],
				[
					'opened 09:00 - 1 OtherError F101,F205',
					'opened 10:10 - 1 OtherError F205',
					'resolved 09:00 09:10 1 OtherError F101,F205',
					'resolved 10:10 10:20 1 OtherError F205',
				],
			],
		];
		for (const [events, expected] of cases) {
			expect(await told(events, settings, ['08:57', '11:30'])).toEqual(expected);
			const resolved = expected.flatMap(
				(text) => /^resolved (\S+) (\S+)/.exec(text)?.slice(1) ?? [],
			);
			const past = await incidents(events, settings);
			expect(past.flatMap(({ since, until }) => [since, until])).toEqual(
				resolved.map((at) => new Date(time(at)).toISOString()),
			);
		}
	});

	it('lists all codes that it has named', async () => {
		const world = stationWorld({ settings: { ...FAULT, scope: 'connector' } });
		world.events = [
			...[faulted('09:30', 'OtherError', 'F101'), faulted('09:31', 'GroundFailure', 'F101,F205')],
			ok('09:40'),
		];
		await world.pollFrom('08:55', '10:00');
		expect(world.items().at(-1)).toMatchObject({
			...{ errorCode: 'OtherError', vendorErrorCode: 'F101', count: 1 },
			errorCodes: ['GroundFailure', 'OtherError'],
			vendorErrorCodes: ['F101', 'F205'],
		});
	});

	it('has no other code by a NoError, however and wherever that is written', async () => {
		const events = [
			faulted('09:30', 'OverVoltage', 'E7'),
			faulted('09:31', 'No_Error', 'NoError'),
			faulted('09:32', 'NO ERROR', 'E7,noError'),
		];
		expect(await told(events, FAULT)).toEqual(['opened 09:30 - 1 OverVoltage E7']);
	});

	it('keeps its code when the station, asked for its status, says NoError', async () => {
		const events = [faulted('09:30', 'OverVoltage'), faulted('09:31:15', 'NoError'), ok('09:50')];
		expect(await told(events, FAULT)).toEqual([
			'opened 09:30 - 1 OverVoltage',
			'resolved 09:30 09:50 1 OverVoltage',
		]);
	});

	it('that names no code is that of a code within a minute; a later one opens an incident of its own', async () => {
		const soon = [faulted('09:30'), faulted('09:31', 'OverVoltage'), ok('09:50')];
		expect(await told(soon, FAULT)).toEqual([
			'opened 09:30 - 1',
			'resolved 09:30 09:50 1 OverVoltage',
		]);
		const later = [faulted('09:30'), faulted('09:31:01', 'OverVoltage'), ok('09:50')];
		expect(await told(later, FAULT)).toEqual([
			...['opened 09:30 - 1', 'opened 09:31:01 - 1 OverVoltage'],
			...['resolved 09:30 09:50 1', 'resolved 09:31:01 09:50 1 OverVoltage'],
		]);
		expect(await told(later, { ...FAULT, scope: 'connector' })).toEqual([
			'opened 09:30 - 1',
			'resolved 09:30 09:50 1 OverVoltage',
		]);
		const hours = [faulted('09:30'), faulted('12:30', 'OverVoltage'), ok('13:00')];
		expect(await told(hours, FAULT, ['09:25', '13:05'])).toEqual([
			...['opened 09:30 - 1', 'opened 12:30 - 1 OverVoltage'],
			...['resolved 09:30 13:00 1', 'resolved 12:30 13:00 1 OverVoltage'],
		]);
	});

	it('lasts longer than its reports are kept', async () => {
		const events = [
			faulted('09:30', 'OtherError', 'A'),
			faulted('10:30', 'OtherError', 'B'),
			...['11:30', '12:30'].map((at) => faulted(at, 'OtherError', 'A')),
			ok('13:00'),
		];
		expect(await told(events, FAULT, ['09:25', '13:05'])).toEqual([
			...['opened 09:30 - 1 OtherError A', 'opened 10:30 - 1 OtherError B'],
			...['resolved 09:30 13:00 1 OtherError A', 'resolved 10:30 13:00 1 OtherError B'],
		]);
	});

	it('counts the faults of each connector in an incident of the station', async () => {
		const second = (at: string, state: string) => status(at, 2, state, ['HighTemperature']);
		const world = stationWorld({ settings: { ...FAULT, scope: 'station' } });
		world.events = [
			...[faulted('09:30', 'GroundFailure'), second('09:40', 'Faulted')],
			...[ok('09:50'), second('10:00', 'Available')],
		];
		await world.pollFrom('09:25', '10:05');
		expect(world.items().map(({ count }) => count)).toEqual([1, 2]);
	});

	it('of a station ends with that of a connector that has sent more reports than are kept', async () => {
		const events = [status('09:05', 2, 'Faulted'), status('09:06', 2, 'Available')];
		for (let n = 0; n < 120; n++) {
			const value = n % 2 === 0 ? 'Faulted' : 'Available';
			events.push(
				message(time('09:00') + n * (MINUTE / 3), 's1', [
					'StatusNotification',
					{ connectorId: 1, status: value },
				]),
			);
		}
		const settings = { ...FAULT, scope: 'station' as const, resolveAfterMs: 5 * MINUTE };
		expect(await told(events, settings)).toEqual(['opened 09:00 -', 'resolved 09:00 09:39:40']);
	});

	it('that is reported without a code at first is known by it later, also after another one without', async () => {
		const events = [
			{
				...problem('09:30', 'EVSE', { id: 1 }, 'true', { techCode: 'T-12' }),
				listedAt: time('09:32'),
			},
			availability('09:30:01', 'EVSE', { id: 1 }, 'Faulted'),
			availability('09:35', 'EVSE', { id: 1 }, 'Available'),
			problem('09:35:01', 'EVSE', { id: 1 }, 'false', { techCode: 'T-12' }),
			availability('09:50', 'EVSE', { id: 1 }, 'Faulted'),
			availability('09:55', 'EVSE', { id: 1 }, 'Available'),
		];
		expect(await told(events, FAULT)).toEqual([
			'opened 09:30:01 - 1',
			'opened 09:50 - 1',
			'resolved 09:30 09:35:01 1 T-12',
			'resolved 09:50 09:55 1',
		]);
	});

	it('of several ends by the time of its first report, though that is listed late', async () => {
		const events = [
			faulted('09:00', 'GroundFailure'),
			status('09:01', 1, 'Available'),
			{ ...faulted('09:10', 'GroundFailure'), listedAt: time('09:15') },
			faulted('09:12', 'GroundFailure'),
			status('09:13', 1, 'Available'),
		];
		const settings = { ...FAULT, times: 2, withinMs: 30 * MINUTE };
		expect(await told(events, settings)).toEqual([
			'opened 09:00 - 1 GroundFailure',
			'resolved 09:00 09:40 1 GroundFailure',
		]);
	});

	it('of several is listed with the newest first, also if one of them is listed late', async () => {
		const world = stationWorld({ settings: { ...FAULT, times: 3, withinMs: 30 * MINUTE } });
		world.events = [
			...[faulted('09:00', 'GroundFailure'), ok('09:01')],
			...[faulted('09:05', 'GroundFailure'), ok('09:06')],
			...[faulted('09:12', 'GroundFailure'), ok('09:13')],
			...[faulted('09:10', 'GroundFailure'), ok('09:11')].map((one) => ({
				...one,
				listedAt: time('09:20'),
			})),
		];
		await world.pollFrom('08:57', '09:50');
		const [, resolved] = world.items().map(({ faults, count }) => ({ faults, count }));
		expect(resolved).toMatchObject({
			count: 4,
			faults: ['09:12', '09:10', '09:05', '09:00'].map((at) => ({
				at: new Date(time(at)).toISOString(),
			})),
		});
	});

	it('of several is one of its code, of its connector or of its station', async () => {
		const events = ['A', 'B', 'C'].flatMap((code, n) => [
			faulted(`09:0${2 * n}`, 'OtherError', code),
			ok(`09:0${2 * n + 1}`),
		]);
		const settings = { ...FAULT, times: 3, withinMs: 30 * MINUTE };
		expect(await told(events, { ...settings, scope: 'code' })).toEqual([]);
		expect(await told(events, { ...settings, scope: 'connector' })).toHaveLength(2);
		expect(await told(events, { ...settings, scope: 'station' })).toHaveLength(2);
	});

	it('of a station lasts on if one connector is faulted at the moment in which another one is not any more', async () => {
		const events = [
			...[faulted('09:00', 'GroundFailure'), ok('09:10')],
			...[status('09:10', 2, 'Faulted'), status('09:20', 2, 'Available')],
		];
		expect(await told(events, { ...FAULT, scope: 'station' })).toEqual([
			'opened 09:00 - GroundFailure',
			'resolved 09:00 09:20 GroundFailure',
		]);
	});

	it('that lasts is in one number of faults, though another one of them is over for hours', async () => {
		const events = [
			...[1, 2, 3].map((connector) => status(`09:0${connector}`, connector, 'Faulted')),
			...[status('09:20', 1, 'Available'), status('10:40', 1, 'Charging')],
			...[status('10:45', 3, 'Available'), status('10:50', 2, 'Available')],
		];
		const settings = { ...FAULT, scope: 'station' as const, times: 2, withinMs: 10 * MINUTE };
		expect(await told(events, settings, ['08:57', '11:00'])).toEqual([
			'opened 09:01 -',
			'resolved 09:01 10:50',
		]);
	});

	it.each([
		['connector', 'opened 09:00 - 1 GroundFailure', 'resolved 09:00 11:30 1 GroundFailure'],
		['station', 'opened 09:00 - GroundFailure', 'resolved 09:00 11:30 GroundFailure'],
	] as const)(
		'that lasts keeps a number of faults open, also beyond their time (per %s)',
		async (scope, opened, resolved) => {
			const events = [
				...[faulted('09:00', 'GroundFailure'), ok('09:01')],
				...[faulted('09:10', 'GroundFailure'), ok('09:11')],
				...[faulted('09:20', 'GroundFailure'), ok('11:30')],
				...[faulted('11:31', 'GroundFailure'), ok('11:32')],
			];
			const settings = { ...FAULT, scope, times: 3, withinMs: 60 * MINUTE };
			expect(await told(events.slice(0, 5), settings, ['08:57', '11:29'])).toEqual([opened]);
			expect(await told(events, settings, ['08:57', '12:40'])).toEqual([opened, resolved]);
		},
	);

	it('of a station lasts as long as its connectors together, also over hours', async () => {
		const settings = {
			...{ ...FAULT, scope: 'station' as const },
			...{ forMs: 2 * 60 * MINUTE },
		};
		const events = [
			faulted('09:00', 'GroundFailure'),
			status('09:15', 2, 'Faulted', ['OverVoltage']),
			status('09:20', 1, 'Available'),
			status('09:30', 1, 'Faulted', ['HighTemperature']),
			status('09:35', 1, 'Available'),
			status('10:50', 3, 'Faulted', ['OverVoltage']),
			status('10:55', 2, 'Available'),
			status('11:05', 3, 'Available'),
		];
		const expected = ['opened 09:00 - GroundFailure', 'resolved 09:00 11:05 GroundFailure'];
		expect(await told(events, settings, ['08:57', '11:30'])).toEqual(expected);
		const world = stationWorld({ settings });
		world.events = events;
		await world.pollFrom('08:57', '11:30');
		expect(world.items()).toMatchObject([{ count: 4 }, { count: 4 }]);
	});

	it('of a station is none with another one that began after it was over, though that is listed late', async () => {
		for (const forMs of [0, 15 * MINUTE]) {
			const world = stationWorld({
				settings: { ...FAULT, scope: 'station', forMs, resolveAfterMs: 0 },
			});
			world.events = [
				...[status('08:58', 2, 'Available'), faulted('09:00', 'GroundFailure')],
				{ ...ok('09:20'), listedAt: time('09:29') },
				...[status('09:25', 2, 'Faulted', ['OverVoltage']), status('09:35', 2, 'Available')],
			];
			await world.pollFrom('08:57', '09:50');
			expect(world.items()[1]).toMatchObject({
				...{ state: 'resolved', until: new Date(time('09:20')).toISOString() },
				...{ count: 1, errorCodes: ['GroundFailure'], faults: [{ connector: '1' }] },
			});
		}
	});

	it('has no code of the next one, though its end is listed late', async () => {
		for (const scope of ['code', 'connector'] as const) {
			const world = stationWorld({ settings: { ...FAULT, scope } });
			const end = { ...ok('09:01'), listedAt: time('09:08') };
			world.events = [faulted('09:00', 'A'), faulted('09:03', 'B'), end, ok('09:20')];
			await world.pollFrom('08:57', '09:30');
			const resolved = world.items().filter(({ state }) => state === 'resolved');
			expect(resolved.map(({ errorCodes, count }) => [errorCodes, count])).toEqual([
				[['A'], 1],
				[['B'], 1],
			]);
		}
	});

	it('of a station that names a new code each time opens a limited number of incidents', async () => {
		const events = Array.from({ length: 200 }, (_unused, n) =>
			message(time('09:00') + n * 10_000, 's1', [
				'StatusNotification',
				{ connectorId: 1, status: 'Faulted', errorCode: 'OtherError', vendorErrorCode: `E${n}` },
			]),
		);
		const items = await told([...events, ok('10:00')], FAULT);
		expect(items.filter((item) => item.startsWith('opened'))).toHaveLength(19);
		expect(items.filter((item) => item.startsWith('resolved'))).toHaveLength(19);
	});

	it('that names a known code and a new one is one incident, though the end of the fault before it is listed late', async () => {
		const events = [
			...[faulted('09:00', 'HighTemperature', 'E1'), faulted('09:10', 'HighTemperature', 'E1,E2')],
			...[ok('09:15'), { ...ok('09:01'), listedAt: time('09:16') }],
		];
		expect(await told(events, FAULT)).toEqual([
			'opened 09:00 - 1 HighTemperature E1',
			'opened 09:10 - 1 HighTemperature E1,E2',
			'resolved 09:00 09:01 1 HighTemperature E1',
			'resolved 09:10 09:15 1 HighTemperature E1,E2',
		]);
	});
});

describe('OCPP 2.0.1', () => {
	const EVSE = { id: 1 };
	const PLUG = { id: 1, connectorId: 1 };

	it('reports a problem of a component as a fault of its connector, EVSE or station', async () => {
		const LOCK = 'ConnectorPlugRetentionLock';
		const code = { techCode: 'ConnectorLockFailure' };
		const events = [
			problem('09:30', LOCK, PLUG, 'true', code),
			problem('09:50', LOCK, PLUG, 'false', code),
		];
		expect(await told(events, FAULT)).toEqual([
			'opened 09:30 - 1/1 ConnectorLockFailure',
			'resolved 09:30 09:50 1/1 ConnectorLockFailure',
		]);
		const cleared = { techInfo: 'Hot', cleared: true };
		for (const [place, connector] of [
			[EVSE, '1'],
			[undefined, '0'],
		] as const) {
			const more = [
				problem('09:30', 'Fan', place, 'true'),
				problem('09:50', 'FAN', place, 'true', cleared),
			];
			expect(await told(more, FAULT)).toEqual([
				`opened 09:30 - ${connector} Fan`,
				`resolved 09:30 09:50 ${connector} Fan`,
			]);
		}
		expect(await told([problem('09:30', LOCK, PLUG, 'false')], FAULT)).toEqual([]);
	});

	it.each([
		['a boolean', true, false],
		['a number', 1, 0],
		['a number as text', '1', '0'],
		['text in another case', 'TRUE', 'False'],
	])(
		'reads whether there is a problem from %s, also from an entry without its list',
		async (_as, yes, no) => {
			const said = (at: string, actualValue: unknown) => {
				const entry = { component: { name: 'Lock', evse: PLUG }, variable: { name: 'Problem' } };
				return [[{ ...entry, actualValue }], { ...entry, actualValue }].map((eventData) =>
					message(at, 's1', ['NotifyEvent', { seqNo: 0, eventData }]),
				);
			};
			const [began, ended] = [said('09:30', yes), said('09:50', no)];
			for (const n of [0, 1]) {
				expect(
					await told(
						[began, ended].flatMap((each) => each[n] ?? []),
						FAULT,
					),
				).toEqual(['opened 09:30 - 1/1 Lock', 'resolved 09:30 09:50 1/1 Lock']);
			}
		},
	);

	it('takes a problem and the status of its connector for one fault', async () => {
		const events = [
			...[
				status201('09:30', 1, 1, 'Faulted'),
				problem('09:30:01', 'Lock', PLUG, 'true', { techCode: 'X' }),
			],
			...[status201('09:40', 1, 1, 'Available'), problem('09:50', 'Lock', PLUG, 'false')],
		];
		const one = ['opened 09:30 - 1/1', 'resolved 09:30 09:50 1/1 X'];
		expect(await told(events, FAULT)).toEqual(one);
		expect(await told(events, { ...FAULT, scope: 'connector' })).toEqual(one);
		const feed = [
			problem('09:30', 'Feed', EVSE, 'true', { techCode: 'X' }),
			status201('09:30:01', 1, 1, 'Faulted'),
		];
		expect(await told(feed, FAULT)).toEqual(['opened 09:30 - 1 X']);
	});

	it('reads the entries of one message in their order: the first names the fault, and one ends as another begins', async () => {
		const said = (at: string, ...entries: readonly (readonly [string, string, string?])[]) =>
			message(at, 's1', [
				'NotifyEvent',
				{
					seqNo: 0,
					eventData: entries.map(([name, actualValue, techCode]) => ({
						...{ component: { name, evse: PLUG }, variable: { name: 'Problem' } },
						...{ actualValue, techCode },
					})),
				},
			]);
		const events = [
			said('09:30', ['Lock', 'true', 'A'], ['Fan', 'true', 'B']),
			said('09:40', ['Fan', 'false'], ['Lock', 'false'], ['Filter', 'true', 'C']),
			said('09:50', ['Filter', 'false']),
		];
		const settings = { ...FAULT, scope: 'connector' as const };
		expect(await told(events, settings)).toEqual([
			'opened 09:30 - 1/1 A',
			'resolved 09:30 09:50 1/1 A',
		]);
		const past = await incidents(events, settings);
		expect(past).toMatchObject([{ errorCode: 'A', errorCodes: ['A', 'B', 'C'], count: 1 }]);
	});

	it('of a component whose name is written in another way is the same, and is named as it was written first', async () => {
		const events = [
			problem('09:30', 'CableLock', EVSE, 'true'),
			problem('09:40', 'cablelock', EVSE, 'true'),
			problem('09:50', 'CABLELOCK', EVSE, 'false'),
			problem('10:00', 'cableLock', EVSE, 'true'),
			problem('10:10', 'CableLock', EVSE, 'false'),
		];
		const one = ['opened 09:30 - 1 CableLock', 'resolved 09:30 10:10 1 CableLock'];
		const settings = { ...FAULT, resolveAfterMs: 15 * MINUTE };
		expect(await told(events, settings, ['08:57', '10:45'])).toEqual(one);
		const past = await incidents(events, settings);
		expect(past).toMatchObject([
			{ errorCode: 'CableLock', errorCodes: ['CableLock'], count: 2, state: 'resolved' },
		]);
	});

	it('counts the faults of an EVSE and its connector together, whichever report comes first', async () => {
		const three = ['09:00', '09:10', '09:20'].flatMap((at, n) => {
			const [first, second] = n === 1 ? [at, `${at}:01`] : [`${at}:01`, at];
			return [
				notified(first, 'Lock', EVSE, { variable: { name: 'Problem' }, actualValue: 'true' }),
				status201(second, 1, 1, 'Faulted'),
				notified(`${at}:30`, 'Lock', EVSE, { variable: { name: 'Problem' }, actualValue: 'false' }),
				status201(`${at}:30`, 1, 1, 'Available'),
			];
		});
		const items = await told(three, { ...FAULT, scope: 'connector', times: 3 });
		expect(items).toHaveLength(1);
	});

	it('counts the faults of an EVSE and of its connector together, whichever of them each is reported of', async () => {
		const unnumbered = (at: string, value: string) =>
			message(at, 's1', ['StatusNotification', { evseId: 1, connectorStatus: value }]);
		const own = (at: string, value: string) => availability(at, 'EVSE', EVSE, value);
		const named = (at: string, value: string) => status201(at, 1, 1, value);
		const other = (at: string, value: string) => status201(at, 1, 2, value);
		for (const [of, expected] of [
			[[unnumbered, named, unnumbered], ['opened 09:00 - 1']],
			[[named, unnumbered, named], ['opened 09:00 - 1/1']],
			[[own, named, own], ['opened 09:00 - 1']],
			[[named, other, named], []],
		] as const) {
			const events = of.flatMap((said, n) => [
				said(`09:${n}0`, 'Faulted'),
				said(`09:${n}5`, 'Available'),
			]);
			for (const scope of ['code', 'connector'] as const) {
				const settings = { ...FAULT, scope, times: 3 };
				expect(await told(events, settings)).toEqual(expected);
				expect(await incidents(events, settings)).toHaveLength(expected.length);
			}
		}
	});

	it('counts the faults of an EVSE by themselves once two of its connectors are known', async () => {
		const of = (at: string, connectorId: number) => [
			status201(at, 1, connectorId, 'Faulted'),
			status201(`${at}:30`, 1, connectorId, 'Available'),
		];
		const settings = { ...FAULT, scope: 'connector' as const, times: 2, withinMs: 45 * MINUTE };
		const two = [...of('09:00', 2), ...of('10:00', 1), ...of('10:40', 0)];
		expect(await told(two, settings, ['08:57', '12:00'])).toEqual([]);
		expect(await incidents(two, settings)).toEqual([]);
		const one = [...of('10:00', 1), ...of('10:40', 0)];
		const expected = ['opened 10:00 - 1/1', 'resolved 10:00 11:25 1/1'];
		expect(await told(one, settings, ['08:57', '12:00'])).toEqual(expected);
		expect(await incidents(one, settings)).toMatchObject([{ connector: '1/1', count: 2 }]);
	});

	it('counts a fault of an EVSE in one incident, though its connector reports it once that is open', async () => {
		const own = (at: string, value: string) => availability(at, 'EVSE', EVSE, value);
		const events = [
			...[own('09:00', 'Faulted'), own('09:05', 'Available'), own('09:10:59', 'Faulted')],
			...[status201('09:11:01', 1, 1, 'Faulted'), status201('09:15', 1, 1, 'Available')],
			...[own('09:15', 'Available')],
			...[status201('09:20', 1, 1, 'Faulted'), status201('09:25', 1, 1, 'Available')],
		];
		const settings = { ...FAULT, scope: 'connector' as const, times: 2 };
		expect(await told(events, settings)).toEqual(['opened 09:00 - 1']);
		expect(await incidents(events, settings)).toMatchObject([{ connector: '1', count: 3 }]);
	});

	it('counts a fault of an EVSE and its connector once, though the first report is listed last', async () => {
		const evse = (at: string) => availability(at, 'EVSE', { id: 1 }, 'Faulted');
		const connector = (at: string) => status201(at, 1, 1, 'Faulted');
		const ends = [
			status201('09:20', 1, 1, 'Available'),
			availability('09:20', 'EVSE', { id: 1 }, 'Available'),
		];
		const listedAt = time('09:10');
		const lists = [
			[{ ...evse('09:05'), listedAt }, connector('09:06'), ...ends],
			[{ ...connector('09:05'), listedAt }, evse('09:06'), ...ends],
		];
		for (const scope of ['code', 'connector', 'station'] as const) {
			for (const list of lists) {
				const world = stationWorld({ settings: { ...FAULT, scope } });
				world.events = list;
				await world.pollFrom('08:57', '09:45');
				const [, resolved] = world.items();
				expect(resolved).toMatchObject({ count: 1, faults: [{ connector: '1/1' }] });
			}
		}
	});

	it('reports a fault of an EVSE, and of the whole station', async () => {
		const evse = [
			availability('09:30', 'EVSE', EVSE, 'Faulted'),
			availability('09:50', 'evse', EVSE, 'Available'),
		];
		expect(await told(evse, FAULT)).toEqual(['opened 09:30 - 1', 'resolved 09:30 09:50 1']);
		const station = ['opened 09:30 - 0', 'resolved 09:30 09:50 0'];
		const whole = [
			availability('09:30', 'ChargingStation', undefined, 'Faulted'),
			availability('09:50', 'ChargingStation', undefined, 'Available'),
		];
		expect(await told(whole, FAULT)).toEqual(station);
		const zero = [status201('09:30', 0, 0, 'Faulted'), status201('09:50', 0, 0, 'Available')];
		expect(await told(zero, FAULT)).toEqual(station);
	});

	it('takes what an EVSE says about itself and its connector for one incident, which lasts until both are over', async () => {
		for (const name of ['Connector', 'EVSE']) {
			const [own, both] = [
				status201('09:30', 1, 1, 'Faulted'),
				availability('09:30:01', name, EVSE, 'Faulted'),
			];
			const isOne = name === 'Connector';
			const opened = ['opened 09:30 - 1/1'];
			const until = (at: string) => [...opened, `resolved 09:30 ${at} 1/1`];
			for (const [end, expected] of [
				[[status201('09:50', 1, 1, 'Available')], isOne ? until('09:50') : opened],
				[[availability('09:50', name, EVSE, 'Available')], isOne ? until('09:50') : opened],
				[
					[status201('09:50', 1, 1, 'Available'), availability('09:51', name, EVSE, 'Available')],
					until(isOne ? '09:50' : '09:51'),
				],
			] as const) {
				expect(await told([own, both, ...end], FAULT)).toEqual(expected);
			}
		}
		const first = [
			availability('09:30', 'EVSE', EVSE, 'Unavailable'),
			status201('09:30:01', 1, 1, 'Unavailable'),
		];
		const stuck = { kind: 'connectorStatus', forMs: 10 * MINUTE, resolveAfterMs: 0 } as const;
		expect(await told(first, stuck)).toEqual(['opened 09:30 - 1']);
	});

	it('takes what is said of a connector without its number for that of the only one known then; otherwise it stays with the EVSE', async () => {
		const unnamed = (at: string, connectorStatus: string) =>
			message(at, 's1', ['StatusNotification', { evseId: 1, connectorStatus }]);
		const notify = (at: string, value: string) => availability(at, 'Connector', EVSE, value);
		const named = (at: string, value: string) => status201(at, 1, 1, value);
		for (const said of [notify, unnamed]) {
			expect(await told([named('09:30', 'Faulted'), said('09:50', 'Occupied')], FAULT)).toEqual([
				'opened 09:30 - 1/1',
				'resolved 09:30 09:50 1/1',
			]);
			const first = [said('09:30', 'Faulted'), named('09:50', 'Occupied')];
			expect(await told(first, FAULT)).toEqual(['opened 09:30 - 1']);
			expect(await told([...first, said('09:55', 'Occupied')], FAULT)).toEqual([
				'opened 09:30 - 1',
				'resolved 09:30 09:55 1',
			]);
		}
		const stuck = { kind: 'connectorStatus', forMs: 10 * MINUTE, resolveAfterMs: 0 } as const;
		expect(await told([named('09:30', 'Reserved'), notify('09:50', 'Unavailable')], stuck)).toEqual(
			['opened 09:30 - 1/1', 'opened 09:50 - 1/1', 'resolved 09:30 09:50 1/1'],
		);
	});

	it('remembers for hours which connectors an EVSE has', async () => {
		const events = [
			status201('09:00', 1, 1, 'Available'),
			availability('12:00', 'Connector', EVSE, 'Faulted'),
			status201('12:10', 1, 1, 'Available'),
		];
		expect(await told(events, FAULT, ['08:57', '12:15'])).toEqual([
			'opened 12:00 - 1/1',
			'resolved 12:00 12:10 1/1',
		]);
	});

	it('knows for hours that an EVSE has said the same of itself as of its only connector', async () => {
		const events = [
			availability('09:00', 'Connector', EVSE, 'Faulted'),
			availability('09:05', 'EVSE', EVSE, 'Faulted'),
			status201('11:00', 1, 2, 'Available'),
		];
		expect(await told(events, FAULT, ['08:57', '11:10'])).toEqual(['opened 09:00 - 1']);
		expect(await incidents(events, FAULT)).toMatchObject([{ until: null }]);
	});

	it('does not end a fault by what is said of something else', async () => {
		const open = ['opened 09:30 - 1/1'];
		for (const other of [
			availability('09:50', 'EVSE', EVSE, 'Available'),
			status201('09:50', 1, 2, 'Available'),
			availability('09:50', 'Connector', { id: 2 }, 'Available'),
		]) {
			expect(await told([status201('09:30', 1, 1, 'Faulted'), other], FAULT)).toEqual(open);
		}
		const evse = [
			availability('09:30', 'EVSE', EVSE, 'Faulted'),
			status201('09:50', 1, 1, 'Available'),
		];
		expect(await told(evse, FAULT)).toEqual(['opened 09:30 - 1']);
		const both = [
			...[status201('09:30', 1, 1, 'Faulted'), status201('09:30', 1, 2, 'Faulted')],
			availability('09:50', 'Connector', EVSE, 'Available'),
		];
		expect(await told(both, FAULT)).toEqual([...open, 'opened 09:30 - 1/2']);
	});

	it('takes faults of two connectors, or of two EVSEs, for two', async () => {
		const connectors = [status201('09:30', 1, 1, 'Faulted'), status201('09:31', 1, 2, 'Faulted')];
		expect(await told(connectors, FAULT)).toEqual(['opened 09:30 - 1/1', 'opened 09:31 - 1/2']);
		const evses = [
			status201('09:30', 1, 1, 'Faulted'),
			availability('09:31', 'EVSE', { id: 2 }, 'Faulted'),
		];
		expect(await told(evses, FAULT)).toEqual(['opened 09:30 - 1/1', 'opened 09:31 - 2']);
		const whole = [status201('09:30', 1, 1, 'Faulted'), status201('09:31', 0, 0, 'Faulted')];
		expect(await told(whole, FAULT)).toEqual(['opened 09:30 - 1/1', 'opened 09:31 - 0']);
	});
});

describe('a status', () => {
	const events = [
		...[status('09:00', 1, 'Finishing'), status('09:10', 1, 'SuspendedEV')],
		...[status('09:05', 2, 'Finishing'), status('09:30', 1, 'Available')],
		...[status('09:30', 2, 'Available')],
	];
	const settings = { kind: 'connectorStatus', forMs: 0, resolveAfterMs: 0 } as const;

	it.each([{}, { scope: 'station' }, { scope: 'connector' }, { times: 3 }] as const)(
		'is one of its connector, whatever was set for faults: %j',
		async (changes) => {
			expect(await told(events, { ...settings, ...changes })).toEqual([
				...['opened 09:00 - 1', 'opened 09:05 - 2', 'opened 09:10 - 1'],
				...['resolved 09:00 09:10 1', 'resolved 09:05 09:30 2', 'resolved 09:10 09:30 1'],
			]);
		},
	);

	const late = (event: StationEvent) => ({ ...event, listedAt: event.listedAt + 8 * MINUTE });
	const stuck = { ...settings, forMs: 5 * MINUTE };

	it('that a worse one of the same time replaces, as is listed late, lasted for no time', async () => {
		const worse = late(status('09:00', 1, 'Faulted'));
		const over = [worse, status('09:30', 1, 'Available')];
		const first = ['opened 09:00 - 1', 'resolved 09:00 09:00 1'];
		const reported = [status('09:00', 1, 'Preparing'), status('09:00', 1, 'Preparing')];
		for (const begun of [reported.slice(1), reported]) {
			expect(await told([...begun, ...over], stuck)).toEqual(first);
			const again = [status('11:00', 1, 'Preparing'), status('11:30', 1, 'Available')];
			expect(await told([...begun, ...over, ...again], stuck, ['08:57', '12:00'])).toEqual([
				...['opened 09:00 - 1', 'opened 11:00 - 1'],
				...['resolved 09:00 09:00 1', 'resolved 11:00 11:30 1'],
			]);
			expect(await told([...begun, { ...worse, listedAt: time('09:00') }], settings)).toEqual([]);
		}
	});

	it('that only one of two connectors replaces by a worse one, in one message, lasts at the other one', async () => {
		const said = (at: string, values: readonly string[]) =>
			message(at, 's1', [
				'NotifyEvent',
				{
					eventData: values.map((actualValue, n) => ({
						component: { name: 'Connector', evse: { id: 1, connectorId: n + 1 } },
						...{ variable: { name: 'AvailabilityState' }, actualValue },
					})),
				},
			]);
		const begun = said('09:00', ['Reserved', 'Reserved']);
		const ends = [late(said('09:00', ['Faulted'])), said('09:30', ['Available', 'Available'])];
		expect(await told([begun, ...ends], stuck)).toEqual([
			...['opened 09:00 - 1/1', 'opened 09:00 - 1/2'],
			...['resolved 09:00 09:00 1/1', 'resolved 09:00 09:30 1/2'],
		]);
	});

	it('that an EVSE and its only connector have lasts at one, though the other one replaces it at the same time', async () => {
		const evse = (at: string, value: string) => availability(at, 'EVSE', { id: 1 }, value);
		const known = status201('08:58', 1, 1, 'Available');
		const begun = [evse('09:00', 'Reserved'), status201('09:00', 1, 1, 'Reserved')];
		const ends = [status201('09:30', 1, 1, 'Available'), evse('09:30', 'Available')];
		for (const worse of [evse('09:00', 'Faulted'), status201('09:00', 1, 1, 'Faulted')]) {
			expect(await told([known, ...begun, late(worse), ...ends], stuck)).toEqual([
				...['opened 09:00 - 1', 'resolved 09:00 09:30 1'],
			]);
		}
	});

	it('in one version of OCPP lasted for no time, if one in the other version is listed late', async () => {
		const events = [faulted('09:00'), late(status201('09:00', 1, 1, 'Available'))];
		expect(await told(events, FAULT)).toEqual(['opened 09:00 - 1', 'resolved 09:00 09:00 1']);
	});
});

it('what a station said of itself is over once it reports in another version, hours later', async () => {
	const events = [
		...[status('09:00', 1, 'Available'), status('09:05', 0, 'Faulted', ['HighTemperature'])],
		status201('13:00', 1, 1, 'Available'),
	];
	expect(await told(events, FAULT, ['08:57', '13:30'])).toEqual([
		'opened 09:05 - 0 HighTemperature',
		'resolved 09:05 13:00 0 HighTemperature',
	]);
	const back = [
		...[status201('09:00', 1, 1, 'Available')],
		availability('09:05', 'ChargingStation', undefined, 'Faulted'),
	];
	expect(await told([...back, status('13:00', 1, 'Available')], FAULT, ['08:57', '13:30'])).toEqual(
		[...['opened 09:05 - 0', 'resolved 09:05 13:00 0']],
	);
});

it('a status that ended another one of its place is over, though that other one lasts at its EVSE', async () => {
	const settings = { kind: 'connectorStatus', forMs: 20 * MINUTE, resolveAfterMs: 0 } as const;
	const evse = (at: string, value: string) => availability(at, 'EVSE', { id: 1 }, value);
	const events = [
		...[status201('09:00', 1, 1, 'Available'), evse('09:05', 'Unavailable')],
		...[status201('09:10', 1, 1, 'Unavailable'), status201('09:15', 1, 1, 'Reserved')],
		status201('09:20', 1, 1, 'Occupied'),
	];
	const begun = ['opened 09:05 - 1'];
	expect(await told(events, settings, ['08:57', '13:00'])).toEqual(begun);
	const again = [...events, status201('13:00', 1, 1, 'Reserved')];
	expect(await told(again, settings, ['08:57', '13:30'])).toEqual([...begun, 'opened 13:00 - 1/1']);
});

describe('what an EVSE says of itself', () => {
	it.each([1, 11])(
		'ends nothing of its connectors, and the other way round, for hours: polls every %d minutes',
		async (every) => {
			const settings = {
				kind: 'connectorStatus' as const,
				statuses: ['Available', 'Unavailable'],
				...{ forMs: 45 * MINUTE, resolveAfterMs: 0 },
			};
			const world = stationWorld({ settings });
			world.events = [
				...[status201('09:00', 1, 1, 'Available'), status201('09:00:01', 1, 2, 'Available')],
				availability('10:03:13', 'EVSE', { id: 1 }, 'Available'),
				availability('10:25:45', 'Connector', { id: 1 }, 'Unavailable'),
			];
			for (let at = time('08:59'); at <= time('13:00'); at += every * MINUTE) {
				world.now = at;
				await world.poll();
			}
			const expected = [
				['1/1', 'Available'],
				['1/2', 'Available'],
				['1', 'Available'],
				['1', 'Unavailable'],
			];
			const items = world.items();
			expect(items.map(({ connector, status }) => [connector, status])).toEqual(expected);
			expect(items.map(({ state }) => state)).toEqual(expected.map(() => 'opened'));
			const past = await incidents(world.events, settings);
			expect(past.map(({ connector, status }) => [connector, status])).toEqual(expected);
		},
	);
});

describe('the state', () => {
	it('sends nothing to the only output when the settings change', async () => {
		const world = stationWorld({ settings: { ...FAULT, reportResolved: false } });
		world.events = [faulted('09:00', 'GroundFailure')];
		await world.pollFrom('08:55', '09:05');
		world.settings = { ...world.settings, scope: 'connector' };
		await world.pollFrom('09:06', '09:10');
		expect(world.items()).toMatchObject([{ state: 'opened' }]);
	});

	it('drops what is resolved and has not begun when nobody wants it any more', async () => {
		const world = stationWorld();
		world.events = [lost('09:00'), back('09:20')];
		await world.pollFrom('08:55', '09:20');
		world.fate = async () => 'unstored';
		await world.pollFrom('09:21', '09:25');
		world.fate = async () => 'succeeded';
		world.settings = { ...world.settings, reportResolved: false };
		await world.pollFrom('09:26', '09:30');
		expect(world.items()).toMatchObject([{ state: 'opened' }]);
	});

	it('says nothing of what is over an hour old and only read again', async () => {
		const world = stationWorld({ settings: FAULT });
		for (const hour of [8, 9, 10]) {
			for (let minute = 10; minute < 60; minute += 10) {
				const value = minute % 20 === 0 ? 'Available' : 'Faulted';
				world.events.push(status(`${String(hour).padStart(2, '0')}:${minute}`, 1, value));
			}
		}
		await world.pollFrom('08:05', '11:30');
		expect(world.warnings).toEqual([]);
	});

	it('of an incident is kept for as long as it lasts', async () => {
		const world = stationWorld({ settings: { kind: 'connectorStatus', forMs: 10 * MINUTE } });
		world.events = [status('09:00', 1, 'Unavailable')];
		await world.pollFrom('08:55', '09:15');
		for (let day = 1; day <= 80; day++) {
			world.now = time('09:15') + day * DAY_MINUTES * MINUTE;
			world.settings = { ...world.settings, catchUpMs: 2 * DAY_MINUTES * MINUTE };
			await world.poll();
		}
		const at = world.now;
		world.events.push(
			message(at, 's1', ['StatusNotification', { connectorId: 1, status: 'Available' }]),
		);
		for (let minute = 1; minute < 5; minute++) {
			world.now = at + minute * MINUTE;
			await world.poll();
		}
		expect(world.items()).toMatchObject([{ state: 'opened' }, { state: 'resolved' }]);
	});
});

describe('a boot', () => {
	const boot = (at: string, payload: Record<string, unknown> = {}, messageId = `boot-${at}`) =>
		message(at, 's1', ['BootNotification', payload], { messageId });
	const PLUG = { id: 1, connectorId: 1 };
	const ended = { ...FAULT, resolveAfterMs: 0 };
	const endedBy = async (events: readonly StationEvent[], settings = ended) => {
		const world = stationWorld({ settings });
		world.events = [...events];
		await world.pollFrom('08:57', '09:45');
		return world.items().map(({ state, until, endedBy: by }) => [state, until, by ?? null]);
	};
	const iso = (at: string) => new Date(time(at)).toISOString();

	it('ends what is not reported again within ten minutes, if a connector reports', async () => {
		const events = [
			problem('09:05', 'Lock', PLUG, 'true', { techCode: 'X' }),
			...[boot('09:11', { reason: 'PowerUp' }), status201('09:11:05', 1, 1, 'Available')],
			status201('09:30', 1, 1, 'Occupied'),
		];
		expect(await told(events, FAULT)).toEqual([
			'opened 09:05 - 1/1 X',
			'resolved 09:05 09:11 1/1 X',
		]);
		expect(await endedBy(events)).toEqual([
			['opened', null, null],
			['resolved', iso('09:11'), 'boot'],
		]);
		expect(await incidents(events, FAULT)).toMatchObject([
			{ state: 'resolved', until: iso('09:11'), endedBy: 'boot' },
		]);
	});

	it('ends nothing that is reported again, nor what a monitor reports', async () => {
		const after = [boot('09:11'), status201('09:11:05', 1, 1, 'Available')];
		const again = [
			...[problem('09:05', 'Lock', PLUG, 'true', { techCode: 'X' }), ...after],
			problem('09:20', 'Lock', PLUG, 'true', { techCode: 'X' }),
		];
		const monitored = [
			problem('09:05', 'Lock', PLUG, 'true', { techCode: 'X', variableMonitoringId: 7 }),
			...after,
		];
		// Whichever of its reports says so.
		const before = problem('09:03', 'Lock', PLUG, 'true', { techCode: 'X' });
		expect(await told([before, ...monitored], FAULT)).toEqual(['opened 09:03 - 1/1 X']);
		for (const events of [again, monitored]) {
			expect(await told(events, FAULT)).toEqual(['opened 09:05 - 1/1 X']);
			const over = problem('09:40', 'Lock', PLUG, 'false', { techCode: 'X' });
			expect(await told([...events, over], FAULT)).toEqual([
				'opened 09:05 - 1/1 X',
				'resolved 09:05 09:40 1/1 X',
			]);
		}
	});

	it('ends a number of faults, though another fault came before that was known', async () => {
		const settings = { ...ended, scope: 'station' as const, times: 2, withinMs: 10 * MINUTE };
		const three = [1, 2, 3].map((connector) => status('08:58', connector, 'Available'));
		const begun = [...three, faulted('09:00', 'A'), status('09:10', 2, 'Faulted', ['B'])];
		const other = status('09:20:30', 3, 'Faulted', ['C']);
		const over = [status('09:20', 1, 'Available'), status('09:20', 2, 'Available')];
		const listedAt = time('09:22');
		for (const end of [[boot('09:20')], over.map((one) => ({ ...one, listedAt }))]) {
			const events = [...begun, ...end, other];
			expect(await told(events, settings, ['08:57', '09:45'])).toMatchObject([
				expect.stringMatching('opened 09:00 -'),
				expect.stringMatching('resolved 09:00 09:20'),
			]);
			expect(await incidents(events, settings)).toMatchObject([
				{ state: 'resolved', until: iso('09:20'), count: 2 },
			]);
		}
	});

	it('ends the fault of a station, which is none with another one that began before that was known', async () => {
		const settings = { ...ended, scope: 'station' as const };
		const world = stationWorld({ settings });
		world.events = [
			...[status201('08:58', 1, 1, 'Available'), status201('09:00', 1, 2, 'Faulted')],
			...[boot('09:34'), status201('09:34:05', 1, 1, 'Available'), lost('09:35'), back('10:04')],
			status201('10:04:30', 1, 1, 'Faulted'),
		];
		await world.pollFrom('08:57', '10:30');
		expect(world.items().map(({ state, since, count }) => [state, since, count])).toEqual([
			['opened', iso('09:00'), 1],
			['resolved', iso('09:00'), 1],
			['opened', iso('10:04:30'), 1],
		]);
	});

	it('ends nothing if no connector reports', async () => {
		const stuck = { kind: 'connectorStatus', forMs: 5 * MINUTE, resolveAfterMs: 0 } as const;
		const firmware = message('09:12', 's1', [
			'FirmwareStatusNotification',
			{ status: 'InstallationFailed' },
		]);
		const events = [status('09:00', 1, 'Unavailable'), boot('09:11'), firmware];
		expect(await told(events, stuck)).toEqual(['opened 09:00 - 1']);
		expect(await told([...events, status('09:12', 0, 'Available')], stuck)).toEqual([
			'opened 09:00 - 1',
		]);
		expect(await told([...events, status('09:21:01', 2, 'Available')], stuck)).toEqual([
			'opened 09:00 - 1',
		]);
	});

	it('that was asked for, or that the service did not accept, is none', async () => {
		const fault = [faulted('09:00', 'GroundFailure'), status('09:12', 2, 'Available')];
		const ask = (at: string) =>
			message(at, 's1', ['TriggerMessage', { requestedMessage: 'BootNotification' }]);
		const answer = (value: string, messageId: string) =>
			message('09:11:01', 's1', ['', { status: value, interval: 60 }], {
				...{ messageType: 'CALL_RESULT', messageId },
			});
		const open = ['opened 09:00 - 1 GroundFailure'];
		const over = [...open, 'resolved 09:00 09:11 1 GroundFailure'];
		for (const [more, expected] of [
			[[boot('09:11')], over],
			[[boot('09:11'), ask('09:10:30')], open],
			[[boot('09:11'), ask('09:09:30')], over],
			[[boot('09:11', { reason: 'PowerUp' }), ask('09:10:30')], over],
			[[boot('09:11', { reason: 'Triggered' })], open],
			[[boot('09:11', {}, 'm'), answer('Pending', 'm')], open],
			[[boot('09:11', {}, 'm'), answer('Rejected', 'm')], open],
			[[boot('09:11', {}, 'm'), answer('Accepted', 'm')], over],
			[[boot('09:11', {}, 'm'), answer('Rejected', 'other')], over],
		] as const) {
			expect(await told([...fault, ...more], FAULT)).toEqual(expected);
			const past = await incidents([...fault, ...more], FAULT);
			expect(past).toMatchObject([{ state: expected === open ? 'open' : 'resolved' }]);
		}
	});

	it('waits while the station is offline, and opens nothing for a state from before meanwhile', async () => {
		const stuck = { kind: 'connectorStatus', forMs: 15 * MINUTE, resolveAfterMs: 0 } as const;
		const events = [status('09:00', 1, 'Unavailable'), boot('09:10'), lost('09:12')];
		expect(await told(events, stuck, ['08:57', '09:50'])).toEqual([]);
		const again = [...events, back('09:40'), status('09:45', 2, 'Available')];
		expect(await told(again, stuck)).toEqual([]);
		const kept = [...again, status('09:46', 1, 'Unavailable')];
		expect(await told(kept, stuck)).toEqual(['opened 09:00 - 1']);
		const late = [...events, back('09:40'), status('09:48:30', 2, 'Available')];
		expect(await told(late, stuck)).toEqual(['opened 09:00 - 1']);
	});

	it('of a station that was updated leaves no incident of its old numbers', async () => {
		const stuck = { kind: 'connectorStatus', forMs: 30 * MINUTE, resolveAfterMs: 0 } as const;
		const events = [
			...[status('09:00', 1, 'Unavailable'), boot('11:00')],
			status201('11:00:05', 1, 1, 'Available'),
		];
		expect(await told(events, stuck, ['08:57', '11:20'])).toEqual([
			'opened 09:00 - 1',
			'resolved 09:00 11:00 1',
		]);
		const [before, booted] = events.slice(0, 2);
		for (const later of [[booted], []]) {
			const first = status201('11:15', 1, 1, 'Available');
			const all = [before, ...later, first].filter((event) => event !== undefined);
			expect(await told(all, stuck, ['08:57', '11:30'])).toEqual([
				'opened 09:00 - 1',
				'resolved 09:00 11:15 1',
			]);
		}
	});
});

describe('problems of a component', () => {
	const EVSE = { id: 1 };
	const of = (at: string, value: string, techCode?: string) =>
		problem(at, 'Fan', EVSE, value, techCode === undefined ? {} : { techCode });

	it('begin and end by their codes', async () => {
		const events = [
			...[of('09:05', 'true', 'A'), of('09:10', 'true', 'B')],
			...[of('09:15', 'false', 'A'), of('10:00', 'false', 'B')],
		];
		const both = [
			...['opened 09:05 - 1 A', 'opened 09:10 - 1 B'],
			...['resolved 09:05 09:15 1 A', 'resolved 09:10 10:00 1 B'],
		];
		expect(await told(events, FAULT)).toEqual(both);
		expect(await told(events, { ...FAULT, scope: 'connector' })).toEqual([
			'opened 09:05 - 1 A',
			'resolved 09:05 10:00 1 A',
		]);
		const all = [of('09:05', 'true', 'A'), of('09:10', 'true', 'B'), of('09:30', 'false')];
		expect(await told(all, FAULT)).toEqual([
			...['opened 09:05 - 1 A', 'opened 09:10 - 1 B'],
			...['resolved 09:05 09:30 1 A', 'resolved 09:10 09:30 1 B'],
		]);
	});

	it.each([
		['of any code', of('09:30', 'false', 'X')],
		[
			'of any code, for a monitor',
			problem('09:30', 'Fan', EVSE, 'false', { techCode: 'X', variableMonitoringId: 7 }),
		],
		['of no code', of('09:30', 'false')],
	])('without a code end with an end %s, and can come again', async (_name, end) => {
		const events = [of('09:05', 'true'), end, of('09:40', 'true'), of('09:50', 'false', 'Y')];
		const both = [
			...['opened 09:05 - 1 Fan', 'opened 09:40 - 1 Fan'],
			...['resolved 09:05 09:30 1 Fan', 'resolved 09:40 09:50 1 Fan'],
		];
		expect(await told(events, FAULT)).toEqual(both);
		expect(await told(events, { ...FAULT, scope: 'connector' })).toEqual(both);
		expect(await told(events, { ...FAULT, times: 2, withinMs: 60 * MINUTE })).toEqual([
			'opened 09:05 - 1 Fan',
		]);
	});

	it('with a code last until their own end, whatever ends the one without', async () => {
		const events = [
			...[of('09:05', 'true'), of('09:10', 'true', 'A'), of('09:15', 'false', 'X')],
			...[of('09:20', 'true'), of('09:30', 'false', 'A')],
		];
		expect(await told(events, FAULT)).toEqual([
			...['opened 09:05 - 1 Fan', 'opened 09:10 - 1 A', 'opened 09:20 - 1 Fan'],
			...['resolved 09:05 09:15 1 Fan', 'resolved 09:10 09:30 1 A', 'resolved 09:20 09:30 1 Fan'],
		]);
	});

	it('without a code end only with those of their own component', async () => {
		const others = [
			problem('09:10', 'Lock', EVSE, 'false', { techCode: 'X' }),
			problem('09:10', 'Fan', { id: 2 }, 'false', { techCode: 'X' }),
		];
		expect(await told([of('09:05', 'true'), ...others], FAULT)).toEqual(['opened 09:05 - 1 Fan']);
	});

	it('of one message count in their order', async () => {
		const said = (at: string, ...all: readonly (readonly [string, string?])[]) => {
			const about = { component: { name: 'Fan', evse: EVSE }, variable: { name: 'Problem' } };
			const eventData = all.map(([actualValue, techCode]) => ({ ...about, actualValue, techCode }));
			return message(at, 's1', ['NotifyEvent', { seqNo: 0, eventData }]);
		};
		const over = of('09:30', 'false');
		expect(await told([said('09:05', ['true'], ['false', 'X']), over], FAULT)).toEqual([]);
		expect(await told([said('09:05', ['false', 'X'], ['true']), over], FAULT)).toEqual([
			...['opened 09:05 - 1 Fan', 'resolved 09:05 09:30 1 Fan'],
		]);
	});

	it('are one incident with a Faulted without a code only within a minute', async () => {
		const faultedAt = (at: string) => availability(at, 'EVSE', EVSE, 'Faulted');
		const over = [availability('09:40', 'EVSE', EVSE, 'Available'), of('09:50', 'false', 'A')];
		expect(await told([of('09:30', 'true', 'A'), faultedAt('09:31'), ...over], FAULT)).toEqual([
			...['opened 09:30 - 1 A', 'resolved 09:30 09:50 1 A'],
		]);
		expect(await told([of('09:30', 'true', 'A'), faultedAt('09:31:01'), ...over], FAULT)).toEqual([
			...['opened 09:30 - 1 A', 'opened 09:31:01 - 1'],
			...['resolved 09:30 09:50 1 A', 'resolved 09:31:01 09:40 1'],
		]);
	});
});

describe('a message soon after the connection was lost', () => {
	const sign = (at: string) => message(at, 's1', ['Heartbeat', {}]);

	it('ends the outage only if another one follows within 30 minutes', async () => {
		const straggler = [lost('09:00:10'), sign('09:00:10.300')];
		const open = ['opened 09:00:10 -'];
		const period = ['08:57', '11:10'] as const;
		expect(await told([...straggler, back('11:00')], {}, period)).toEqual([
			...[...open, 'resolved 09:00:10 11:00'],
		]);
		expect(await told([...straggler, sign('09:20')], {}, period)).toEqual([]);
		expect(await told([...straggler, sign('09:40')], {}, period)).toEqual([
			...['opened 09:00:10 -', 'resolved 09:00:10 09:40'],
		]);
		expect(await told([...straggler, back('09:20')], {}, period)).toEqual([
			...['opened 09:00:10 -', 'resolved 09:00:10 09:20'],
		]);
	});
});

it('a fault that goes on after a boot is one incident, also when its other components ended at the boot long ago', async () => {
	const settings = {
		kind: 'connectorFault',
		scope: 'connector',
		forMs: 0,
		resolveAfterMs: 0,
	} as const;
	const world = stationWorld({ settings, assets: ['s1'] });
	const lock = { variable: { name: 'Problem' }, actualValue: 'true' };
	world.events = [
		...[status201('08:31', 1, 1, 'Available'), notified('09:00', 'Lock', { id: 1 }, lock)],
		...[status201('09:30', 1, 1, 'Faulted'), status201('09:33', 1, 1, 'Occupied')],
		...[status201('09:50', 1, 1, 'Faulted'), message('10:00', 's1', ['BootNotification', {}])],
		...[status201('10:01', 1, 1, 'Faulted'), status201('14:00', 1, 1, 'Faulted')],
		...[status201('15:00', 1, 1, 'Available')],
	];
	await world.pollFrom('08:30', '15:10');
	expect(world.items()).toMatchObject([
		{ state: 'opened', since: new Date(time('09:00')).toISOString() },
		{ state: 'resolved', until: new Date(time('15:00')).toISOString() },
	]);
});

it('a fault that is reported again after a boot lasts, however long ago both are', async () => {
	const settings = { kind: 'connectorFault', forMs: 0, resolveAfterMs: 5 * MINUTE } as const;
	const world = stationWorld({ settings, assets: ['s1'] });
	world.events = [
		...[status201('08:31', 2, 1, 'Available'), status201('08:31', 2, 2, 'Available')],
		...[status201('08:49', 2, 1, 'Faulted'), message('09:12:19', 's1', ['BootNotification', {}])],
		...[status201('09:13:27', 2, 1, 'Faulted'), status201('09:14:06', 2, 2, 'Reserved')],
		...Array.from({ length: 12 }, (_unused, n) =>
			status201(time('10:10') + n * MINUTE, 2, 2, n % 2 === 0 ? 'Faulted' : 'Available'),
		),
	];
	await world.pollFrom('08:30', '11:00');
	const own = world.items().filter(({ connector }) => connector === '2/1');
	expect(own).toMatchObject([{ state: 'opened', since: new Date(time('08:49')).toISOString() }]);
});
