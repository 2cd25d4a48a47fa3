/** What operators learn: a poll each full minute, whatever the order of the list. */
import { type StationSettings } from '../../../lib/station';
import { sessionEvents } from './sessionText';
import { OCPP201, VERSIONS } from './stations';
import { back, lost, message, MINUTE, stationWorld, time, type StationWorld } from './stationWorld';

/** Such as `09:07 opened s1 09:00:10 - 5`. */
function story(world: StationWorld): string[] {
	return world.executions.flatMap(({ at, items }) =>
		items.map((item) => {
			const station = item['station'] as { id: string };
			const clock = (value: unknown) =>
				typeof value === 'string'
					? value.slice(5, 19).replace('T', ' ').replace('11-23 ', '')
					: '-';
			const { since, until, minutes, state } = item;
			return [
				at.replace('11-23 ', ''),
				state,
				station.id,
				clock(since),
				clock(until),
				minutes,
			].join(' ');
		}),
	);
}

const LISTS: [string, Parameters<typeof stationWorld>[0]][] = [
	['newest first', {}],
	['oldest first', { isOldestFirst: true }],
	['with each event three times', { copies: 3 }],
];

describe.each(LISTS)('a list %s', (_name, list) => {
	const worldOf = (settings: Partial<StationSettings> = {}, more: typeof list = {}) =>
		stationWorld({ ...list, ...more, settings });

	it('reports a station that is offline, and that it is back; not one that was offline before', async () => {
		const world = worldOf();
		world.events = [lost('08:00', 's0'), back('08:50', 's0'), lost('09:00:10'), back('09:20')];
		await world.pollFrom('08:30', '09:40');
		expect(story(world)).toEqual([
			'09:07 opened s1 09:00:10 - 5',
			'09:23 resolved s1 09:00:10 09:20:00 19',
		]);
		const [opened, resolved] = world.items();
		const incident = String(opened?.['incident']);
		expect(incident).toMatch(/^inc_[\w-]{22}$/);
		const [, , from, to] = world.events.map(({ id }) => id);
		const both = {
			station: expect.objectContaining({ name: 'Station s1', id: 's1' }) as unknown,
			...{ connector: null, since: '2026-11-23T09:00:10.000Z', status: 'DISCONNECTED' },
			...{ kind: 'stationOffline', incident, together: 1 },
		};
		expect(opened).toEqual({
			...{ ...both, state: 'opened', id: `${incident}.opened` },
			...{ minutes: 5, until: null, events: [from] },
		});
		expect(resolved).toEqual({
			...{ ...both, state: 'resolved', id: `${incident}.resolved`, endedBy: 'report' },
			...{ minutes: 19, until: '2026-11-23T09:20:00.000Z', events: [from, to] },
		});
		// What people read first.
		const first = ['station', 'connector', 'since', 'minutes', 'until'];
		expect(Object.keys(opened ?? {}).slice(0, 5)).toEqual(first);
	});

	it('reports nothing that is short, also when it is listed again', async () => {
		const world = worldOf();
		const events = [lost('09:00'), lost('09:01'), back('09:04')];
		world.events = [...events, ...events.map((one) => ({ ...one, listedAt: time('09:30') }))];
		await world.pollFrom('08:30', '10:40');
		expect(story(world)).toEqual([]);
	});

	it('waits for events that appear late, and corrects itself by those that appear later', async () => {
		const world = worldOf();
		world.events = [lost('09:00'), back('09:03', 's1', { listedAt: '09:04:30' })];
		await world.pollFrom('08:30', '09:40');
		expect(story(world)).toEqual([]);
		const late = worldOf();
		late.events = [lost('09:00'), back('09:03', 's1', { listedAt: '09:30' })];
		await late.pollFrom('08:30', '10:31');
		const [opened, resolved, ...more] = story(late);
		expect([opened, resolved?.slice(6), more]).toEqual([
			'09:06 opened s1 09:00:00 - 5',
			'resolved s1 09:00:00 09:03:00 3',
			[],
		]);
	});

	it('makes no second incident of late events that say the first was interrupted', async () => {
		const world = worldOf({
			kind: 'connectorStatus',
			forMs: 10 * MINUTE,
			resolveAfterMs: 3 * MINUTE,
		});
		world.events = [
			OCPP201.status('09:53', 'Reserved'),
			OCPP201.status('10:29', 'Available'),
			OCPP201.status('10:05', 'Available', { listedAt: '10:40' }),
			OCPP201.status('10:14', 'Reserved', { listedAt: '10:40' }),
		];
		await world.pollFrom('09:50', '12:00');
		expect(story(world)).toEqual([
			'10:04 opened s1 09:53:00 - 10',
			'10:33 resolved s1 09:53:00 10:29:00 36',
		]);
	});

	it('reports a storm in one execution', async () => {
		const stations = Array.from({ length: 500 }, (_unused, n) => `s${n}`);
		const world = worldOf({}, { assets: stations });
		world.events = stations.flatMap((id) => [lost('10:00:30', id), back('10:30', id)]);
		await world.pollFrom('09:58', '10:08');
		await world.pollFrom('10:30', '10:35');
		expect(
			world.executions.map(({ at, items }) => [
				at,
				items.length,
				items[0]?.['state'],
				items[0]?.['together'],
			]),
		).toEqual([
			['11-23 10:07', 500, 'opened', 500],
			['11-23 10:33', 500, 'resolved', 500],
		]);
	});

	it('reports a station that flaps as one incident, or as three', async () => {
		const events = [
			...[lost('09:00'), back('09:06'), lost('09:07'), back('09:13')],
			...[lost('09:14'), back('09:20')],
		];
		const world = worldOf();
		world.events = events;
		await world.pollFrom('08:59', '09:40');
		expect(story(world)).toEqual([
			'09:06 opened s1 09:00:00 - 5',
			'09:23 resolved s1 09:00:00 09:20:00 20',
		]);
		const each = worldOf({ resolveAfterMs: 0 });
		each.events = events;
		await each.pollFrom('08:59', '09:40');
		expect(story(each)).toHaveLength(6);
		const quick = worldOf();
		quick.events = Array.from({ length: 16 }, (_unused, n) =>
			(n % 2 ? back : lost)(time('09:00') + n * 2 * MINUTE),
		);
		await quick.pollFrom('08:59', '09:40');
		expect(story(quick)).toEqual([]);
	});

	it('catches up after a pause, and decides nothing while the list cannot be read', async () => {
		const world = worldOf();
		world.events = [
			...[lost('08:58', 's3'), back('14:29', 's3'), lost('10:00'), back('10:10')],
			...[lost('14:00', 's2'), back('14:40', 's2')],
		];
		await world.pollFrom('08:50', '09:00');
		world.restart();
		await world.pollFrom('14:30', '14:34');
		world.failure = new Error('500');
		await world.pollFrom('14:35', '15:05');
		world.failure = undefined;
		await world.pollFrom('15:06', '15:07');
		expect(story(world)).toEqual([
			'14:30 opened s3 08:58:00 - 331',
			'14:30 opened s1 10:00:00 10:10:00 269',
			'14:30 resolved s1 10:00:00 10:10:00 10',
			'14:30 opened s2 14:00:00 - 29',
			'14:32 resolved s3 08:58:00 14:29:00 331',
			'15:06 resolved s2 14:00:00 14:40:00 40',
		]);
	});

	describe.each(VERSIONS)('with %s', (_version, ocpp) => {
		const OFF = -3 * 24 * 60 * MINUTE;

		it('reports a stuck connector by the clock of the service', async () => {
			const world = worldOf({ kind: 'connectorStatus', forMs: 120 * MINUTE, resolveAfterMs: 0 });
			world.events = [ocpp.status('09:00', 'Preparing', { clockMs: OFF })];
			await world.pollFrom('08:59', '09:03');
			await world.pollFrom('10:58', '11:05');
			expect(story(world)).toEqual(['11:01 opened s1 09:00:00 - 120']);
			expect(world.items()[0]).toMatchObject({ status: 'Preparing', connector: ocpp.connector });
		});

		it('reports a session by the clock of the station', async () => {
			const world = worldOf({ kind: 'sessionEnded', forMs: 0, resolveAfterMs: 0 });
			world.events = ocpp.session({
				...{ start: '09:00', meter: '09:05', stop: '10:00', clockMs: OFF },
				...{ fromWh: 1_000, toWh: 8_500 },
			});
			await world.pollFrom('08:59', '10:15');
			expect(world.items()).toHaveLength(1);
			expect(world.items()[0]).toMatchObject({
				kind: 'sessionEnded',
				connector: ocpp.connector,
				minutes: 60,
				energyKwh: 7.5,
				startedAt: '2026-11-20T09:00:00.000Z',
				stoppedAt: '2026-11-20T10:00:00.000Z',
				receivedAt: '2026-11-23T10:00:00.000Z',
				reason: 'Local',
			});
			expect(world.items()[0]).not.toHaveProperty('together');
		});

		it('reports a fault in the poll that reads it, and its end', async () => {
			const world = worldOf({ kind: 'connectorFault', forMs: 0, resolveAfterMs: 60 * MINUTE });
			const error = { errorCode: 'GroundFailure', vendorErrorCode: 'E-031', info: 'Wet' };
			world.events = [
				ocpp.status('09:00:30', 'Faulted', { error }),
				ocpp.status('09:10', 'Available'),
				ocpp.status('09:40', 'Faulted', { error }),
				ocpp.status('09:50', 'Available'),
			];
			await world.pollFrom('08:59', '09:02');
			await world.pollFrom('09:09', '09:52');
			await world.pollFrom('10:49', '10:52');
			expect(story(world)).toEqual([
				'09:01 opened s1 09:00:30 - 0',
				'10:51 resolved s1 09:00:30 09:50:00 49',
			]);
			const [opened, resolved] = world.items();
			const is16 = ocpp.connector === '1';
			const codes = {
				errorCode: is16 ? 'GroundFailure' : null,
				vendorErrorCode: is16 ? 'E-031' : null,
				info: is16 ? 'Wet' : null,
			};
			const faultAt = (clock: string) => ({
				...{ at: `2026-11-23T${clock}.000Z`, connector: ocpp.connector, ...codes },
			});
			const [first, , , last] = world.events.map(({ id }) => id);
			const incident = opened?.['incident'];
			const both = {
				...{ station: expect.any(Object) as unknown, kind: 'connectorFault', together: 1 },
				...{ connector: ocpp.connector, since: '2026-11-23T09:00:30.000Z', ...codes, incident },
				errorCodes: is16 ? ['GroundFailure'] : [],
				vendorErrorCodes: is16 ? ['E-031'] : [],
			};
			expect(opened).toEqual({
				...{ ...both, state: 'opened', id: `${String(incident)}.opened`, until: null, minutes: 0 },
				...{ count: 1, faults: [faultAt('09:00:30')], events: [first] },
			});
			expect(resolved).toEqual({
				...{ ...both, state: 'resolved', id: `${String(incident)}.resolved`, minutes: 49 },
				...{ until: '2026-11-23T09:50:00.000Z', endedBy: 'report', count: 2 },
				...{ faults: [faultAt('09:40:00'), faultAt('09:00:30')], events: [first, last] },
			});
		});

		it('reports faults that come several times, within the time and not beyond', async () => {
			const settings = { kind: 'connectorFault', scope: 'station', times: 3, forMs: 0 } as const;
			const fault = (at: string, stationTime?: string) =>
				ocpp.status(at, 'Faulted', stationTime === undefined ? {} : { stationTime });
			const repeated = '2026-11-22T10:00:00Z';
			const over = (at: string) => ocpp.status(at, 'Available');
			const before = [
				...[fault('11-22 10:00', repeated), fault('11-22 10:01', repeated), over('11-22 10:02')],
				...[fault('11-22 15:00'), over('11-22 15:01')],
			];
			const world = worldOf(settings);
			const last = [fault('09:59:30'), over('10:10'), fault('10:30:10'), over('10:31')];
			world.events = [...before, ...last];
			await world.pollFrom('11-22 09:59', '11-22 10:05');
			await world.pollFrom('11-22 15:00', '11-22 15:05');
			await world.pollFrom('09:58', '10:32');
			await world.pollFrom('11-24 10:29', '11-24 10:34');
			expect(world.executions.map(({ at, items }) => [at, items[0]?.['state']])).toEqual([
				['11-23 10:00', 'opened'],
				['11-24 10:32', 'resolved'],
			]);
			expect(world.items()[0]).toMatchObject({ count: 3, since: '2026-11-22T10:00:00.000Z' });
			const later = worldOf(settings);
			later.events = [...before, fault('10:01:30'), over('10:10'), fault('10:30:10')];
			await later.pollFrom('11-22 09:59', '11-22 10:05');
			await later.pollFrom('11-22 15:00', '11-22 15:05');
			await later.pollFrom('09:58', '10:32');
			expect(later.executions.map(({ at }) => at)).toEqual(['11-23 10:31']);
		});
	});

	it('reads a status of OCPP 2.0.1 from either message, and a session in any order', async () => {
		const world = worldOf({ kind: 'connectorFault', forMs: 0, resolveAfterMs: 0 });
		world.events = [
			OCPP201.status('09:00:30', 'Faulted', { isNotified: true }),
			OCPP201.status('09:05', 'Available'),
		];
		await world.pollFrom('08:59', '09:10');
		expect(story(world)).toEqual([
			'09:01 opened s1 09:00:30 - 0',
			'09:06 resolved s1 09:00:30 09:05:00 4',
		]);
		const mixed = worldOf({ kind: 'sessionEnded', forMs: 0, resolveAfterMs: 0 });
		// The end is created first, then an update, then the start.
		mixed.events = sessionEvents(`
			09:00 ended A 8500@end at=08:59 | 09:01 updated A 1/2 at=08:30
			09:02 started A 1/2 1000@begin at=08:20`);
		await mixed.pollFrom('08:59', '09:20');
		expect(mixed.items().map(({ energyKwh, connector }) => [energyKwh, connector])).toEqual([
			[7.5, '1/2'],
		]);
	});

	it('still knows, when a session is long over, that its start followed another one of its connector', async () => {
		const world = worldOf({ kind: 'sessionEnded', forMs: 0, resolveAfterMs: 0 });
		const start = (at: string, connectorId: number, meterStart: number) =>
			message(at, 's1', ['StartTransaction', { connectorId, idTag: 'T', meterStart }]);
		// The station got no response to its starts.
		const stop = (at: string, meterStop: number) =>
			message(at, 's1', ['StopTransaction', { transactionId: -1, meterStop }]);
		world.events = [
			...[start('09:01', 1, 1_000), start('09:02', 1, 2_000), stop('09:24', 2_500)],
			...[start('10:14', 2, 100), stop('10:36', 3_000)],
		];
		await world.pollFrom('08:59', '10:50');
		expect(world.items().map(({ connector, startFoundBy }) => [connector, startFoundBy])).toEqual([
			// Its stop was never reported.
			['1', null],
			['1', 'order'],
			['2', 'order'],
		]);
	});
});
