/** The newest incidents that the list shows, for a test in the editor: nothing is recorded. */
import { walk } from '../follow';
import type { ApiClient } from '../service';
import { GRACE_MS, type StationSettings } from './common/settings';
import { directoryFor } from './directory';
import { Readings } from './reading';
import { nextShard } from './shards';
import { itemsOf } from './toTell';

const PAGE_SIZE = 100;
/** A person waits for it. */
const MOST_REQUESTS = 10;
const MOST_MS = 10_000;

type Fields = Readonly<Record<string, unknown>>;

/** By `state`: `opened` and `resolved`; a session has none. @throws the client's error */
export async function newestIncidents(
	client: Pick<ApiClient, 'list'>,
	settings: StationSettings,
	clock: () => number = Date.now,
): Promise<ReadonlyMap<unknown, Fields>> {
	const now = clock();
	const deadline = performance.now() + MOST_MS;
	const mayRequest = () => performance.now() < deadline;
	const readings = new Readings(now, settings);
	let requests = 0;
	const { failure } = await walk(
		{
			...{ client, pageSize: PAGE_SIZE, backTo: -Infinity, now },
			mayRequest: () => requests++ < MOST_REQUESTS && (requests === 1 || mayRequest()),
			onDate: (date) => {
				readings.serviceNow = date;
			},
		},
		readings.take,
	);
	if (failure !== undefined) throw failure;
	const moment = {
		...{ workflowId: 'test', nodeId: 'test', settings, generation: 0, listing: undefined },
		...{ publishedAt: -Infinity, watermark: readings.serviceNow - GRACE_MS, horizon: Infinity },
	};
	const { toTell } = nextShard(undefined, {
		...{
			events: readings.events,
			moment,
			settled: new Set<string>(),
			unlistedLeft: 0,
			unreadUpTo: [],
		},
	});
	const newest = new Map(
		[...toTell].sort((a, b) => a.t - b.t).map((entry) => [entry.item['state'], entry]),
	);
	if (newest.size === 0) return new Map();
	const assetIds = [...newest.values()].map(({ assetId }) => assetId);
	const { fieldsOf } = await directoryFor({
		...{ node: 'test', client, mayRequest, now, serviceNow: readings.serviceNow, assetIds },
	});
	const found = itemsOf([...newest.values()], fieldsOf);
	return new Map(found.map(({ record }) => [record['state'], record]));
}
