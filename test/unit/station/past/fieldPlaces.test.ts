/** What stations really send about their places, and what uptime and status say of it. */
import { back, lost, message, MINUTE, type StationEvent, time } from '../stationWorld';
import { incidents, outages, type PastOptions, status, uptime } from './pastWorld';

const HOUR = 60 * MINUTE;

/** A day, asked for when all of it is certain. */
const DAY: PastOptions = {
	...{ from: time('00:00'), to: time('11-24 00:00'), now: time('11-26 12:00'), assets: ['s1'] },
};
const from = (text: string) => time(text);
const iso = (text: string) => new Date(time(text)).toISOString();

type At = string | number;

const status16 = (at: At, connectorId: number, value: string) =>
	message(at, 's1', [
		'StatusNotification',
		{ connectorId, status: value, errorCode: value === 'Faulted' ? 'GroundFailure' : 'NoError' },
	]);
const status201 = (at: At, evseId: number, connectorId: number, connectorStatus: string) =>
	message(at, 's1', ['StatusNotification', { evseId, connectorId, connectorStatus }]);
const evse = (at: At, id: number, value: string) => notified(at, 'EVSE', { id }, value);
const notified = (at: At, name: string, of: object | undefined, value: string, more: object = {}) =>
	message(at, 's1', [
		'NotifyEvent',
		{
			eventData: [
				{
					component: { name, ...(of && { evse: of }) },
					...{ variable: { name: 'AvailabilityState' }, actualValue: value, ...more },
				},
			],
		},
	]);
const problem = (at: At, name: string, of: object | undefined, value: boolean, more: object = {}) =>
	notified(at, name, of, String(value), { variable: { name: 'Problem' }, ...more });
const boot = (at: At, payload: object = {}, messageId = `boot-${at}`) =>
	message(at, 's1', ['BootNotification', { ...payload }], { messageId });
const heartbeat = (at: At) => message(at, 's1', ['Heartbeat', {}]);
/** One each hour of the day, and of the one after it. */
const heartbeats = (first = '00:10', last = '11-25 23:10') => {
	const events: StationEvent[] = [];
	for (let at = time(first); at <= time(last); at += HOUR) events.push(heartbeat(at));
	return events;
};

const listed = (connectors: readonly object[], more: object = {}) => ({
	...{ id: 's1', name: 'Station s1' },
	chargingStation: { connectors, powerType: 'DC', ...more },
});

describe('a dead station', () => {
	const dead: (readonly [string, readonly StationEvent[]])[] = [
		['was lost three days before', [lost('11-20 12:00')]],
		['has sent nothing for three days', [status16('11-20 12:00', 1, 'Available')]],
		['has never sent anything', []],
	];
	const other = message('11-01 00:00', 's2', ['Heartbeat', {}]);

	it.each(dead)('that %s is not up, whatever unknown counts as', async (_what, events) => {
		for (const unknownAs of ['leftOut', 'up', 'down'] as const) {
			const all = [other, ...events];
			const [row, ...more] = await uptime(all, { unknownAs }, { ...DAY, assetIds: ['s1'] });
			expect(more).toEqual([]);
			expect(row).toMatchObject({
				...{ silentMinutes: 1440, upMinutes: 0, uptimePercent: 0, final: true },
			});
		}
		expect(await outages([other, ...events], {}, { ...DAY, assetIds: ['s1'] })).toMatchObject([
			{ cause: 'silent', minutes: 1440, from: iso('00:00') },
		]);
	});

	it('is silent or offline now', async () => {
		const ask = async (events: readonly StationEvent[]) =>
			await status([other, ...events], { now: time('12:00'), assetIds: ['s1'] });
		expect(await ask([lost('11-22 14:00')])).toMatchObject([
			{ status: 'offline', since: iso('11-22 14:00'), connected: false },
		]);
		expect(await ask([heartbeat('11-22 09:00')])).toMatchObject([
			{ status: 'silent', since: null, connected: null, lastSeenAt: null },
		]);
		expect(await ask([heartbeat('11-22 09:59:30')])).toMatchObject([{ status: 'silent' }]);
		expect(await ask([heartbeat('11-22 10:01')])).toMatchObject([
			{ status: 'unknown', lastSeenAt: iso('11-22 10:01') },
		]);
	});

	it('is silent since its last sign, and until the next one', async () => {
		const events = [
			...[other, status16('11-22 20:00', 1, 'Available'), heartbeat('06:00')],
			...[heartbeat('11-24 09:00'), heartbeat('11-25 00:00')],
		];
		expect(await uptime(events, {}, { ...DAY, assetIds: ['s1'] })).toMatchObject([
			{ upMinutes: 360, silentMinutes: 1080, outages: 1, final: true },
		]);
		const next = {
			...DAY,
			from: time('11-24 00:00'),
			to: time('11-25 00:00'),
			lookBackMs: 48 * HOUR,
		};
		expect(await uptime(events, {}, { ...next, assetIds: ['s1'] })).toMatchObject([
			{ upMinutes: 900, silentMinutes: 540 },
		]);
	});

	it('is not told from a quiet one until it has said nothing for 26 hours', async () => {
		const events = [
			other,
			...heartbeats('11-22 20:10', '21:10'),
			status16('22:00', 1, 'Available'),
		];
		const ask = async (now: string) =>
			await uptime(events, {}, { ...DAY, now: time(now), assetIds: ['s1'] });
		expect(await ask('11-24 23:00')).toMatchObject([{ silentMinutes: 0, final: false }]);
		expect(await ask('11-25 00:02')).toMatchObject([{ silentMinutes: 120, final: true }]);
	});

	it('is unknown before the oldest event of the list, and while it is planned', async () => {
		const young = message('18:00', 's2', ['Heartbeat', {}]);
		expect(await uptime([young], { unknownAs: 'up' }, { ...DAY, assetIds: ['s1'] })).toMatchObject([
			{ silentMinutes: 360, unknownMinutes: 1080, uptimePercent: 0 },
		]);
		const connector = { id: '1', status: 'AVAILABLE', updatedAt: iso('06:00') };
		const planned = { ...listed([connector]), status: 'PLANNED' };
		const options = { ...DAY, assets: [planned], assetIds: ['s1'] };
		for (const unknownAs of ['leftOut', 'up', 'down'] as const) {
			expect(await uptime([other], { unknownAs }, options)).toMatchObject([
				{ silentMinutes: 0, unknownMinutes: 1440, uptimePercent: null },
			]);
		}
		expect(await status([other], options)).toMatchObject([{ status: 'unknown' }]);
	});

	it('never is one with a heartbeat each 24 hours and a second', async () => {
		const events = [other, status16('11-21 23:00', 1, 'Available')];
		for (let n = 0; n < 4; n++)
			events.push(heartbeat(time('11-21 23:00') + n * (24 * HOUR + 1_000)));
		expect(await uptime(events, {}, { ...DAY, assetIds: ['s1'] })).toMatchObject([
			{ silentMinutes: 0, final: true },
		]);
	});

	it('that the asset list no longer has counts up to its last sign', async () => {
		const events = [
			other,
			...heartbeats('00:10', '05:10'),
			status16('00:20', 1, 'Available'),
			lost('06:00'),
		];
		const removed: string[] = [];
		const question = { unknownAs: 'down' as const, onRemoved: (id: string) => removed.push(id) };
		expect(
			await uptime(events, question, { ...DAY, assets: ['s2'], assetIds: ['s1'] }),
		).toMatchObject([
			{ upMinutes: 340, offlineMinutes: 0, silentMinutes: 0, unknownMinutes: 1100, final: true },
		]);
		expect(removed).toEqual(['s1']);
	});
});

