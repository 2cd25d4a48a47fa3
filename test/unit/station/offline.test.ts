import { back, lost, stationWorld } from './stationWorld';

const shown = (items: readonly Record<string, unknown>[]) =>
	items.map((item) => {
		const station = item['station'] as { id: string };
		const until = item['until'] === null ? '' : ` until ${String(item['until']).slice(11, 19)}`;
		return `${station.id} ${String(item['state'])} since ${String(item['since']).slice(11, 19)}${until} (${String(item['minutes'])})`;
	});

describe.each([
	['as it is', {}],
	['reversed', { isOldestFirst: true }],
	['with each event three times', { copies: 3 }],
])('a list %s', (_name, options) => {
	it('plain', async () => {
		const world = stationWorld(options);
		world.events = [lost('08:00', 's0'), back('08:50', 's0'), lost('09:00:10'), back('09:20')];
		await world.pollFrom('08:30', '09:40');
		expect(world.executions.map(({ at, items }) => [at, ...shown(items)])).toEqual([
			['11-23 09:07', 's1 opened since 09:00:10 (5)'],
			['11-23 09:23', 's1 resolved since 09:00:10 until 09:20:00 (19)'],
		]);
	});
});
