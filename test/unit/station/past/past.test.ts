import { split } from '../../../../lib/station';
import { sessionEvents } from '../sessionText';
import { OCPP16, VERSIONS } from '../stations';
import { back, lost, message, MINUTE, type StationEvent, time } from '../stationWorld';
import { askPast, incidents, newest, outages, sessions, status, uptime } from './pastWorld';

const clockAt = (n: number) => new Date(time('08:30') + n * MINUTE).toISOString().slice(11, 16);

const iso = (text: string) => new Date(time(text)).toISOString();

describe('Get Incidents', () => {
	it('returns one item per incident of the period, open or resolved, with its station first', async () => {
		const events = [
			lost('09:10'),
			back('09:40'),
			lost('11:00', 's2'),
			lost('10:00'),
			back('10:01'),
		];
		const found = await incidents(events, {});
		expect(found).toMatchObject([
			{
				station: { name: 'Station s1' },
				...{ since: iso('09:10'), until: iso('09:40'), minutes: 30 },
				...{ state: 'resolved', status: 'DISCONNECTED', connector: null },
			},
			{ station: { id: 's2' }, since: iso('11:00'), until: null, minutes: 59, state: 'open' },
		]);
		expect(Object.keys(found[0] ?? {}).slice(0, 5)).toEqual([
			...['station', 'connector', 'since', 'minutes', 'until'],
		]);
		// n8n shows a field that another row lacks as "undefined".
		const [resolved, open] = found.map((item) => Object.keys(item).sort());
		expect(open).toEqual(resolved);
	});

	it('knows the state before the period, and leaves out what was over by then or began later', async () => {
		const events = [
			...[lost('08:00'), back('09:30'), lost('07:00', 's2'), back('08:00', 's2')],
			lost('11:30', 's2'),
		];
		const found = await incidents(events, {}, { to: time('11:00') });
		expect(found).toMatchObject([{ since: iso('08:00'), until: iso('09:30') }]);
		const before = await incidents(events, {}, { lookBackMs: 0 });
		expect(before).toMatchObject([{ since: iso('11:30') }]);
	});

	it('is not cut by the bounds of a state that is stored', async () => {
		const start = time('09:00');
		const events = Array.from({ length: 300 }, (_unused, n) => [
			lost(start + n * 30_000),
			back(start + n * 30_000 + 10_000),
		]).flat();
		const found = await incidents(events, { forMs: 0, resolveAfterMs: 0 });
		expect(found).toHaveLength(300);
	});

	it('ends an outage with the first sign of life, and ignores an older socket', async () => {
		const status = OCPP16.status('09:30', 'Available');
		const found = await incidents([lost('09:10'), status, lost('09:29')], { forMs: 0 });
		expect(found).toMatchObject([{ since: iso('09:10'), until: iso('09:30') }]);
		const older = [lost('09:10'), OCPP16.status('09:10:30', 'Available')];
		const next = OCPP16.status('09:40', 'Charging');
		expect(await incidents([...older, next], { forMs: 0 })).toEqual([]);
		expect(await incidents(older, { forMs: 0 })).toMatchObject([
			{ since: iso('09:10'), until: null },
		]);
	});

	it('does not take an older socket for an outage, though the period ends before the message that shows it', async () => {
		const later = OCPP16.status('11:20', 'Charging');
		const events = [lost('10:59:30'), OCPP16.status('11:00:20', 'Available'), later];
		expect(await incidents(events, { forMs: 0 }, { to: time('11:00') })).toEqual([]);
		const lasting = [lost('10:59:30'), OCPP16.status('11:00:40', 'Available')];
		expect(await incidents(lasting, { forMs: 0 }, { to: time('11:00') })).toMatchObject([
			{ since: iso('10:59:30'), until: null, state: 'open' },
		]);
	});

	it('ends an incident that is over at the end of the period, if it does not come back in time', async () => {
		const faulted = (at: string) => OCPP16.status(at, 'Faulted');
		const free = (at: string) => OCPP16.status(at, 'Available');
		const events = [faulted('10:00'), free('10:30')];
		const again = [faulted('11:15'), free('11:20')];
		const settings = { kind: 'connectorFault', forMs: 0, resolveAfterMs: 60 * MINUTE } as const;
		const ask = async (list: readonly StationEvent[], now: string) =>
			await incidents(list, settings, { to: time('11:00'), now: time(now) });
		const lasting = [{ state: 'open', since: iso('10:00'), until: null, minutes: 60 }];
		expect(await ask(events, '11:30')).toMatchObject(lasting);
		for (const list of [events, [...events, faulted('11:30')]]) {
			expect(await ask(list, '11:31:01')).toMatchObject([
				{ state: 'resolved', since: iso('10:00'), until: iso('10:30'), minutes: 30 },
			]);
		}
		expect(await ask([...events, ...again], '12:00')).toMatchObject(lasting);
		const next = { from: time('11:00'), now: time('13:00') };
		expect(await incidents(events, settings, next)).toEqual([]);
		expect(await incidents([...events, ...again], settings, next)).toMatchObject([
			{ state: 'resolved', since: iso('10:00'), until: iso('11:20'), count: 2 },
		]);
	});

	it('takes a status of a connector for its own incident, though its EVSE reports the same one later', async () => {
		const reserved = (at: string, connectorId?: number, status = 'Reserved') => {
			const evse = { id: 1, ...(connectorId !== undefined && { connectorId }) };
			const component = { name: connectorId === undefined ? 'EVSE' : 'Connector', evse };
			const said = { component, variable: { name: 'AvailabilityState' }, actualValue: status };
			return message(at, 's1', ['NotifyEvent', { seqNo: 0, eventData: [said] }]);
		};
		const events = [
			...[reserved('09:05'), reserved('09:06', 2), reserved('09:29', 1)],
			...[reserved('09:31', 2, 'Available'), reserved('09:48')],
		];
		const settings = { kind: 'connectorStatus', forMs: 10 * MINUTE } as const;
		expect(await incidents(events, settings)).toMatchObject([
			{ connector: '1', since: iso('09:05'), until: null },
			{ connector: '1/1', since: iso('09:29'), state: 'open' },
		]);
	});

	it.each(VERSIONS)('counts repeated faults (%s)', async (_name, version) => {
		const events = ['09:00', '09:20', '09:40'].flatMap((at) => [
			version.status(at, 'Faulted'),
			version.status(at.replace(/0$/, '5'), 'Available'),
		]);
		const settings = { kind: 'connectorFault', times: 3, withinMs: 60 * MINUTE } as const;
		expect(await incidents(events, { ...settings, scope: 'connector' })).toMatchObject([
			{ connector: version.connector, count: 3, state: 'resolved', since: iso('09:00') },
		]);
	});
});