describe('an incident of a station that the asset list no longer has', () => {
	const faulted = status16('06:00', 1, 'Faulted');
	const asked = { ...DAY, now: time('12:00'), to: undefined, assets: ['s2'] };
	const faults = { kind: 'connectorFault', forMs: 0 } as const;

	it('is over with the last sign of the station', async () => {
		const events = [faulted, heartbeat('07:10')];
		expect(await incidents(events, faults, asked)).toMatchObject([
			{ state: 'resolved', endedBy: 'removed', until: iso('07:10'), minutes: 70 },
		]);
		expect(await incidents(events, faults, { ...asked, assets: ['s1', 's2'] })).toMatchObject([
			{ state: 'open', endedBy: null, until: null },
		]);
	});

	it('is over as it was, and lasts where the station was heard later', async () => {
		const events = [faulted, status16('07:00', 1, 'Available'), heartbeat('08:10')];
		expect(await incidents(events, faults, asked)).toMatchObject([
			{ state: 'resolved', endedBy: 'report', until: iso('07:00') },
		]);
		const earlier = { ...asked, to: time('06:30') };
		expect(await incidents(events, { ...faults, resolveAfterMs: 0 }, earlier)).toMatchObject([
			{ state: 'open' },
		]);
	});
});

describe('a straggler of the old socket', () => {
	const events = [
		...[status16('08:00', 1, 'Available'), lost('09:00:10'), heartbeat('09:00:11')],
		...[back('11:00'), ...heartbeats('11:10')],
	];

	it('ends no outage, unless another message follows soon', async () => {
		expect(await uptime(events, {}, DAY)).toMatchObject([{ offlineMinutes: 120, outages: 1 }]);
		expect(await status(events, { now: time('10:00'), assets: ['s1'] })).toMatchObject([
			{ status: 'offline', since: iso('09:00:10') },
		]);
		const alive = [...events, heartbeat('09:20')];
		expect(await uptime(alive, {}, DAY)).toMatchObject([{ offlineMinutes: 0, outages: 0 }]);
		const late = [...events, heartbeat('09:40:10')];
		expect(await uptime(late, {}, DAY)).toMatchObject([{ offlineMinutes: 40, outages: 1 }]);
	});
});

