/** What a poll of the Station Trigger says to operators: how far it read, and what it leaves out. */
import { ApiError } from '../../../lib/service';
import { pollStations, type StationPollOptions } from '../../../lib/station';
import { shardOf } from '../../../lib/station/shards';
import { OCPP16 } from './stations';
import { back, lost, message, MINUTE, stationWorld, time } from './stationWorld';

it('says how far the list was read and how many stations are listed', async () => {
	const world = stationWorld({ assets: ['s1', 's2'] });
	world.events = [back('08:00')];
	const outcomes: unknown[] = [];
	const pollWith: typeof pollStations = async (options) => {
		const outcome = await pollStations(options);
		outcomes.push({ ...outcome, started: await outcome.started });
		return outcome;
	};
	await world.poll({}, pollWith);
	expect(outcomes).toEqual([
		{ started: undefined, failure: undefined, readUpTo: time('08:30'), stations: 2 },
	]);
	await Promise.all([world.poll({}, pollWith), world.poll({}, pollWith)]);
	// A node that is still polling does not poll again.
	expect(outcomes.slice(1)).toContainEqual({ started: undefined });
});

it('says which events of a long pause it skips', async () => {
	const world = stationWorld({ settings: { forMs: 0 } });
	world.events = [lost('09:10', 's1'), lost('13:00', 's2')];
	await world.pollFrom('08:59', '09:00');
	const warn = jest.fn();
	await world.pollFrom('15:00', '15:02', { warn });
	expect(warn.mock.calls).toEqual([]);
	await world.pollFrom('23:30', '23:31', { warn });
	expect(warn.mock.calls).toEqual([
		[
			"events created from 2026-11-23T15:02:00.000Z to 2026-11-23T17:30:00.000Z are skipped: see 'Catch Up (Hours)'",
			'skipped',
		],
	]);
});

it('says why stations have no names, once per request for them, and reports incidents all the same', async () => {
	const world = stationWorld();
	world.events = [lost('09:00')];
	const all = world.clientAfter(() => undefined);
	let requests = 0;
	const client: StationPollOptions['client'] = {
		async *list(resource, asked) {
			if (resource === 'asset' && requests++ >= 0)
				throw new ApiError('Not allowed', { hint: 'Add that scope', status: 403 });
			yield* all.list(resource, asked);
		},
	};
	const warn = jest.fn();
	await world.pollFrom('08:59', '09:07', { client, warn });
	expect(requests).toBe(1);
	expect(warn.mock.calls).toEqual([
		['stations appear by ID: Not allowed', 'assets', 1, 'Add that scope'],
	]);
	expect(world.items()).toMatchObject([{ station: { name: 's1', id: 's1' } }]);
});

it('decides by a lower Report After at once, without a new publication', async () => {
	const world = stationWorld({ settings: { forMs: 60 * MINUTE } });
	world.events = [lost('09:00')];
	await world.pollFrom('08:59', '09:30');
	expect(world.items()).toEqual([]);
	world.settings = { ...world.settings, forMs: 5 * MINUTE };
	await world.pollFrom('09:31', '09:31');
	expect(world.items()).toMatchObject([{ state: 'opened', since: '2026-11-23T09:00:00.000Z' }]);
});

it('opens no fault at once while an earlier part of the list is unread, where it may have begun', async () => {
	const settings = { kind: 'connectorFault', scope: 'connector', forMs: 0 } as const;
	const world = stationWorld({ settings });
	const beats = Array.from({ length: 1_000 }, (_unused, n) =>
		message(time('08:50') + n * 2_000, 's4', ['Heartbeat', {}]),
	);
	const fault = (at: string) => OCPP16.status(at, 'Faulted');
	world.events = [...beats, fault('09:10'), fault('09:20')];
	await world.pollFrom('08:58', '09:00');
	// Two pages in each poll.
	await world.pollFrom('09:22', '09:50', { budgetMs: 0 });
	expect(world.items()).toMatchObject([{ state: 'opened', since: '2026-11-23T09:10:00.000Z' }]);
});