describe('Get Sessions', () => {
	it.each([
		['the same ID', 'tx=1', '1'],
		['another ID', 'tx=2', '2'],
	])('returns a session once that is sent again hours later, with %s', async (_n, tx, id) => {
		const charging = Array.from(
			{ length: 150 },
			(_unused, n) => `${clockAt(n)} meter 2 ${5000 + n} tx=9`,
		);
		const events =
			sessionEvents(`08:00 start 2 5000 tx=9 | 08:10 start 1 1000 tx=1 | 08:30 stop 1 3000
			${charging.join('|')} | 12:30 start 1 1000 at=08:10 id=again ${tx} | 12:30:05 stop ${id} 3000 at=08:30
			12:40 stop 9 9000`);
		const ask = async (from: string, to: string) =>
			await sessions(events, { now: time('14:00'), from: time(from), to: time(to) });
		const [first] = await ask('08:00', '12:00');
		const to = time('12:30:03');
		const open = { now: to, from: time('08:00'), to, includeOpen: true };
		const between = await sessions(events, open);
		expect(between).toMatchObject([first, { connector: '2', state: 'open' }]);
		expect(first).toMatchObject({ startedAt: iso('08:10'), energyKwh: 2 });
		expect(await ask('12:00', '13:00')).toMatchObject([{ connector: '2' }]);
		expect(await ask('08:00', '13:00')).toMatchObject([first, { connector: '2' }]);
	});

	it('does not take a stop that is sent again hours later for that of a session with its ID', async () => {
		const events = sessionEvents(`08:10 start 1 1000 tx=1 | 08:30 stop 1 3000
			12:00 start 3 500 tx=1 | 12:30 stop 1 3000 at=08:30 | 12:40 meter 3 1000 tx=1 | 13:00 stop 1 2500`);
		const ask = async (to: string) =>
			await sessions(events, {
				...{ now: time(to), from: time('08:00'), to: time(to) },
			});
		const [one, other] = await ask('14:00');
		expect([one, other]).toMatchObject([{ energyKwh: 2 }, { connector: '3', energyKwh: 2 }]);
		expect(await ask('12:30:30')).toMatchObject([{ stoppedAt: iso('08:30') }]);
	});

	it.each(VERSIONS)(
		'returns the sessions that ended, and open ones if asked (%s)',
		async (_n, version) => {
			const ended = version.session({ start: '09:00', stop: '09:45', fromWh: 1000, toWh: 12_500 });
			const [start, meter] = version.session({
				...{ assetId: 's2', start: '11:00', stop: '11:59', fromWh: 500, toWh: 900 },
			});
			const events = [...ended, ...(start && meter ? [start, meter] : [])];
			const found = await sessions(events, { includeOpen: true });
			expect(found).toMatchObject([
				{ station: { id: 's1' }, minutes: 45, energyKwh: 11.5, state: 'ended' },
				{ station: { id: 's2' }, minutes: 60, stoppedAt: null, reason: null, state: 'open' },
			]);
			const [over, open] = found.map((item) => Object.keys(item).sort());
			expect(open).toEqual(over);
			expect(await sessions(events)).toHaveLength(1);
		},
	);

	it('has a session once, though the last register follows its stop and the period ends in between', async () => {
		const values = (at: string, value: string, context: string) =>
			message(at, 's1', [
				'MeterValues',
				{
					...{ connectorId: 1, transactionId: 25 },
					meterValue: [{ timestamp: iso(at), sampledValue: [{ value, context }] }],
				},
			]);
		const begun = { connectorId: 1, meterStart: 1_000, timestamp: iso('09:00') };
		const stopped = { transactionId: 25, meterStop: -1, timestamp: iso('09:30') };
		const events = [
			message('09:00', 's1', ['StartTransaction', begun]),
			values('09:15', '3000', 'Sample.Periodic'),
			message('09:30', 's1', ['StopTransaction', stopped]),
			values('09:30:20', '6000', 'Transaction.End'),
		];
		const period = { from: time('08:00'), to: time('09:30:10'), includeOpen: true };
		expect(await sessions(events, period)).toMatchObject([{ state: 'ended', energyKwh: 5 }]);
		expect(await sessions(events, { ...period, from: period.to, to: time('11:00') })).toEqual([]);
		const seen = events.slice(0, 3);
		expect(await status(seen, { now: time('09:29:50') })).toMatchObject([
			{ sessions: [{ connector: '1', energyKwh: 2 }] },
			{ sessions: [] },
		]);
		expect(await status(seen, { now: time('09:30:10') })).toMatchObject([
			{ sessions: [] },
			{ sessions: [] },
		]);
	});

	const begun = (at: string, connectorId: number, meterStart: number, transactionId: number) => {
		const messageId = `start-${transactionId}`;
		const payload = { connectorId, meterStart, timestamp: iso(at) };
		return [
			message(at, 's1', ['StartTransaction', payload], { messageId }),
			message(`${at}:01`, 's1', ['', { transactionId }], { messageType: 'CALL_RESULT', messageId }),
		];
	};
	const stopped = (at: string, transactionId: number, meterStop: number, stationTime = at) =>
		message(at, 's1', [
			'StopTransaction',
			{ transactionId, meterStop, timestamp: iso(stationTime) },
		]);

	it('has a session once, though its end is certain only after the period', async () => {
		const events = [...begun('10:30', 1, 1_000, 5), stopped('10:58', -1, 3_000)];
		const found = await sessions(events, { to: time('11:00'), includeOpen: true });
		expect(found).toMatchObject([
			{ state: 'ended', startedAt: iso('10:30'), energyKwh: 2, startFoundBy: 'order' },
		]);
	});

	it('joins no messages of two versions of OCPP, though they have one ID', async () => {
		const lost = '09:00 start 1 1000 tx=5 | 09:20 ended 5 6000';
		const unknown = { transactionId: '5', startFoundBy: 'not found', startedAt: null };
		expect(await sessions(sessionEvents(lost))).toMatchObject([{ ...unknown, energyKwh: null }]);
		const running = await sessions(sessionEvents('09:00 started 5 1/1 1000'), {
			includeOpen: true,
		});
		expect(running).toMatchObject([{ transactionId: '5', state: 'open' }]);
	});

	it('goes by what names a session, before a stop that names nothing', async () => {
		const start = '09:00 start 1 1000 tx=25 | 09:20 stop -1 7400';
		const unnamed = { transactionId: '-1', startFoundBy: 'not found', energyKwh: null };
		const stopped = { transactionId: '25', stoppedAt: iso('09:20:20'), energyKwh: 1 };
		const found = await sessions(sessionEvents(`${start} | 09:20:20 stop 25 2000`));
		expect(found).toMatchObject([unnamed, stopped]);
		const goesOn = sessionEvents(`${start} | 09:20:50 meter 1 1500 tx=25`);
		const running = { transactionId: '25', state: 'open', energyKwh: 0.5 };
		const options = { to: time('09:25'), includeOpen: true };
		expect(await sessions(goesOn, { ...options, now: time('09:26') })).toMatchObject([
			{ ...unnamed, final: false },
			running,
		]);
		expect(await sessions(goesOn, options)).toMatchObject([{ ...unnamed, final: true }, running]);
	});

	it('says for a minute that a stop without an ID may not be that of its session', async () => {
		const events = sessionEvents('09:00 start 1 1000 tx=25 | 09:20 stop -1 3000');
		const asked = async (at: string) => await sessions(events, { to: time(at), now: time(at) });
		const row = { transactionId: '-1', startFoundBy: 'order', energyKwh: 2 };
		expect(await asked('09:20:40')).toMatchObject([{ ...row, final: false }]);
		expect(await asked('09:23')).toMatchObject([{ ...row, final: true }]);
	});

	it('has one that is open, though one that is over began in the same minute, by a clock without seconds', async () => {
		const events = sessionEvents(`
			09:00:10 start 1 1000 at=09:00 id=a tx=1 | 09:00:25 stop 1 1000 at=09:00
			09:00:45 start 1 1000 at=09:00 id=b tx=2 | 09:10 meter 1 1500 tx=2`);
		const found = await sessions(events, { to: time('09:25'), includeOpen: true });
		expect(found).toMatchObject([
			{ transactionId: '1', state: 'ended', energyKwh: 0 },
			{ transactionId: '2', state: 'open', energyKwh: 0.5 },
		]);
	});

	it('has each session in one of two periods that adjoin, though they are asked at once', async () => {
		const events = sessionEvents(`
			09:00 start 1 1000 tx=25 | 09:50 stop 25 6000 | 09:55 stop 26 9000
			09:30 start 2 2000 tx=27 | 09:59:10 meter 2 3000@end tx=27 | 09:59:30 stop 27 -`);
		const rows = async (from: string, to: string, now: string) => {
			const period = { from: time(from), to: time(to), now: time(now) };
			const found = await sessions(events, period);
			return found.map(({ transactionId, final }) => [transactionId, final]);
		};
		const asItStands = [
			['25', true],
			['26', false],
			['27', false],
		];
		const all = asItStands.map(([id]) => [id, true]);
		expect(await rows('09:00', '10:00', '10:00')).toEqual(asItStands);
		expect(await rows('10:00', '11:00', '11:00')).toEqual([]);
		expect(await rows('09:00', '10:00', '11:00')).toEqual(all);
		expect(await rows('09:00', '11:00', '11:00')).toEqual(all);
	});

	it('has a session without a stop in the period in which that is no longer waited for', async () => {
		const events = [
			...[...begun('10:00', 1, 9_000, 5), ...begun('10:05', 2, 1_000, 6)],
			...begun('10:55', 1, 12_000, 7),
			stopped('10:58', 6, 13_000, '10:54'),
		];
		const stoppedOne = { transactionId: '6', reason: 'Local', final: true };
		const unended = { transactionId: '5', reason: 'NotReported', receivedAt: iso('10:55') };
		expect(await sessions(events)).toMatchObject([stoppedOne, unended]);
		expect(await sessions(events, { to: time('11:15') })).toMatchObject([stoppedOne]);
		expect(await sessions(events, { from: time('11:15') })).toMatchObject([unended]);
	});
});