describe('problems', () => {
	const EVSE = { id: 1 };

	it('are alarms, not outages', async () => {
		const events = [
			...[evse('00:00', 1, 'Occupied'), ...heartbeats()],
			problem('04:00', 'Fan', EVSE, true, { techCode: 'T1' }),
			problem('14:00', 'Fan', EVSE, false, { techCode: 'T1' }),
		];
		expect(await uptime(events, {}, DAY)).toMatchObject([{ upMinutes: 1440, outages: 0 }]);
		const now = time('11:00');
		expect(await status(events.slice(0, -1), { now, assets: ['s1'] })).toMatchObject([
			{
				...{ status: 'ok', faults: [] },
				problems: [{ connector: '1', component: 'Fan', errorCode: 'T1', minutes: 420 }],
			},
		]);
	});

	it('without a code are over once the component has none of any code', async () => {
		const events = [
			...[evse('08:00', 1, 'Available'), problem('09:00', 'Fan', EVSE, true)],
			...[problem('09:05', 'Fan', EVSE, true, { techCode: 'T1' }), ...heartbeats('09:20')],
		];
		const options = { now: time('10:00'), assets: ['s1'] };
		const problemsAfter = async (techCode: string) => {
			const over = problem('09:30', 'Fan', EVSE, false, { techCode });
			const [item] = await status([...events, over], options);
			return (item?.['problems'] as { errorCode: string }[]).map(({ errorCode }) => errorCode);
		};
		expect(await problemsAfter('T1')).toEqual([]);
		expect(await problemsAfter('T2')).toEqual(['T1']);
	});
});

describe('the name of a component', () => {
	const EVSE = { id: 1 };
	const said = [
		...[evse('08:00', 1, 'Available'), problem('09:00', 'CableLock', EVSE, true)],
		...[problem('09:10', 'cablelock', EVSE, true), ...heartbeats('09:20')],
	];

	it('ignores case: another spelling is the same problem, shown as the station wrote it first', async () => {
		expect(await status(said, { now: time('10:00'), assets: ['s1'] })).toMatchObject([
			{ problems: [{ component: 'CableLock', errorCode: 'CableLock', minutes: 60 }] },
		]);
		const over = [...said, problem('09:30', 'CABLELOCK', EVSE, false)];
		expect(await status(over, { now: time('10:00'), assets: ['s1'] })).toMatchObject([
			{ problems: [] },
		]);
	});
});

describe('an EVSE and its connectors', () => {
	it('each have a state of their own: both connectors are down while the EVSE is', async () => {
		const events = [
			...[status201('00:00', 1, 1, 'Available'), status201('00:00', 1, 2, 'Available')],
			...[evse('10:00', 1, 'Faulted'), status201('10:05', 1, 1, 'Faulted')],
			...[status201('10:10', 1, 1, 'Available'), evse('11:00', 1, 'Available')],
			...heartbeats(),
		];
		expect(await uptime(events, {}, DAY)).toMatchObject([
			{ connector: '1/1', faultedMinutes: 60, outages: 1 },
			{ connector: '1/2', faultedMinutes: 60, outages: 1 },
		]);
		const kept = events.filter(({ createdAt }) => createdAt < iso('10:15'));
		expect(await status(kept, { now: time('10:20'), assets: ['s1'] })).toMatchObject([
			{
				...{ status: 'faulted', since: iso('10:00'), faults: [{ connector: '1' }] },
				connectors: [
					{ connector: '1', status: 'Faulted' },
					{ connector: '1/1', status: 'Faulted', since: iso('10:00') },
					{ connector: '1/2', status: 'Faulted', since: iso('10:00') },
				],
			},
		]);
	});

	it('are a port, which is up as long as one of its connectors is', async () => {
		const events = [
			...[status201('00:00', 1, 1, 'Available'), status201('00:00', 1, 2, 'Available')],
			...[status201('08:00', 1, 2, 'Faulted'), status201('18:00', 1, 2, 'Available')],
			...heartbeats(),
		];
		expect(await uptime(events, { per: 'port' }, DAY)).toMatchObject([
			{ port: '1', upMinutes: 1440, downMinutes: 0 },
		]);
		expect(await uptime(events, {}, DAY)).toMatchObject([
			{ connector: '1/1', port: '1', upMinutes: 1440 },
			{ connector: '1/2', port: '1', faultedMinutes: 600 },
		]);
	});

	it('are not ended by a message of a connector without its number', async () => {
		const events = [
			...[status201('00:00', 1, 1, 'Available'), status201('00:00', 1, 2, 'Faulted')],
			...[notified('06:00', 'Connector', { id: 1 }, 'Available'), ...heartbeats()],
		];
		expect(await uptime(events, {}, DAY)).toMatchObject([
			{ connector: '1/1', upMinutes: 1440 },
			{ connector: '1/2', faultedMinutes: 1440 },
		]);
		const settings = { kind: 'connectorFault', forMs: 0, resolveAfterMs: 0 } as const;
		expect(await incidents(events, settings, DAY)).toMatchObject([
			{ connector: '1/2', until: null },
		]);
	});

	it('are known since the EVSE is, in whatever periods they are asked about', async () => {
		const events = [
			...[evse('10:00', 1, 'Available'), status201('12:00', 1, 1, 'Available')],
			...[status201('13:00', 1, 2, 'Available'), ...heartbeats()],
		];
		const ask = async (begin: string, end: string) =>
			await uptime(events, {}, { ...DAY, from: from(begin), to: from(end) });
		for (const end of ['12:30', '15:00']) {
			expect(await ask('09:00', end)).toMatchObject([
				{ connector: '1/1', unknownMinutes: 60 },
				{ connector: '1/2', unknownMinutes: 60 },
			]);
		}
		const whole = [notified('08:00', 'ChargingStation', undefined, 'Available'), ...heartbeats()];
		expect(await uptime(whole, {}, DAY)).toMatchObject([{ connector: null, upMinutes: 0 }]);
	});

	it('are up while they charge, though something above them was reported as faulted before', async () => {
		const transaction = (at: At, eventType: string, chargingState: string, more: object = {}) =>
			message(at, 's1', [
				'TransactionEvent',
				{ eventType, seqNo: 0, transactionInfo: { transactionId: 't', chargingState }, ...more },
			]);
		const events = [
			...[status201('00:00', 1, 1, 'Available'), evse('08:00', 1, 'Faulted')],
			transaction('09:00', 'Started', 'EVConnected', { evse: { id: 1 } }),
			transaction('09:10', 'Updated', 'Charging'),
			...[transaction('10:10', 'Ended', 'Idle'), evse('12:00', 1, 'Available')],
			...heartbeats(),
		];
		for (const per of ['connector', 'port', 'station'] as const) {
			expect(await uptime(events, { per }, DAY)).toMatchObject([
				{ faultedMinutes: 180, upMinutes: 1260, outages: 2 },
			]);
		}
	});
});