it('hands over nothing while items of the poll before are handed over, and reports it later', async () => {
	const world = stationWorld({ settings: { forMs: 0 } });
	world.events = [lost('09:01', 's1'), lost('09:02', 's2')];
	await world.pollFrom('08:59', '09:01');
	let release = (): void => undefined;
	const stored = new Promise<void>((resolve) => (release = resolve));
	const handed: unknown[] = [];
	world.fate = async (items) => {
		handed.push(...items.map(({ station }) => (station as { id: string }).id));
		await stored;
		return 'succeeded';
	};
	let first: Promise<unknown> | undefined;
	world.now = time('09:02');
	await new Promise<void>((resolve) => {
		world.beforeHandOver = resolve;
		first = world.poll();
	});
	world.now = time('09:03');
	await world.poll();
	expect(handed).toEqual(['s1']);
	release();
	await first;
	await world.poll();
	expect(handed).toEqual(['s1', 's2']);
});

it('says that it continues with the next poll if the ledger fails before the hand-over', async () => {
	const world = stationWorld();
	world.events = [lost('09:00')];
	await world.pollFrom('08:59', '09:05');
	const warn = jest.fn();
	jest.spyOn(world.ledger, 'claim').mockRejectedValueOnce(new Error('locked'));
	await world.pollFrom('09:06', '09:07', { warn });
	expect(warn.mock.calls).toEqual([['the next poll continues with the rest: locked', 'start']]);
	expect(world.executions.map(({ at }) => at)).toEqual(['11-23 09:07']);
});

describe('of stations that the asset list lacks', () => {
	const made = (at: string, count: number, name: string) =>
		Array.from({ length: count }, (_unused, n) => lost(at, `${name}-${n}`));
	/** In one shard. */
	const crowdOf = (count: number) =>
		Array.from({ length: 8_000 }, (_unused, n) => `made-up-${n}`)
			.filter((id) => shardOf(id) === 7)
			.slice(0, count);
	const message = (count: string) =>
		`${count} not reported: too many are of stations that are not in the asset list. Check that the API client may list all assets`;

	it('a hundred incidents open in a poll, and a thousand in a day; the rest is counted', async () => {
		const settings = { forMs: 0, reportResolved: false, catchUpMs: 1440 * MINUTE };
		const world = stationWorld({ settings });
		const { kind } = world.settings;
		world.now = time('08:59');
		await world.poll();
		const warn = jest.fn();
		const opened: number[] = [];
		const pollAt = async (at: string, count: number) => {
			world.events = made(at, count, at);
			world.now = time(at) + 2 * MINUTE;
			await world.poll({ warn });
			opened.push(world.items().length - opened.reduce((all, one) => all + one, 0));
		};
		for (let n = 0; n < 9; n++) await pollAt(`09:${10 + 3 * n}`, 100);
		expect(warn.mock.calls).toEqual([]);
		await pollAt('09:40', 60);
		await pollAt('09:43', 41);
		await pollAt('09:46', 2);
		// Other settings are a new publication, of the same day.
		for (const one of ['sessionEnded', kind] as const) {
			world.settings = { ...world.settings, kind: one };
			await world.poll();
		}
		await pollAt('23:56', 1);
		await pollAt('11-24 00:03', 102);
		expect(opened).toEqual([...Array<number>(9).fill(100), 60, 40, 0, 0, 100]);
		expect(warn.mock.calls).toEqual([
			[message('1 incident'), 'unlisted', 1],
			[message('2 incidents'), 'unlisted', 2],
			[message('1 incident'), 'unlisted', 1],
			[message('2 incidents'), 'unlisted', 2],
		]);
	});

	it('none counts twice if another process was faster', async () => {
		const world = stationWorld({ settings: { forMs: 0 } });
		await world.pollFrom('08:58', '08:59');
		world.events = crowdOf(100).map((id) => lost('09:00', id));
		jest.spyOn(world.ledger, 'swapRecord').mockResolvedValueOnce(false);
		await world.pollFrom('09:02', '09:02');
		expect([world.items().length, world.warnings]).toEqual([100, []]);
	});

	it.each([
		['stationOffline', '', (id: string) => lost('09:00', id)],
		[
			'connectorStatus',
			"use fewer 'Statuses', or ",
			(assetId: string) => OCPP16.status('09:00', 'Finishing', { assetId }),
		],
	] as const)('those are counted that find no room (%s)', async (kind, fewer, eventOf) => {
		const world = stationWorld({ settings: { kind } });
		const warn = jest.fn();
		await world.pollFrom('08:58', '08:59', { warn });
		world.events = crowdOf(101).map(eventOf);
		await world.pollFrom('09:01', '09:01', { warn });
		expect(warn.mock.calls).toEqual([
			[
				`1 station left out, because the state of the trigger is full: ${fewer}check that the API client may list all assets`,
				'dropped',
				1,
			],
		]);
	});
});