describe('Get Uptime', () => {
	const events = [
		OCPP16.status('09:00', 'Available'),
		...[lost('09:30'), back('09:40')],
		...[OCPP16.status('10:00', 'Faulted'), OCPP16.status('10:30', 'Available')],
		...[OCPP16.status('11:00', 'Unavailable'), OCPP16.status('11:15', 'Available')],
	];
	const period = { from: time('08:30'), to: time('11:30') };

	it('adds up to the period', async () => {
		const found = await uptime(events, {}, { ...period, assets: ['s1'] });
		expect(found).toEqual([
			{
				station: expect.objectContaining({ name: 'Station s1' }) as unknown,
				...{ port: '1', connector: '1', connectorType: null, powerType: null },
				...{ from: iso('08:30'), to: iso('11:30'), uptimePercent: 63.333 },
				...{ upMinutes: 95, downMinutes: 55, offlineMinutes: 10, silentMinutes: 0 },
				...{ faultedMinutes: 30, unavailableMinutes: 15, unknownMinutes: 30, excludedMinutes: 0 },
				...{ outages: 3, longestOutageMinutes: 30 },
				...{ outageMinutes: 55, excludedOutageMinutes: 0, exclusionReasons: [], final: false },
				seconds: {
					...{ up: 5_700, offline: 600, silent: 0, faulted: 1_800, unavailable: 900 },
					...{ unknown: 1_800, excluded: 0, outage: 3_300, excludedOutage: 0 },
				},
			},
		]);
	});

	it('splits the period into quarters of hours, which have its minutes', async () => {
		const found = await uptime(events, { splitBy: 'quarterHour' }, { ...period, assets: ['s1'] });
		expect(found).toHaveLength(12);
		expect(found.slice(4, 6)).toMatchObject([
			{ from: iso('09:30'), to: iso('09:45'), offlineMinutes: 10, upMinutes: 5 },
			{ from: iso('09:45'), to: iso('10:00'), downMinutes: 0, upMinutes: 15 },
		]);
		const sum = found.reduce((minutes, item) => minutes + Number(item['downMinutes']), 0);
		expect(sum).toBe(55);
	});

	it('counts the unknown time as it is told to, and shows it in any case', async () => {
		for (const [unknownAs, uptimePercent] of [
			['up', 69.444],
			['down', 52.777],
		] as const) {
			const [found] = await uptime(events, { unknownAs }, { ...period, assets: ['s1'] });
			expect(found).toMatchObject({ uptimePercent, unknownMinutes: 30, upMinutes: 95 });
		}
	});

	it('leaves out exclusions, and statuses that do not count', async () => {
		const exclusion = { from: time('10:10'), to: time('10:20'), assetId: 's1', connector: '1' };
		const question = { exclusions: [exclusion], countUnavailable: false };
		const [found] = await uptime(events, question, { ...period, assets: ['s1'] });
		expect(found).toMatchObject({
			...{ excludedMinutes: 10, faultedMinutes: 20, unavailableMinutes: 0, upMinutes: 110 },
			outages: 3,
		});
	});

	it('takes the connectors of a station for one port, if it charges one vehicle at a time', async () => {
		const payload = { connectorId: 2, status: 'Available', errorCode: 'NoError' };
		const second = message('09:00', 's1', ['StatusNotification', payload]);
		const options = { ...period, from: time('09:00'), assets: ['s1'] };
		const question = { per: 'port', portIs: 'station' } as const;
		expect(await uptime([...events, second], question, options)).toMatchObject([
			{ port: '0', connector: null, faultedMinutes: 0, offlineMinutes: 10, upMinutes: 140 },
		]);
		expect(await uptime([...events, second], { per: 'port' }, options)).toHaveLength(2);
	});

	it('lists each time down, with the minutes of the uptime', async () => {
		const exclusion = { from: time('10:10'), to: time('10:20'), reason: 'Works' };
		const question = { exclusions: [{ ...exclusion, assetId: 's1', connector: '1' }] };
		const options = { ...period, assets: ['s1'] };
		const found = await outages([...events, lost('11:20')], question, options);
		const [row] = await uptime([...events, lost('11:20')], question, options);
		const none = { errorCode: null, excludedMinutes: 0, exclusionReasons: [] };
		expect(found).toMatchObject([
			{ ...{ from: iso('09:30'), to: iso('09:40'), minutes: 10, cause: 'offline' }, ...none },
			{
				...{ from: iso('10:00'), to: iso('10:30'), minutes: 30, cause: 'faulted' },
				...{ causes: ['faulted'], excludedMinutes: 10, exclusionReasons: ['Works'] },
			},
			{ ...{ from: iso('11:00'), to: iso('11:15'), minutes: 15, cause: 'unavailable' }, ...none },
			{
				...{ from: iso('11:20'), to: null, minutes: 10, cause: 'offline', connector: '1' },
				...none,
			},
		]);
		expect(row).toMatchObject({ outageMinutes: 65, excludedOutageMinutes: 10, downMinutes: 55 });
	});

	it('says that it knows nothing of a station that says nothing', async () => {
		const found = await uptime([], {}, { ...period, assets: ['s1'] });
		expect(found).toMatchObject([
			{ connector: null, uptimePercent: null, unknownMinutes: 180, upMinutes: 0 },
		]);
	});

	it('adds up, though the period is cut right after a socket that was older', async () => {
		const socket = [
			...[OCPP16.status('09:00', 'Available'), lost('09:59:30')],
			...[OCPP16.status('10:00:20', 'Available'), OCPP16.status('10:30', 'Charging')],
		];
		for (const [from, to] of [
			['09:00', '10:00'],
			['10:00', '11:00'],
			['09:00', '11:00'],
		] as const) {
			const options = { from: time(from), to: time(to), assets: ['s1'] };
			expect(await uptime(socket, {}, options)).toMatchObject([{ downMinutes: 0, outages: 0 }]);
		}
	});

	it('of a station leaves out the time in which all of its connectors are excluded', async () => {
		const offline = [
			...[OCPP16.status('09:00', 'Available'), lost('10:00'), back('10:30')],
			OCPP16.status('09:00', 'Available', { error: { connectorId: 2 } }),
		];
		const excluded = (connector: string) => ({
			...{ from: time('10:00'), to: time('10:30'), assetId: 's1', connector },
		});
		const options = { from: time('09:00'), to: time('11:00'), assets: ['s1'] };
		const ask = async (...exclusions: ReturnType<typeof excluded>[]) =>
			await uptime(offline, { per: 'station', exclusions }, options);
		expect(await ask(excluded('1'))).toMatchObject([{ offlineMinutes: 30, excludedMinutes: 0 }]);
		expect(await ask(excluded('1'), excluded('2'))).toMatchObject([
			{ offlineMinutes: 0, excludedMinutes: 30, uptimePercent: 100 },
		]);
	});

	it('takes a status for what it is, however the station writes it', async () => {
		const shouted = events.map(({ record, ...one }) => {
			const text = JSON.stringify(record).replace(/"status":"\w+"/, (said) => said.toUpperCase());
			const read = text.replace('"STATUS"', '"status"');
			return { ...one, record: JSON.parse(read) as Record<string, unknown> };
		});
		const options = { ...period, assets: ['s1'] };
		expect(await uptime(shouted, {}, options)).toEqual(await uptime(events, {}, options));
	});

	const said201 = (at: string, connectorId: number | undefined, connectorStatus: string) =>
		message(at, 's1', ['StatusNotification', { evseId: 1, connectorId, connectorStatus }]);

	it('knows the connectors of an EVSE from what it first says, and none from a problem', async () => {
		const options = { from: time('09:00'), to: time('10:00'), assets: ['s1'] };
		for (const connectorId of [undefined, 0]) {
			const ofEvse = said201('08:50', connectorId, 'Available');
			const one = [ofEvse, said201('09:20', 1, 'Available')];
			expect(await uptime(one, {}, options)).toMatchObject([
				{ connector: '1/1', upMinutes: 60, unknownMinutes: 0 },
			]);
			const two = [...one, said201('09:30', 2, 'Available')];
			expect(await uptime(two, {}, options)).toMatchObject([
				{ connector: '1/1', unknownMinutes: 0 },
				{ connector: '1/2', unknownMinutes: 0 },
			]);
		}
		const problem = (at: string, actualValue: string) => {
			const component = { name: 'Lock', evse: { id: 1, connectorId: 1 } };
			const said = { component, variable: { name: 'Problem' }, actualValue };
			return message(at, 's1', ['NotifyEvent', { seqNo: 0, eventData: [said] }]);
		};
		const problems = [problem('09:20', 'true'), problem('09:30', 'false')];
		for (const per of ['connector', 'port', 'station'] as const) {
			expect(await uptime(problems, { per }, options)).toMatchObject([
				{ connector: null, faultedMinutes: 0, upMinutes: 0, unknownMinutes: 60, outages: 0 },
			]);
		}
	});

	it('counts a fault of a connector for the others of its EVSE only since the EVSE has it too', async () => {
		const both = [1, 2].map((connector) => said201('08:50', connector, 'Available'));
		const faults = [
			...[said201('09:10', 1, 'Faulted'), said201('09:15', 0, 'Faulted')],
			...[said201('09:20', 0, 'Available'), said201('09:20', 1, 'Available')],
		];
		const options = { from: time('09:00'), to: time('10:00'), assets: ['s1'] };
		expect(await uptime([...both, ...faults], {}, options)).toMatchObject([
			{ connector: '1/1', faultedMinutes: 10, upMinutes: 50 },
			{ connector: '1/2', faultedMinutes: 5, upMinutes: 55 },
		]);
	});

	it('splits at midnight of the time zone, across a clock change', async () => {
		const options = {
			...{ from: Date.parse('2026-10-24T22:00Z'), to: Date.parse('2026-10-26T23:00Z') },
			...{ now: time('12:00'), assets: ['s1'], lookBackMs: 0 },
		};
		const question = { splitBy: 'day', timeZone: 'Europe/Berlin' } as const;
		const found = await uptime([], question, options);
		expect(found.map(({ unknownMinutes }) => unknownMinutes)).toEqual([25 * 60, 24 * 60]);
	});

	it.each([
		['America/Santiago', '2026-09-05T12:00Z', [16, 23]],
		['America/Havana', '2026-03-07T12:00Z', [17, 23]],
		['Atlantic/Azores', '2026-03-28T12:00Z', [13, 23]],
		['Australia/Lord_Howe', '2026-10-03T12:30Z', [1, 23.5]],
		['Asia/Kathmandu', '2026-03-28T18:15Z', [24, 24]],
	])('splits where clocks change at midnight, or by half an hour (%s)', (timeZone, from, hours) => {
		const period = { from: Date.parse(from), to: Date.parse(from) + 60 * 60 * MINUTE };
		const days = split(period, 'day', timeZone).map((part) => (part.to - part.from) / 60 / MINUTE);
		expect(days.slice(0, 2)).toEqual(hours);
	});

	it('of a station is down if all of its connectors are', async () => {
		const two = [
			...[OCPP16.status('09:00', 'Available'), OCPP16.status('10:00', 'Faulted')],
			...['Available', 'Faulted'].map((status, n) =>
				OCPP16.status(n === 0 ? '09:00' : '10:30', status, { error: { connectorId: 2 } }),
			),
		];
		const options = { from: time('09:00'), to: time('11:00'), assets: ['s1'] };
		const [found, ...others] = await uptime(two, { per: 'station' }, options);
		expect([found, others]).toMatchObject([
			{ connector: null, upMinutes: 90, faultedMinutes: 30, outages: 1 },
			[],
		]);
	});
});