describe('connector 0 of OCPP 1.6', () => {
	it('says nothing more of a connector that reports an operative state since', async () => {
		const events = [
			...[status16('00:00', 1, 'Available'), status16('00:00', 2, 'Available')],
			...[status16('08:00', 0, 'Faulted'), status16('09:00', 1, 'Available')],
			...[status16('10:00', 1, 'Charging'), status16('20:00', 0, 'Available')],
			...heartbeats(),
		];
		expect(await uptime(events, {}, DAY)).toMatchObject([
			{ connector: '1', faultedMinutes: 60 },
			{ connector: '2', faultedMinutes: 720 },
		]);
		expect(await uptime(events, { per: 'station' }, DAY)).toMatchObject([{ faultedMinutes: 60 }]);
		const settings = { kind: 'connectorFault', forMs: 0, resolveAfterMs: 0 } as const;
		expect(await incidents(events, settings, DAY)).toMatchObject([
			{ connector: '0', since: iso('08:00'), until: iso('20:00') },
		]);
	});

	it('that is Unavailable counts until a connector is in use', async () => {
		const events = [
			...[status16('00:00', 1, 'Available'), status16('08:00', 0, 'Unavailable')],
			...[status16('09:00', 1, 'Available'), status16('10:00', 1, 'Charging')],
			...[status16('11:00', 1, 'Available'), status16('20:00', 0, 'Available')],
			...heartbeats(),
		];
		expect(await uptime(events, {}, DAY)).toMatchObject([{ unavailableMinutes: 120 }]);
	});

	it('can be the port of all connectors', async () => {
		const events = [
			...[status16('00:00', 1, 'Available'), status16('00:00', 2, 'Available')],
			...[status16('08:00', 1, 'Faulted'), status16('09:00', 2, 'Faulted')],
			...[status16('10:00', 2, 'Available'), ...heartbeats()],
		];
		expect(await uptime(events, { per: 'port', portIs: 'station' }, DAY)).toMatchObject([
			{ port: '0', faultedMinutes: 60 },
		]);
		expect(await uptime(events, { per: 'port' }, DAY)).toMatchObject([
			{ port: '1', faultedMinutes: 960 },
			{ port: '2', faultedMinutes: 60 },
		]);
	});
});

describe('a boot', () => {
	it('of a station that was updated leaves no state of its old numbers', async () => {
		const events = [
			...[
				status16('08:00', 1, 'Unavailable'),
				boot('11:00'),
				status201('11:00:05', 1, 1, 'Available'),
			],
			...heartbeats(),
		];
		expect(await uptime(events, {}, { ...DAY, from: time('12:00') })).toMatchObject([
			{ connector: '1', unknownMinutes: 720, uptimePercent: null },
			{ connector: '1/1', upMinutes: 720, uptimePercent: 100 },
		]);
		expect(await uptime(events, { per: 'station' }, DAY)).toMatchObject([
			{ unavailableMinutes: 180, unknownMinutes: 481, upMinutes: 779 },
		]);
		expect(await status(events, { now: time('12:00'), assets: ['s1'] })).toMatchObject([
			{ status: 'ok', connectors: [{ connector: '1/1', status: 'Available' }] },
		]);
	});

	it('makes unknown what is not reported again, and keeps all if nothing is', async () => {
		const before = [
			status16('08:00', 1, 'Available'),
			status16('08:00', 2, 'Faulted'),
			...heartbeats(),
		];
		const events = [...before, boot('11:00'), status16('11:01', 1, 'Available')];
		expect(await uptime(events, {}, DAY)).toMatchObject([
			{ connector: '1', unknownMinutes: 480, upMinutes: 960 },
			{ connector: '2', faultedMinutes: 180, unknownMinutes: 1260 },
		]);
		expect(await uptime([...before, boot('11:00')], {}, DAY)).toMatchObject([
			{ connector: '1', upMinutes: 960 },
			{ connector: '2', faultedMinutes: 960 },
		]);
	});
});

