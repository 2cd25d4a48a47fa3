/** A publication, while a poll of the one before it is still on its way. */
import { readSaved } from '../../../lib/follow';
import { headFormat } from '../../../lib/station/common/head';
import { digestOf } from '../../../lib/station/common/settings';
import { recordIn, recordText } from '../../support/records';
import {
	DEFAULTS,
	back,
	lost,
	message,
	MINUTE,
	type StationWorld,
	stationWorld,
	time,
} from './stationWorld';

const headOf = async ({ ledger, workflowId }: StationWorld) =>
	(await readSaved(ledger, `station:${workflowId}:node:head`, headFormat)).state;

it('is saved at its first poll, although a poll of the one before writes in between', async () => {
	const world = stationWorld({ isOldestFirst: true });
	world.events = [back('08:00'), lost('08:20')];
	await world.pollFrom('08:30', '08:32');
	const before = world.settings;
	const after = { ...before, kind: 'connectorStatus' as const };
	const swap = world.ledger.swapRecord.bind(world.ledger);
	let polls = 0;
	jest.spyOn(world.ledger, 'swapRecord').mockImplementation(async (key, ...rest) => {
		if (key.endsWith(':head') && polls++ === 0) {
			await world.poll({ settings: before, now: () => time('08:32:59') });
		}
		return await swap(key, ...rest);
	});
	world.now = time('08:33');
	await world.poll({ settings: after });
	expect(polls).toBeGreaterThan(2);
	const head = await headOf(world);
	expect(head?.as).toBe(digestOf(after));
});

it('stays when a poll of the one before comes to read later, since that began earlier', async () => {
	const world = stationWorld({ settings: { forMs: 0 } });
	const before = world.settings;
	const after = { ...before, kind: 'connectorStatus' as const };
	world.now = time('08:30');
	const [began, begins] = [time('08:29:59'), time('08:30')];
	// The ledger that knew the one before is lost: both polls are a publication.
	let hasRead = false;
	const client = world.clientAfter(async () => {
		if (hasRead) return;
		hasRead = true;
		await world.poll({ settings: before, begunAt: began, now: () => time('08:30:01') });
	});
	await world.poll({ settings: after, begunAt: begins, now: () => begins, client });
	expect(await headOf(world)).toMatchObject({ as: digestOf(after), generation: begins });
});

it('is over after five seconds of reading the past, which later polls continue', async () => {
	const world = stationWorld({ settings: { catchUpMs: 24 * 60 * MINUTE } });
	world.events = Array.from({ length: 6_000 }, (_unused, n) => back(time('08:30') - n * 10_000));
	let ms = 0;
	const took: number[] = [];
	// A request takes 150 ms.
	const clock = () => (ms += 150);
	for (let polls = 0; polls < 3; polls++) {
		const began = ms;
		world.now = time('08:30') + polls * MINUTE;
		await world.poll({ clock, budgetMs: 30_000 });
		took.push(ms - began);
	}
	expect(took[0]).toBeLessThan(6_000);
	expect((await headOf(world))?.past).toBeUndefined();
});

it('fails if the list cannot be read, and is made by the first poll that can', async () => {
	const world = stationWorld({ settings: { forMs: 0 } });
	world.events = [lost('08:29')];
	world.failure = new Error('403');
	await expect(world.poll()).rejects.toThrow('403');
	world.failure = undefined;
	await world.pollFrom('08:31', '08:35');
	expect(world.items()).toEqual([]);
});

it('counts what is listed by then as older, and what is listed later as news', async () => {
	const world = stationWorld({ settings: { forMs: 0 } });
	world.events = [
		...[back('08:00'), lost('08:29:10', 's2')],
		lost('08:29:30', 's1', { listedAt: '08:31' }),
	];
	await world.pollFrom('08:30', '08:35');
	expect(world.items()).toMatchObject([{ state: 'opened', station: { id: 's1' } }]);
});

it('of two processes is saved once', async () => {
	const world = stationWorld();
	world.events = [back('08:00')];
	const swap = world.ledger.swapRecord.bind(world.ledger);
	let swaps = 0;
	jest.spyOn(world.ledger, 'swapRecord').mockImplementation(async (key, ...rest) => {
		// The other process: the same settings in another publication.
		if (key.endsWith(':head') && swaps++ === 0) {
			const [, first, keepMs] = rest;
			const other = recordIn(first) as object;
			await swap(key, undefined, recordText({ ...other, polls: 7 }), keepMs);
		}
		return await swap(key, ...rest);
	});
	await world.poll();
	const head = await headOf(world);
	expect([swaps, head?.polls]).toEqual([1, 7]);
});