describe('Get Status', () => {
	it('says what is wrong, and since when', async () => {
		const [start, meter] = OCPP16.session({
			...{ assetId: 's2', start: '11:00', stop: '11:59', fromWh: 500, toWh: 900 },
		});
		const events = [
			...[OCPP16.status('09:00', 'Available'), lost('11:10')],
			OCPP16.status('10:00', 'Faulted', { assetId: 's2', error: { errorCode: 'GroundFailure' } }),
			...(start && meter ? [start, meter] : []),
		];
		const found = await status(events, { assets: ['s1', 's2', 's3'] });
		expect(found).toMatchObject([
			{ status: 'offline', since: iso('11:10'), minutes: 50, connected: false },
			{
				...{ status: 'faulted', since: iso('10:00'), minutes: 120, connected: true },
				connectors: [{ connector: '1', status: 'Faulted', minutes: 120 }],
				faults: [{ connector: '1', errorCode: 'GroundFailure' }],
				sessions: [{ connector: '1', startedAt: iso('11:00') }],
			},
			{ station: { name: 'Station s3' }, status: 'unknown', connected: null, lastSeenAt: null },
		]);
	});

	const said201 = (at: string, component: string, connectorId: number | undefined, value: string) =>
		message(at, 's1', [
			'NotifyEvent',
			{
				seqNo: 0,
				eventData: [
					{
						component: { name: component, evse: { id: 1, connectorId } },
						variable: { name: 'AvailabilityState' },
						actualValue: value,
					},
				],
			},
		]);

	it('keeps what an EVSE says of itself until the EVSE says something else, as the trigger does', async () => {
		const events = [
			...[
				said201('09:00', 'EVSE', undefined, 'Unavailable'),
				said201('09:10', 'Connector', 1, 'Unavailable'),
			],
			said201('10:00', 'Connector', 1, 'Available'),
			said201('10:30', 'EVSE', undefined, 'Available'),
		];
		const settings = { kind: 'connectorStatus', forMs: 0 } as const;
		for (const count of [1, 2, 3]) {
			const before = events.slice(0, count);
			expect(await incidents(before, settings)).toMatchObject([
				{ since: iso('09:00'), until: null },
			]);
			expect(await status(before, { assets: ['s1'] })).toMatchObject([
				{ status: 'unavailable', since: iso('09:00') },
			]);
		}
		expect(await incidents(events, settings)).toMatchObject([{ until: iso('10:30') }]);
		expect(await status(events, { assets: ['s1'] })).toMatchObject([{ status: 'ok', since: null }]);
	});

	it('takes what is said of a connector without its number for the only one known then', async () => {
		const events = [
			said201('09:00', 'Connector', 1, 'Unavailable'),
			said201('09:10', 'Connector', undefined, 'Unavailable'),
		];
		const one = (value: string, since: string) => [
			{ connectors: [{ connector: '1/1', status: value, since: iso(since), from: 'events' }] },
		];
		const ask = (list: StationEvent[]) => status(list, { assets: ['s1'] });
		expect(await ask(events)).toMatchObject(one('Unavailable', '09:00'));
		for (const connectorId of [1, undefined]) {
			const over = [...events, said201('10:00', 'Connector', connectorId, 'Available')];
			expect(await ask(over)).toMatchObject(one('Available', '10:00'));
		}
	});
});

