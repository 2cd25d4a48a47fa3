/** What a Station Trigger reports when its ledger loses its data, or is replaced by an old copy. */
import { OCPP16 } from './stations';
import { back, lost, message, MINUTE, type StationWorld, stationWorld, time } from './stationWorld';

const loseLedger = ({ store }: StationWorld): void => {
	store.records.clear();
	store.entries.clear();
};

/** Returns what puts the ledger back as it is now. */
function copyOf({ store: { records, entries } }: StationWorld): () => void {
	const [oldRecords, oldEntries] = [new Map(records), new Map(entries)];
	return () => {
		records.clear();
		entries.clear();
		for (const [key, text] of oldRecords) records.set(key, text);
		for (const [key, entry] of oldEntries) entries.set(key, entry);
	};
}

/** What a healthy station sends, so that a page is some minutes long. */
function heartbeats(from: string, to: string) {
	const beats = [];
	for (let at = time(from); at <= time(to); at += 3_000)
		beats.push(message(at, 's4', ['Heartbeat', {}]));
	return beats;
}

it('reports nothing twice, and the end of what it has reported', async () => {
	const world = stationWorld();
	world.events = [lost('09:00'), lost('09:00', 's2'), back('09:10', 's2'), back('09:40')];
	await world.pollFrom('08:59', '09:20');
	expect(world.items()).toHaveLength(3);
	loseLedger(world);
	await world.pollFrom('09:21', '09:50');
	expect(world.items().slice(3)).toMatchObject([{ state: 'resolved', station: { id: 's1' } }]);
	expect(world.warnings).toEqual([
		'the event ledger was replaced or lost its data: incidents up to 2026-11-23T09:20:00.000Z count as reported',
	]);
});

it('decides nothing before the past has been read: what was open began before its last page', async () => {
	const settings = { kind: 'connectorStatus', resolveAfterMs: 15 * MINUTE } as const;
	const world = stationWorld({ settings });
	world.events = [
		...heartbeats('08:45', '10:00'),
		OCPP16.status('09:00', 'Finishing'),
		OCPP16.status('09:10', 'Available'),
		OCPP16.status('09:15', 'Finishing'),
		OCPP16.status('09:21', 'Available'),
	];
	await world.pollFrom('08:50', '09:25');
	const [opened] = world.items();
	expect(world.items()).toMatchObject([{ state: 'opened', since: '2026-11-23T09:00:00.000Z' }]);
	loseLedger(world);
	// Two pages in each poll.
	await world.pollFrom('09:26', '10:00', { budgetMs: 0 });
	expect(world.items().slice(1)).toMatchObject([
		{ state: 'resolved', incident: opened?.['incident'], since: opened?.['since'] },
	]);
});

it('ends nothing that an old copy of the ledger has open', async () => {
	const world = stationWorld();
	world.events = [lost('09:00'), back('09:10'), lost('09:30', 's2')];
	await world.pollFrom('08:59', '09:07');
	const restore = copyOf(world);
	await world.pollFrom('09:08', '09:37');
	const before = world.ids();
	expect(before).toHaveLength(3);
	restore();
	await world.pollFrom('09:38', '09:50');
	expect(world.ids()).toEqual(before);
});

it('hands over nothing that a poll decided while the ledger was lost', async () => {
	const settings = { kind: 'connectorFault', scope: 'station', forMs: 0 } as const;
	const world = stationWorld({ settings });
	world.events = [
		...heartbeats('08:45', '10:00'),
		OCPP16.status('09:00', 'Faulted', { error: { errorCode: 'GroundFailure' } }),
		OCPP16.status('09:20', 'Faulted', { error: { errorCode: 'GroundFailure' } }),
		OCPP16.status('09:40', 'Available'),
	];
	await world.pollFrom('08:50', '09:20');
	const [opened] = world.items();
	expect(world.items()).toHaveLength(1);
	world.now = time('09:21');
	const read = world.ledger.readRecord.bind(world.ledger);
	jest.spyOn(world.ledger, 'readRecord').mockImplementation(async (key) => {
		// The list has been read, and nothing is decided yet.
		if (key.endsWith(':0')) loseLedger(world);
		return await read(key);
	});
	await world.poll();
	jest.restoreAllMocks();
	await world.pollFrom('09:22', '09:50');
	expect(world.items().slice(1)).toMatchObject([
		{ state: 'resolved', incident: opened?.['incident'], since: opened?.['since'] },
	]);
});

it('decides nothing on an old copy of the ledger that is put back while it reads the list', async () => {
	const world = stationWorld();
	world.events = [...heartbeats('08:45', '09:40'), lost('09:00'), back('09:04')];
	await world.pollFrom('08:59', '09:02');
	const restore = copyOf(world);
	await world.pollFrom('09:03', '09:20');
	world.now = time('09:21');
	await world.poll({ client: world.clientAfter(restore) });
	await world.pollFrom('09:22', '09:40');
	expect(world.items()).toEqual([]);
});

it('reports what would have been reported just after the ledger was lost', async () => {
	const world = stationWorld();
	world.events = [lost('08:50', 's2'), lost('09:00')];
	await world.pollFrom('08:45', '09:05');
	expect(world.items()).toHaveLength(1);
	loseLedger(world);
	await world.pollFrom('09:06', '09:10');
	expect(world.items().slice(1)).toMatchObject([{ state: 'opened', station: { id: 's1' } }]);
});

it('takes a copy for the ledger itself if nothing was reported since', async () => {
	const world = stationWorld();
	world.events = [lost('09:00')];
	await world.pollFrom('08:59', '09:07');
	const restore = copyOf(world);
	await world.pollFrom('09:08', '09:10');
	restore();
	await world.pollFrom('09:11', '09:12');
	expect([world.items().length, world.warnings]).toEqual([1, []]);
});

it('reads a shard again that is damaged between two polls', async () => {
	const world = stationWorld();
	world.events = [lost('09:00'), back('09:10'), lost('09:20')];
	await world.pollFrom('08:59', '09:07');
	const damaged = [...world.store.records.keys()].filter((key) => /node:\d+$/.test(key));
	expect(damaged).toHaveLength(1);
	for (const key of damaged) world.store.records.set(key, '1{"kind":"stationOffline"}');
	await world.pollFrom('09:08', '09:30');
	const incidents = world.items().map(({ since, state }) => `${String(since)} ${String(state)}`);
	expect(incidents).toEqual([
		'2026-11-23T09:00:00.000Z opened',
		'2026-11-23T09:00:00.000Z resolved',
		'2026-11-23T09:20:00.000Z opened',
	]);
});
