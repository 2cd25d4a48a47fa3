/** Plays a history of the field to the Station Trigger: polls of a service that lists its events late and in any order. */
import { MINUTE_MS, type StationSettings } from '../../../lib/station/common/settings';
import type { History } from '../../../simulator/data/field/habits/history';
import { createRandom } from '../../../simulator/data/random';
import { createdMs, lateness, type Listing, type Reported } from '../../support/fieldTruth';
import { stationWorld } from '../../unit/station/stationWorld';

const MOST_BETWEEN_POLLS = 9;
/** Then everything is listed, and every incident that can be is over. */
const AFTERWARDS_MS = 5 * 60 * MINUTE_MS;
const RARELY_MS = 30 * MINUTE_MS;

/** Some events appear up to `latestMs` after their creation, the others within half a minute. */
export async function play(
	{ events, habits }: History,
	settings: StationSettings,
	{ seed, latestMs }: { readonly seed: number; readonly latestMs: number },
): Promise<Listing> {
	const random = createRandom(seed);
	const world = stationWorld({ settings, assets: [...habits.keys()] });
	const lateMs = new Map<string, number>();
	const items: Reported[] = [];
	for (const { id, type, createdAt, data } of events) {
		const late = lateness((below) => random.int(below), latestMs);
		lateMs.set(id, late);
		const record = { id, eventType: type, createdAt, payload: data };
		world.events.push({ id, createdAt, listedAt: createdMs(createdAt) + late, record });
	}
	const first = createdMs(events[0]?.createdAt ?? '');
	const last = createdMs(events.at(-1)?.createdAt ?? '');
	for (let now = first - 2 * MINUTE_MS; now < last + AFTERWARDS_MS;) {
		world.now = now;
		const failure = await world.poll();
		if (failure !== undefined) throw failure;
		for (const item of world.items().slice(items.length)) {
			items.push({ ...item, assetId: (item['station'] as { id: string }).id, toldAt: now });
		}
		now += now < last ? (1 + random.int(MOST_BETWEEN_POLLS)) * MINUTE_MS : RARELY_MS;
	}
	return { lateMs, items };
}