describe('the most that a connector delivers', () => {
	const slow = {
		id: 's1',
		chargingStation: { powerType: 'AC_3_PHASE', connectors: [{ id: '1' }] },
	};
	const assets = [slow];

	it('counts for the energy of a running session in Get Status', async () => {
		const events = sessionEvents(
			'11:00 start 1 1000 tx=25 | 11:10 meter 1 2000 tx=25 | 11:20 meter 1 90000 tx=25',
		);
		expect(await status(events, { assets })).toMatchObject([{ sessions: [{ energyKwh: 1 }] }]);
		expect(await status(events, { assets: ['s1'] })).toMatchObject([
			{ sessions: [{ energyKwh: 89 }] },
		]);
	});

	it('counts in a test in the editor', async () => {
		const events = sessionEvents(
			'11:00 start 1 1000 tx=25 | 11:10 meter 1 2000 tx=25 | 11:20 stop 25 90000',
		);
		const { all } = await newest(events, { kind: 'sessionEnded', forMs: 0 }, { assets });
		expect([...(all[0]?.items.values() ?? [])]).toMatchObject([{ energyKwh: 1 }]);
	});
});

describe('a test in the editor', () => {
	it('shows the sessions that the trigger would have told, as it tells them', async () => {
		const events = sessionEvents(
			'11:00 start 1 1000 tx=25 | 11:20 stop 25 2000 | 11:57 stop 26 3000',
		);
		const found = await newest(events, { kind: 'sessionEnded', forMs: 0 });
		expect(found).toMatchObject({ incidents: 1, all: [{ at: time('11:20') }] });
		const [item] = found.all.flatMap(({ items }) => [...items.values()]);
		expect(item).toMatchObject({ transactionId: '25' });
		expect(item).not.toHaveProperty('final');
		expect(item).not.toHaveProperty('state');
		const later = await newest(events, { kind: 'sessionEnded', forMs: 0 }, { now: time('12:10') });
		expect(later.incidents).toBe(2);
	});

	it.each([
		[['11-22 11:00', '11-22 16:00', '10:00'], 1],
		[['11-22 05:00', '11-22 06:00', '11-22 07:00'], 0],
	])('counts faults that opened an incident in the last day (%s)', async (faults, count) => {
		const events = faults.flatMap((at) => [
			OCPP16.status(at, 'Faulted'),
			OCPP16.status(`${at}:30`, 'Available'),
		]);
		const settings = { kind: 'connectorFault', times: 3, forMs: 0, resolveAfterMs: 0 } as const;
		const found = await newest(events, settings);
		expect(found).toMatchObject({ incidents: count, stations: count });
		expect(found.all).toHaveLength(1);
	});

	it.each([0, 1, 500, 999])(
		'looks back seven days if the last one has none, whatever the milliseconds: %d',
		async (ms) => {
			const events = [
				...[OCPP16.status('11-20 10:00', 'Faulted'), OCPP16.status('11-20 11:00', 'Available')],
				message('11-15 10:00', 's1', ['Heartbeat', {}]),
			];
			const settings = { kind: 'connectorFault', forMs: 0 } as const;
			const found = await newest(events, settings, { now: time('12:00') + ms });
			expect(found).toMatchObject({ incidents: 0, all: [{ at: time('11-20 10:00') }] });
		},
	);
});

