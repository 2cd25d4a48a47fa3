/** A trigger that watches only some stations: what it tells, what a change of them ends, and IDs that the asset list lacks. */
import { back, lost, stationWorld, time } from './stationWorld';

const only = (...onlyStations: string[]) => ({ forMs: 0, resolveAfterMs: 0, onlyStations });

it('tells only of these stations', async () => {
	const world = stationWorld({ settings: only('s1', 's3') });
	world.events = ['s1', 's2', 's3'].flatMap((id) => [back('08:00', id), lost('08:35', id)]);
	await world.pollFrom('08:30', '08:40');
	const told = world.items().map(({ station }) => (station as { id: string }).id);
	expect(told.sort()).toEqual(['s1', 's3']);
});

it('ends what is open at a station that is not watched any more, and tells of a new one only what begins later', async () => {
	const world = stationWorld({ settings: only('s1') });
	world.events = [
		...[back('08:00', 's1'), back('08:00', 's2')],
		...[lost('08:32', 's1'), lost('08:33', 's2')],
		...[back('08:50', 's2'), lost('08:55', 's2'), back('08:58', 's1'), lost('09:00', 's1')],
	];
	await world.pollFrom('08:30', '08:40');
	world.settings = { ...world.settings, ...only('s2') };
	await world.pollFrom('08:41', '09:05');
	const told = world.items().map(({ station, state, since, endedBy }) => {
		const { id } = station as { id: string };
		return [id, state, since, endedBy].filter((one) => one !== undefined);
	});
	const iso = (text: string) => new Date(time(text)).toISOString();
	expect(told).toEqual([
		['s1', 'opened', iso('08:32')],
		['s1', 'resolved', iso('08:32'), 'settings'],
		['s2', 'opened', iso('08:55')],
	]);
});

it('counts the same stations in another order as no change', async () => {
	const world = stationWorld({ settings: only('s1', 's2') });
	world.events = [back('08:00'), lost('08:32')];
	await world.pollFrom('08:30', '08:35');
	world.settings = { ...world.settings, ...only('s2', 's1') };
	world.events.push(back('08:37'));
	await world.pollFrom('08:36', '08:40');
	expect(world.items().map(({ state }) => state)).toEqual(['opened', 'resolved']);
	expect(world.items().map(({ endedBy }) => endedBy)).not.toContain('settings');
});

it('cannot be published with an ID that the asset list lacks, however often n8n tries', async () => {
	const world = stationWorld({ settings: only('s1', 's9') });
	for (let times = 0; times < 3; times++) {
		await expect(world.poll()).rejects.toMatchObject({
			message: 'Not in the asset list: s9',
			hint: expect.stringContaining("'Only These Stations'") as string,
			isFinal: true,
		});
	}
	// A station that was added a moment ago is there.
	world.assets.push('s9');
	await expect(world.poll()).resolves.toBeUndefined();
});

it('keeps polling when one of the stations is removed later', async () => {
	const world = stationWorld({ settings: only('s1', 's2') });
	world.events = [back('08:00'), lost('10:00')];
	await world.pollFrom('08:30', '08:32');
	world.assets = ['s1'];
	await world.pollFrom('10:00', '10:05');
	expect(world.items()).toMatchObject([{ state: 'opened', station: { id: 's1' } }]);
});