describe('a station that reports in another version of OCPP', () => {
	const old = [
		...heartbeats(),
		...[status16('08:00', 1, 'Available'), status16('08:00', 2, 'Available')],
		status16('09:00', 1, 'Faulted'),
	];
	const young = [status201('09:41', 1, 1, 'Available'), status201('09:42', 2, 1, 'Available')];
	const updated = [...old, boot('09:30', { reason: 'PowerUp' }), ...young];
	const FAULTS = { ...{ kind: 'connectorFault' as const, forMs: 0, resolveAfterMs: 0 } };
	const ways: (readonly [string, readonly StationEvent[]])[] = [
		['over ten minutes after its boot', updated],
		['whose boot is lost', [...old, ...young]],
	];

	it.each(ways)('%s has no state of its old numbers from then on', async (_what, events) => {
		const [nine, ten, eleven] = [time('09:00'), time('10:00'), time('11:00')];
		const ask = async (period: PastOptions) => await uptime(events, {}, { ...DAY, ...period });
		expect(await ask({ from: nine, to: eleven })).toMatchObject([
			{ connector: '1', faultedMinutes: 41, unknownMinutes: 79, upMinutes: 0 },
			{ connector: '1/1', upMinutes: 79, unknownMinutes: 41 },
			{ connector: '2', upMinutes: 41, unknownMinutes: 79 },
			{ connector: '2/1', upMinutes: 78, unknownMinutes: 42 },
		]);
		expect(await ask({ from: nine, to: ten })).toMatchObject([
			{ connector: '1', faultedMinutes: 41, unknownMinutes: 19 },
			{ connector: '1/1', upMinutes: 19, unknownMinutes: 41 },
			{ connector: '2', upMinutes: 41, unknownMinutes: 19 },
			{ connector: '2/1', upMinutes: 18, unknownMinutes: 42 },
		]);
		expect(await ask({ from: ten, to: eleven })).toMatchObject([
			...[
				{ connector: '1', unknownMinutes: 60 },
				{ connector: '1/1', upMinutes: 60 },
			],
			...[
				{ connector: '2', unknownMinutes: 60 },
				{ connector: '2/1', upMinutes: 60 },
			],
		]);
		expect(await outages(events, {}, DAY)).toMatchObject([
			{ connector: '1', from: iso('09:00'), to: iso('09:41'), minutes: 41 },
		]);
		expect(await incidents(events, FAULTS, DAY)).toMatchObject([
			{ connector: '1', state: 'resolved', until: iso('09:41'), endedBy: 'report' },
		]);
		expect(await status(events, { now: time('12:00'), assets: ['s1'] })).toMatchObject([
			{ status: 'ok', faults: [], connectors: [{ connector: '1/1' }, { connector: '2/1' }] },
		]);
	});

	it('is down only at its new numbers from then on, whatever unknown counts as', async () => {
		const events = [...updated, lost('10:15'), back('10:45')];
		const period = { ...DAY, from: time('09:00'), to: time('11:00') };
		for (const unknownAs of ['leftOut', 'up', 'down'] as const) {
			const [first, second, third, fourth] = await uptime(events, { unknownAs }, period);
			expect(first).toMatchObject({ connector: '1', downMinutes: 41, offlineMinutes: 0 });
			expect(second).toMatchObject({ connector: '1/1', offlineMinutes: 30, upMinutes: 49 });
			expect(third).toMatchObject({ connector: '2', upMinutes: 41, uptimePercent: 100 });
			expect(fourth).toMatchObject({ connector: '2/1', offlineMinutes: 30 });
			const later = { ...period, from: time('10:00') };
			expect(await uptime(events, { unknownAs }, later)).toMatchObject([
				{ connector: '1', uptimePercent: null },
				{ connector: '1/1', uptimePercent: 50 },
				{ connector: '2', uptimePercent: null },
				{ connector: '2/1', uptimePercent: 50 },
			]);
		}
		expect(await uptime(events, { per: 'port', unknownAs: 'down' }, period)).toMatchObject([
			{ port: '1', faultedMinutes: 41, offlineMinutes: 30, upMinutes: 49 },
			{ port: '2', offlineMinutes: 30, upMinutes: 89, unknownMinutes: 1 },
		]);
	});

	it('leaves nothing of what it said of itself, though its boot is lost', async () => {
		const old = [status16('08:00', 1, 'Available'), status16('09:00', 0, 'Faulted')];
		const events = [...heartbeats(), ...old, status201('11:00', 1, 1, 'Available')];
		expect(await uptime(events, {}, DAY)).toMatchObject([
			{ connector: '1', upMinutes: 60, faultedMinutes: 120 },
			{ connector: '1/1', upMinutes: 780 },
		]);
		expect(await incidents(events, FAULTS, DAY)).toMatchObject([
			{ connector: '0', state: 'resolved', until: iso('11:00'), endedBy: 'report' },
		]);
		const now = { now: time('12:00'), assets: ['s1'] };
		expect(await status(events, now)).toMatchObject([{ status: 'ok', faults: [] }]);
		// What it says of itself in the new version stays.
		const own = notified('10:59', 'ChargingStation', undefined, 'Faulted');
		expect(await status([...events, own], now)).toMatchObject([
			{ status: 'faulted', faults: [{ connector: '0', since: iso('09:00') }] },
		]);
	});

	it('back in the older one has no state of its newer numbers', async () => {
		const events = [
			...heartbeats(),
			...[status201('08:00', 1, 1, 'Available'), status201('09:00', 1, 1, 'Faulted')],
			status16('10:00', 1, 'Available'),
		];
		expect(await uptime(events, {}, DAY)).toMatchObject([
			{ connector: '1', upMinutes: 840 },
			{ connector: '1/1', upMinutes: 60, faultedMinutes: 60 },
		]);
		expect(await incidents(events, FAULTS, DAY)).toMatchObject([
			{ connector: '1/1', state: 'resolved', until: iso('10:00') },
		]);
		expect(await status(events, { now: time('12:00'), assets: ['s1'] })).toMatchObject([
			{ status: 'ok', connectors: [{ connector: '1', status: 'Available' }] },
		]);
	});
});