it('reports a fault once that begins while a poll of the version before waits for the service', async () => {
	const world = stationWorld({ settings: { kind: 'connectorFault', forMs: 0, resolveAfterMs: 0 } });
	const said = (at: string, status: string) => {
		const payload = { connectorId: 1, status, errorCode: 'GroundFailure' };
		return message(at, 's1', ['StatusNotification', payload]);
	};
	world.events = [said('08:40', 'Available')];
	await world.pollFrom('08:55', '09:00');
	const before = world.settings;
	let waits = 0;
	const publish = async () => {
		if (waits++ > 0) return;
		world.settings = { ...before, scope: 'connector' };
		world.now = time('09:01:05');
		await world.poll();
		world.events.push(said('09:01:30', 'Faulted'));
		world.now = time('09:01:40');
	};
	world.now = time('09:01');
	await world.poll({ settings: before, client: world.clientAfter(publish) });
	expect(waits).toBeGreaterThan(0);
	await world.pollFrom('09:02', '09:14');
	world.events.push(said('09:15', 'Available'));
	await world.pollFrom('09:15', '09:20');
	expect(world.items()).toMatchObject([
		{ state: 'opened', since: '2026-11-23T09:01:30.000Z' },
		{ state: 'resolved', until: '2026-11-23T09:15:00.000Z', endedBy: 'report' },
	]);
});

it.each(['before', 'after'])(
	'holds if the poll of another one in between is over only %s its own',
	async (when) => {
		const world = stationWorld({ settings: { forMs: 0 } });
		await world.pollFrom('08:55', '09:00');
		const between = { ...world.settings, kind: 'connectorFault' as const };
		let [release, seen] = [(): void => undefined, (): void => undefined];
		const held = new Promise<void>((resolve) => (release = resolve));
		const reads = new Promise<void>((resolve) => (seen = resolve));
		const slow = world.clientAfter(async () => {
			seen();
			await held;
		});
		world.now = time('09:00:10');
		const late = world.poll({ settings: between, client: slow, now: () => time('09:00:10') });
		await reads;
		world.now = time('09:00:20');
		const client = world.clientAfter(async () => {
			if (when === 'before') release();
			if (when === 'before') await late;
		});
		await world.poll({ client });
		release();
		await late;
		world.events.push(lost('09:00:30'));
		await world.pollFrom('09:01', '09:10');
		expect(world.items()).toMatchObject([{ state: 'opened', since: '2026-11-23T09:00:30.000Z' }]);
	},
);

it.each([
	['stationOffline', { kind: 'connectorStatus' }, { forMs: 7, resolveAfterMs: 7, statuses: ['A'] }],
	['connectorStatus', { statuses: ['A'] }, { statuses: DEFAULTS.statuses.toReversed(), times: 2 }],
	['connectorFault', { scope: 'station' }, { statuses: ['A'], forMs: 7, withinMs: 7 }],
	['connectorFault', { times: 2 }, { times: 1, reportResolved: false }],
	['sessionEnded', { kind: 'connectorFault' }, { scope: 'station', times: 2, includeIdTag: true }],
] as const)('of %s starts over with %j, and not with %j', (kind, other, same) => {
	const settings = { ...DEFAULTS, kind };
	expect(digestOf({ ...settings, ...other })).not.toBe(digestOf(settings));
	expect(digestOf({ ...settings, ...same })).toBe(digestOf(settings));
});

it('is not made again by a new version of this package', () => {
	const kinds = ['stationOffline', 'connectorStatus', 'connectorFault', 'sessionEnded'] as const;
	expect(kinds.map((kind) => digestOf({ ...DEFAULTS, kind }))).toEqual([
		'ZMyqXAOGZ4oY',
		'Yn-1ODrW62Tj',
		'HEj227JaBntG',
		'M0dcUM5AwO5M',
	]);
});

it('tells what begins while the list of its first poll is slow, and nothing from before', async () => {
	const world = stationWorld({ settings: { forMs: MINUTE } });
	world.now = time('08:30');
	world.events = [lost('08:29:59', 's1'), lost('08:30:10', 's2')];
	const client = world.clientAfter(() => {
		world.now = Math.max(world.now, time('08:30:21'));
	});
	await world.poll({ begunAt: time('08:30'), client });
	await world.pollFrom('08:31', '08:40');
	expect(world.items()).toMatchObject([
		{ station: { id: 's2' }, since: '2026-11-23T08:30:10.000Z', state: 'opened' },
	]);
});
