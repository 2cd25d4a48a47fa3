/** Incidents that are over before another one of their part opened, and are listed after that. */
import { OCPP16 } from './stations';
import { back, lost, message, MINUTE, type StationWorld, stationWorld, time } from './stationWorld';

const AT_ONCE = {
	kind: 'connectorFault',
	scope: 'connector',
	forMs: 0,
	resolveAfterMs: 0,
} as const;

/** Three faults in a minute, of which some are listed after the poll that has told the others. */
function threeFaults(late: readonly number[], listedAt = '09:01:20') {
	return ['09:00:10', '09:00:25', '09:00:40'].flatMap((at, n) => {
		const more = late.includes(n) ? { listedAt } : {};
		const end = new Date(time(at) + 10_000).toISOString().slice(11, 19);
		return [OCPP16.status(at, 'Faulted', more), OCPP16.status(end, 'Available', more)];
	});
}

const faulty = (at: string) => OCPP16.status(at, 'Faulted');
const stuck = (at: string) => OCPP16.status(at, 'Finishing');
const fine = (at: string) => OCPP16.status(at, 'Available');

const clockOf = (iso: unknown) => String(iso).slice(14, 19);

const toldOf = (world: StationWorld) =>
	world
		.items()
		.map(({ state, since, until }) =>
			state === 'opened' ? `opened ${clockOf(since)}` : `until ${clockOf(until)}`,
		)
		.sort();

const ALL = [
	...['opened 00:10', 'opened 00:25', 'opened 00:40'],
	...['until 00:20', 'until 00:35', 'until 00:50'],
];

describe.each([[[0]], [[1]], [[2]], [[0, 1]], [[0, 2]], [[1, 2]]])(
	'of three faults in a minute, number %j listed late',
	(late) => {
		it('are told like the others, each once', async () => {
			const world = stationWorld({ settings: AT_ONCE });
			world.events = threeFaults(late);
			await world.pollFrom('08:59', '09:01');
			expect(toldOf(world)).not.toEqual(ALL);
			world.restart();
			await world.pollFrom('09:02', '09:30');
			expect(toldOf(world)).toEqual(ALL);
		});
	},
);

it('a fault before the publication is not told, though it is listed after a later one', async () => {
	const world = stationWorld({ settings: AT_ONCE });
	world.events = threeFaults([0]);
	world.now = time('09:00:23');
	await world.poll();
	await world.pollFrom('09:01', '09:30');
	expect(toldOf(world)).toEqual([...ALL.slice(1, 3), ...ALL.slice(4)]);
});

it('one that is back within the time to resolve is the same incident, whichever is listed first', async () => {
	const world = stationWorld({ settings: { ...AT_ONCE, resolveAfterMs: MINUTE } });
	world.events = threeFaults([0, 1]);
	await world.pollFrom('08:59', '09:30');
	expect(toldOf(world)).toEqual(['opened 00:40', 'until 00:50']);
	expect(clockOf(world.items()[1]?.['since'])).toBe('00:10');
});

it.each([
	['offline', { kind: 'stationOffline' }, lost, back],
	['faulted', { ...AT_ONCE, resolveAfterMs: MINUTE }, faulty, fine],
	['stuck', { kind: 'connectorStatus', forMs: 5 * MINUTE, resolveAfterMs: 0 }, stuck, fine],
] as const)(
	'a station that is %s stays so, though a time before it is listed late, and then its end',
	async (_what, settings, begins, ends) => {
		const world = stationWorld({ settings });
		world.events = [
			begins('09:00'),
			{ ...begins('08:57:30'), listedAt: time('09:06:30') },
			{ ...ends('08:57:50'), listedAt: time('09:08:30') },
			ends('09:40'),
		];
		await world.pollFrom('08:50', '09:20');
		const own = () => world.items().filter(({ since }) => clockOf(since) === '00:00');
		expect(own().map(({ state }) => state)).toEqual(['opened']);
		await world.pollFrom('09:20', '09:50');
		expect(own().map(({ state, until }) => [state, clockOf(until ?? '')])).toEqual([
			['opened', ''],
			['resolved', '40:00'],
		]);
		// Of what was joined to it for a while, nothing is left.
		expect(own().map(({ count = 1 }) => count)).toEqual([1, 1]);
	},
);

it('what had not lasted long enough is not told later either', async () => {
	const world = stationWorld({ settings: { ...AT_ONCE, forMs: 5 * MINUTE } });
	world.events = [
		OCPP16.status('09:00', 'Faulted', { listedAt: '09:30' }),
		OCPP16.status('09:04', 'Available', { listedAt: '09:30' }),
		OCPP16.status('09:10', 'Faulted'),
		OCPP16.status('09:20', 'Available'),
	];
	await world.pollFrom('08:59', '11:00');
	expect(toldOf(world)).toEqual(['opened 10:00', 'until 20:00']);
});

it.each([1, 5])(
	'polls every %d minutes tell all faults that are listed up to ten minutes late, however old a look back finds them',
	async (minutes) => {
		const world = stationWorld({ settings: AT_ONCE });
		const all = Array.from({ length: 24 }, (_unused, n) => time('09:00') + 5 * n * MINUTE);
		const isoAt = (at: number) => new Date(at).toISOString().slice(11, 19);
		// Its shard is written in each poll.
		const error = { connectorId: 2 };
		for (const at of all) {
			const listedAt = isoAt(at + 10 * MINUTE - 1_000);
			world.events.push(
				OCPP16.status(isoAt(at), 'Faulted', { listedAt }),
				OCPP16.status(isoAt(at + MINUTE), 'Available', { listedAt }),
				OCPP16.status(isoAt(at + 2 * MINUTE), 'Faulted', { error }),
				OCPP16.status(isoAt(at + 3 * MINUTE), 'Available', { error }),
			);
		}
		// A page of the list reaches back some minutes only.
		for (let at = time('08:50'); at < time('12:00'); at += 2_000)
			world.events.push(message(at, 's2', ['Heartbeat', {}]));
		for (world.now = time('08:55'); world.now <= time('13:30'); world.now += minutes * MINUTE)
			await world.poll();
		const sinceOf = ({ connector, state, since }: Record<string, unknown>) =>
			connector === '1' && state === 'opened' ? [String(since).slice(11, 19)] : [];
		expect(world.items().flatMap(sinceOf)).toEqual(all.map(isoAt));
	},
);