describe('the asset list', () => {
	const connectors = [
		{ id: '1', status: 'Available', connectionType: 'CCS', updatedAt: iso('11-22 00:00') },
		{ id: '2', status: 'Faulted', connectionType: 'NACS', updatedAt: iso('06:00') },
		{ id: '3', status: 'Sulking', updatedAt: iso('06:00') },
	];
	const assets = [listed(connectors)];

	it('names the places, and says the state of those of which no event does', async () => {
		const events = [status16('12:00', 1, 'Faulted'), ...heartbeats()];
		expect(await uptime(events, {}, { ...DAY, assets })).toMatchObject([
			{
				connector: '1',
				faultedMinutes: 720,
				unknownMinutes: 720,
				connectorType: 'CCS',
				powerType: 'DC',
			},
			{ connector: '2', faultedMinutes: 1080, unknownMinutes: 360, connectorType: 'NACS' },
			{ connector: '3', unknownMinutes: 1440, connectorType: null },
		]);
		expect(await status(events, { now: time('18:00'), assets })).toMatchObject([
			{
				status: 'faulted',
				connectors: [
					{ connector: '1', status: 'Faulted', from: 'events' },
					{ connector: '2', status: 'Faulted', from: 'asset list', since: iso('06:00') },
					{ connector: '3', status: null, from: null },
				],
			},
		]);
	});

	it('names the only connector of each EVSE in OCPP 2.0.1', async () => {
		const events = [status201('00:00', 1, 1, 'Available'), ...heartbeats()];
		expect(await uptime(events, {}, { ...DAY, assets })).toMatchObject([
			{ connector: '1/1', port: '1', upMinutes: 1440, connectorType: 'CCS' },
			{ connector: '2/1', port: '2', faultedMinutes: 1080 },
			{ connector: '3/1', port: '3' },
		]);
		const newer = [listed(connectors, { protocol: 'OCPP_2_0_1' })];
		expect(await uptime(heartbeats(), {}, { ...DAY, assets: newer })).toMatchObject([
			{ connector: '1/1' },
			{ connector: '2/1' },
			{ connector: '3/1' },
		]);
	});

	it('names no EVSE in OCPP 2.0.1 if one has a second connector: its numbers are those of connectors', async () => {
		const two = [
			...[status201('00:00', 1, 1, 'Faulted'), status201('00:00', 1, 2, 'Faulted')],
			...heartbeats(),
		];
		const free = (id: number) => ({ id, status: 'Available', updatedAt: iso('11-22 00:00') });
		const ask = async (numbers: readonly number[], per: 'connector' | 'station') =>
			await uptime(two, { per }, { ...DAY, assets: [listed(numbers.map(free))] });
		expect(await ask([1, 2], 'connector')).toMatchObject([
			{ connector: '1/1', faultedMinutes: 1440 },
			{ connector: '1/2', faultedMinutes: 1440 },
		]);
		expect(await ask([1, 2], 'station')).toMatchObject([{ faultedMinutes: 1440, upMinutes: 0 }]);
		// Of further connectors, nothing is known.
		expect(await ask([1, 2, 3], 'station')).toMatchObject([{ unknownMinutes: 1440, upMinutes: 0 }]);
		const assets = [listed([1, 2].map(free))];
		const [item] = await status(two, { now: time('18:00'), assets });
		expect(item).toMatchObject({
			status: 'faulted',
			connectors: [{ connector: '1/1' }, { connector: '1/2' }],
		});
	});

	it('keeps a station from being down by its one connector of which something is heard', async () => {
		const events = [status16('00:00', 1, 'Faulted'), ...heartbeats()];
		const all = [listed([{ id: '1' }, { id: '2' }, { id: '3' }])];
		expect(await uptime(events, { per: 'station' }, { ...DAY, assets: all })).toMatchObject([
			{ faultedMinutes: 0, unknownMinutes: 1440 },
		]);
	});
});

it('is ok only if the status of a connector is known', async () => {
	const events = [status16('11-22 06:00', 1, 'Faulted'), heartbeat('11:00')];
	expect(await status(events, { assets: ['s1'] })).toMatchObject([
		{ status: 'unknown', connectors: [], lastSeenAt: iso('11:00') },
	]);
});

it('per station, counts a place from its first status on', async () => {
	const events = [
		...[status16('09:00', 1, 'Unavailable'), status16('13:00', 2, 'Available')],
		...heartbeats(),
	];
	const ask = async (begin: string, end: string) =>
		await uptime(events, { per: 'station' }, { ...DAY, from: from(begin), to: from(end) });
	expect(await ask('09:00', '12:00')).toMatchObject([{ unavailableMinutes: 180 }]);
	expect(await ask('12:00', '15:00')).toMatchObject([{ unavailableMinutes: 60, upMinutes: 120 }]);
	expect(await ask('09:00', '15:00')).toMatchObject([{ unavailableMinutes: 240, upMinutes: 120 }]);
});

