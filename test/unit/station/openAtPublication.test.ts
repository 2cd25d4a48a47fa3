/** What began hours before the publication is known once the past has been read, however many polls read it. */
import type { StationSettings } from '../../../lib/station';
import { shardOf } from '../../../lib/station/shards';
import { OCPP16, OCPP201 } from './stations';
import { back, lost, message, type StationEvent, stationWorld, time } from './stationWorld';

const fault = (at: string, connectorId = 1) =>
	OCPP16.status(at, 'Faulted', { error: { errorCode: 'GroundFailure', connectorId } });
const sign = (at: string) => message(at, 's1', ['Heartbeat', {}]);

/** Another station of the same shard. */
const NEIGHBOR =
	Array.from({ length: 1_000 }, (_unused, n) => `n${n}`).find(
		(each) => shardOf(each) === shardOf('s1'),
	) ?? '';

/** So that the past has many pages. */
const HEARTBEATS = Array.from({ length: 1_350 }, (_unused, n) =>
	message(time('05:00') + n * 12_000, 's4', ['Heartbeat', {}]),
);

interface Story {
	readonly name: string;
	readonly kind: StationSettings['kind'];
	readonly events: readonly StationEvent[];
	readonly reported: readonly string[];
}

/** Published at 08:30. Something is known from the last hour before that, so that the shard is written by the first poll. */
const stories: readonly Story[] = [
	{
		name: 'a fault that lasts is not reported when the station repeats it',
		kind: 'connectorFault',
		events: [fault('05:30'), fault('08:25', 2), fault('09:20')],
		reported: [],
	},
	{
		name: 'a fault that is over does not hide the next one',
		kind: 'connectorFault',
		events: [
			fault('05:30'),
			OCPP16.status('06:10', 'Available'),
			fault('08:25', 2),
			fault('09:20'),
		],
		reported: ['09:20 opened'],
	},
	{
		name: 'two faults that are over do not hide the next one',
		kind: 'connectorFault',
		events: [
			...[fault('05:30'), OCPP16.status('06:00', 'Available')],
			...[fault('06:30'), OCPP16.status('07:15', 'Available')],
			...[fault('08:25', 2), fault('09:20')],
		],
		reported: ['09:20 opened'],
	},
	{
		name: 'an outage that lasts is not reported when it is repeated',
		kind: 'stationOffline',
		events: [lost('05:30'), lost('08:25', NEIGHBOR), lost('09:00')],
		reported: [],
	},
	{
		name: 'an outage that a sign of life has ended does not hide the next one',
		kind: 'stationOffline',
		events: [lost('05:30'), sign('06:10'), lost('08:25', NEIGHBOR), lost('09:00')],
		reported: ['09:00 opened'],
	},
	{
		name: 'an outage that is over does not hide the next one',
		kind: 'stationOffline',
		events: [lost('05:30'), back('06:10'), lost('08:25', NEIGHBOR), lost('09:00')],
		reported: ['09:00 opened'],
	},
];

describe.each([
	{ order: 'newest', isOldestFirst: false },
	{ order: 'oldest', isOldestFirst: true },
])('in a list that begins with the $order event', ({ isOldestFirst }) => {
	it.each([
		...stories.map((story) => ({ ...story, polls: 'many polls', budgetMs: 0 })),
		...stories.map((story) => ({ ...story, polls: 'one poll', budgetMs: Infinity })),
	])('$name, read by $polls', async ({ kind, events, reported, budgetMs }) => {
		const assets = ['s1', 's4', NEIGHBOR];
		const world = stationWorld({ isOldestFirst, assets, settings: { kind } });
		world.events = [...HEARTBEATS, ...events];
		await world.pollFrom('08:30', '09:30', { budgetMs });
		const items = world.items().map(({ since, state }) => {
			return `${String(since).slice(11, 16)} ${String(state)}`;
		});
		expect(items).toEqual(reported);
	});

	it.each([OCPP16, OCPP201])(
		'a session that is over is not reported when the next one begins, whichever of its messages is read last ($name)',
		async (version) => {
			const world = stationWorld({ isOldestFirst, settings: { kind: 'sessionEnded' } });
			world.events = [
				...HEARTBEATS,
				...version.session({ start: '05:10', stop: '07:00', fromWh: 1_000, toWh: 5_000 }),
				...version.session({ start: '08:50', stop: '09:10', fromWh: 5_000, toWh: 9_000 }),
			];
			await world.pollFrom('08:30', '09:30', { budgetMs: 0 });
			expect(world.items()).toMatchObject([{ startedAt: '2026-11-23T08:50:00.000Z' }]);
		},
	);
});