it('says the same of events of the same time, in whatever order they are listed', async () => {
	const events = [OCPP16.status('10:00', 'Available'), OCPP16.status('10:00', 'Faulted')];
	const lists = [events, events.toReversed()].flatMap((list) =>
		[false, true].map((isOldestFirst) => status(list, { assets: ['s1'], isOldestFirst })),
	);
	const [first, ...others] = await Promise.all(lists);
	for (const other of others) expect(other).toEqual(first);
});

describe('reading', () => {
	const many = Array.from({ length: 1_000 }, (_unused, n) => lost(time('09:00') + n * 1_000));

	it('stops at the most events that it may read, and says how far it got', async () => {
		const reading = askPast(many, { connections: true }, { maxEvents: 300, to: time('09:30') });
		await expect(reading).rejects.toMatchObject({
			message: expect.stringMatching(/^Stopped after 300 events, which reach to 2026-/) as unknown,
		});
	});

	it('of a list that begins with its oldest event, reads on until it is certain that an incident is over', async () => {
		const heartbeat = (n: number) => message(time('11:22') + n * 1_000, 's2', ['Heartbeat', {}]);
		const events = [
			...[OCPP16.status('10:00', 'Faulted'), OCPP16.status('10:30', 'Available')],
			...Array.from({ length: 300 }, (_unused, n) => heartbeat(n)),
			OCPP16.status('11:29', 'Faulted'),
		];
		const settings = { kind: 'connectorFault', forMs: 0, resolveAfterMs: 60 * MINUTE } as const;
		const options = { to: time('11:00'), now: time('13:00'), isOldestFirst: true };
		expect(await incidents(events, settings, options)).toMatchObject([
			{ state: 'open', since: iso('10:00') },
		]);
		const over = [...events.slice(0, -1), OCPP16.status('11:31', 'Faulted')];
		expect(await incidents(over, settings, options)).toMatchObject([
			{ state: 'resolved', until: iso('10:30') },
		]);
	});

	it('reads a list that begins with its oldest event', async () => {
		const found = await incidents([lost('09:10'), back('09:40')], {}, { isOldestFirst: true });
		expect(found).toMatchObject([{ minutes: 30 }]);
	});
});