it('a connector of a failed EVSE that charges is in use, in the status as in the uptime', async () => {
	const transaction = {
		...{ eventType: 'Updated', triggerReason: 'ChargingStateChanged', seqNo: 1 },
		...{ evse: { id: 1, connectorId: 2 } },
		transactionInfo: { transactionId: 'tx1', chargingState: 'Charging' },
	};
	const events = [
		...[status201('06:09', 1, 1, 'Available'), status201('06:09', 1, 2, 'Available')],
		...[boot('07:50'), status201('07:51', 1, 1, 'Available'), evse('08:23', 1, 'Faulted')],
		...[message('10:50', 's1', ['TransactionEvent', transaction]), ...heartbeats()],
	];
	expect(await status(events, { now: time('11:05'), assets: ['s1'] })).toMatchObject([
		{
			connectors: [
				{ connector: '1', status: 'Faulted' },
				{ connector: '1/1', status: 'Faulted', since: iso('08:23') },
				{ connector: '1/2', status: 'Charging', since: iso('10:50') },
			],
		},
	]);
	const row = { ...DAY, from: from('10:50'), to: from('11:05') };
	expect(await uptime(events, {}, row)).toMatchObject([
		{ connector: '1/1', faultedMinutes: 15 },
		{ connector: '1/2', upMinutes: 15 },
	]);
});

it('a Connector without a number speaks of its EVSE, if that has two connectors, in the status as in the trigger', async () => {
	const unnumbered = (at: At, value: string) => notified(at, 'Connector', { id: 1 }, value);
	const events = [
		...[status201('06:00', 1, 1, 'Available'), status201('06:00', 1, 2, 'Available')],
		...[evse('07:00', 1, 'Available'), unnumbered('08:00', 'Reserved')],
		...[unnumbered('09:00', 'Unavailable'), unnumbered('10:00', 'Available'), ...heartbeats()],
	];
	const ask = async (now: string) => await status(events, { now: time(now), assets: ['s1'] });
	const own = (value: string, at: string) => ({
		...{ connector: '1', status: value, since: iso(at) },
	});
	const connectors = (value: string, at: string) =>
		['1/1', '1/2'].map((connector) => ({ connector, status: value, since: iso(at) }));
	expect(await ask('08:30')).toMatchObject([
		{ status: 'ok', connectors: [own('Reserved', '08:00'), ...connectors('Available', '06:00')] },
	]);
	expect(await ask('09:30')).toMatchObject([
		{
			status: 'unavailable',
			connectors: [own('Unavailable', '09:00'), ...connectors('Unavailable', '09:00')],
		},
	]);
	expect(await ask('10:30')).toMatchObject([
		{ connectors: [own('Available', '10:00'), ...connectors('Available', '10:00')] },
	]);
	const settings = { kind: 'connectorStatus', statuses: ['Reserved', 'Unavailable'] } as const;
	const open = { ...DAY, to: time('08:30'), now: time('08:30') };
	expect(await incidents(events, { ...settings, forMs: 0 }, open)).toMatchObject([
		{ connector: '1', status: 'Reserved', since: iso('08:00'), state: 'open' },
	]);
});

it('a connector that charges is up until a boot, and again once it says so after it', async () => {
	const charges = (at: At) => {
		const transactionInfo = { transactionId: 'tx1', chargingState: 'Charging' };
		const evse201 = { id: 1, connectorId: 2 };
		return message(at, 's1', [
			'TransactionEvent',
			{ eventType: 'Updated', seqNo: 1, transactionInfo, evse: evse201 },
		]);
	};
	const events = [
		...[status201('06:00', 1, 1, 'Available'), status201('06:00', 1, 2, 'Available')],
		...[boot('07:00'), status201('07:01', 1, 1, 'Available'), charges('08:00')],
		...[boot('09:00'), status201('09:01', 1, 1, 'Available'), charges('10:00'), ...heartbeats()],
	];
	const ask = async (begin: string, end: string) =>
		await uptime(events, {}, { ...DAY, from: from(begin), to: from(end) });
	expect(await ask('06:00', '11:00')).toMatchObject([
		{ connector: '1/1', upMinutes: 300 },
		{ connector: '1/2', upMinutes: 60 + 60 + 60, unknownMinutes: 60 + 60 },
	]);
	expect(await status(events, { now: time('08:30'), assets: ['s1'] })).toMatchObject([
		{
			status: 'ok',
			connectors: [
				{ connector: '1/1' },
				{ connector: '1/2', status: 'Charging', since: iso('08:00') },
			],
		},
	]);
	expect(await status(events, { now: time('09:30'), assets: ['s1'] })).toMatchObject([
		{ connectors: [{ connector: '1/1' }, { connector: '1/2', status: null }] },
	]);
});

it('a connector that charges is the first that its transaction names, in whatever order the list is', async () => {
	const charges = (at: At, connectorId: number) => {
		const transactionInfo = { transactionId: 'tx1', chargingState: 'Charging' };
		const said = { eventType: 'Updated', seqNo: 1, transactionInfo, evse: { id: 1, connectorId } };
		return message(at, 's1', ['TransactionEvent', said]);
	};
	const events = [
		...[status201('06:00', 1, 1, 'Available'), status201('06:00', 1, 2, 'Available')],
		...[boot('07:00'), status201('07:01', 1, 1, 'Available')],
		...[charges('08:00', 2), charges('08:10', 1), ...heartbeats()],
	];
	for (const isOldestFirst of [false, true]) {
		const options = { ...DAY, from: from('08:00'), to: from('09:00'), isOldestFirst };
		expect(await uptime(events, {}, options)).toMatchObject([
			{ connector: '1/1', upMinutes: 60 },
			{ connector: '1/2', upMinutes: 60 },
		]);
	}
});

it.each(['port', 'station'] as const)(
	'per %s, what was down stays so, though a connector is heard of later',
	async (per) => {
		const day = (n: number) => ({
			...DAY,
			from: time(`11-${22 + n} 00:00`),
			to: time(`11-${23 + n} 00:00`),
			now: time('11-30 12:00'),
			lookBackMs: 240 * HOUR,
		});
		const histories = [
			[
				evse('11-23 08:00', 1, 'Available'),
				status201('11-23 09:00', 1, 1, 'Faulted'),
				status201('11-25 12:00', 1, 2, 'Available'),
			],
			[status16('11-23 09:00', 0, 'Faulted'), status16('11-25 12:00', 1, 'Available')],
			[
				notified('11-23 09:00', 'ChargingStation', undefined, 'Unavailable'),
				status201('11-25 12:00', 1, 1, 'Available'),
			],
		];
		for (const history of histories) {
			const events = [...heartbeats('11-22 00:10', '11-30 11:10'), ...history];
			const [[first], [second], [third], [whole]] = await Promise.all([
				uptime(events, { per }, day(1)),
				uptime(events, { per }, day(2)),
				uptime(events, { per }, day(3)),
				uptime(events, { per }, { ...day(1), to: day(3).to }),
			]);
			expect([first, second, third].map((row) => row?.['downMinutes'])).toEqual([
				900,
				1440,
				expect.any(Number),
			]);
			const sum = [first, second, third].reduce(
				(total, row) => total + Number(row?.['downMinutes']),
				0,
			);
			expect(whole?.['downMinutes']).toBe(sum);
		}
	},
);

it('what a Connector without a number says of the only one makes no other connector known', async () => {
	const transaction = message('07:03', 's1', [
		'TransactionEvent',
		{
			...{
				eventType: 'Started',
				evse: { id: 1, connectorId: 2 },
				seqNo: 0,
				triggerReason: 'CablePluggedIn',
			},
			...{
				timestamp: iso('07:03'),
				transactionInfo: { transactionId: 'a', chargingState: 'Charging' },
			},
		},
	]);
	const events = [
		...[...heartbeats(), status201('06:00', 1, 1, 'Available'), transaction],
		...[
			notified('09:48', 'Connector', { id: 1 }, 'Unavailable'),
			status201('10:16', 1, 2, 'Occupied'),
		],
	];
	const rows = await uptime(events, {}, DAY);
	expect(rows).toMatchObject([
		{ connector: '1/1', upMinutes: 228, unavailableMinutes: 852 },
		{ connector: '1/2', upMinutes: 824, unknownMinutes: 616 },
	]);
});

it('a session makes no connector known', async () => {
	const transactionInfo = { transactionId: 'tx1', chargingState: 'Charging' };
	const events = [
		message('08:00', 's1', [
			'TransactionEvent',
			{ eventType: 'Started', seqNo: 0, transactionInfo, evse: { id: 1, connectorId: 1 } },
		]),
		...[status201('09:00', 1, 1, 'Available'), ...heartbeats()],
	];
	expect(
		await uptime(events, {}, { ...DAY, from: from('08:00'), to: from('10:00') }),
	).toMatchObject([{ connector: '1/1', upMinutes: 60, unknownMinutes: 60 }]);
});

describe('the worked examples of the rules', () => {
	it('of the USA: an outage within maintenance is excluded, and time up within it is not lost', async () => {
		const events = [
			...[status16('00:00', 1, 'Available'), status16('02:00', 1, 'Faulted')],
			...[status16('04:00', 1, 'Available'), status16('15:00', 1, 'Faulted')],
			...[status16('18:00', 1, 'Available'), ...heartbeats()],
		];
		const maintenance = { from: from('00:00'), to: from('10:00'), reason: 'Works' };
		const exclusions = [{ ...maintenance, assetId: undefined, connector: undefined }];
		expect(await uptime(events, { exclusions, per: 'port' }, DAY)).toMatchObject([
			{ outageMinutes: 300, excludedOutageMinutes: 120, downMinutes: 180, excludedMinutes: 600 },
		]);
	});

	it('of the UK: a fault while the station is offline counts once', async () => {
		const events = [
			...[status16('00:00', 1, 'Available'), status16('01:20', 1, 'Faulted'), lost('02:00')],
			...[back('12:00'), status16('12:00', 1, 'Available'), ...heartbeats('12:10')],
		];
		expect(await uptime(events, {}, DAY)).toMatchObject([
			{ offlineMinutes: 600, faultedMinutes: 40 },
		]);
	});
});
