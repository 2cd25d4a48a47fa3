/** What a person lets happen at a station reaches the list and the endpoints, as messages of that station. */
import { asRecord } from '../../../lib/shared/values';
import { EVENTS, send, setUp, START } from './world';

const control = '/_simulator/stations';

it.each([
	['offline', 'online', 'stationOffline'],
	['fault', 'repaired', 'connectorFault'],
] as const)('%s lasts until %s, and is in the record', async (begin, end, kind) => {
	const { simulator, list, subscribe } = await setUp({ now: () => START });
	const { received } = await subscribe();
	const { assetId, name, events } = await simulator.happen(begin, { secondsAgo: 60 });
	expect(name).not.toBe('');
	expect(events.length).toBeGreaterThan(0);
	for (const { createdAt, data } of events) {
		expect(createdAt).toBe('2025-12-31T23:59:00.000Z');
		expect(asRecord(data['asset'])['id']).toBe(assetId);
	}
	const listed = await list(`${EVENTS}?limit=20`);
	expect(listed.items.map(({ id }) => id)).toEqual(events.map(({ id }) => id).reverse());
	expect(received).toHaveLength(events.length);
	const ofKind = () => simulator.incidents().filter((incident) => incident.kind === kind);
	expect(ofKind()).toMatchObject([{ assetId, since: '2025-12-31T23:59:00.000Z', until: null }]);
	expect((await simulator.happen(end)).assetId).toBe(assetId);
	expect(ofKind()).toMatchObject([{ assetId, until: '2026-01-01T00:00:00.000Z' }]);
	await expect(simulator.happen(end)).rejects.toThrow('No station is ');
});

it('each time another station, in either version of OCPP, and not delivered if so wanted', async () => {
	const { simulator, subscribe } = await setUp({ assets: 8 });
	const { received } = await subscribe();
	const seen = [];
	for (;;) {
		const happened = await simulator.happen('fault', { deliver: false }).catch(() => undefined);
		if (happened === undefined) break;
		seen.push(happened);
	}
	const ids = seen.map(({ assetId }) => assetId);
	expect(ids.length).toBeGreaterThan(3);
	expect(new Set(ids).size).toBe(ids.length);
	const protocols = new Set(
		seen.flatMap(({ events }) => events.map(({ data }) => data['protocol'])),
	);
	expect([...protocols].sort()).toEqual(['ocpp1.6', 'ocpp2.0.1']);
	expect(received).toEqual([]);
});

it('a session has a start 42 minutes before its end, and 7.5 kWh', async () => {
	const { simulator } = await setUp({ now: () => START });
	await simulator.happen('session');
	expect(simulator.incidents()).toMatchObject([
		{ kind: 'session', meterStopWh: expect.any(Number) as number },
	]);
	const [session] = simulator.incidents();
	if (session?.kind !== 'session') throw new Error('There is no session.');
	expect(Number(session.meterStopWh) - Number(session.meterStartWh)).toBe(7_500);
	const [first] = simulator.events;
	expect(asRecord(first?.data['payload'])['timestamp']).toBe('2025-12-31T23:18:00.000Z');
});

it('is one command, which names the station', async () => {
	const { simulator } = await setUp();
	const post = async (what: string, body?: object) =>
		await send(`${simulator.baseUrl}${control}/${what}`, { method: 'POST', ...(body && { body }) });
	const { status, body } = await post('offline');
	expect([status, body['assetId']]).toEqual([200, simulator.incidents()[0]?.assetId]);
	expect((await post('online', {})).body).toMatchObject({ assetId: body['assetId'] });
	expect((await post('repaired')).status).toBe(404);
	expect((await post('offline', { assetId: 'asset_none' })).status).toBe(404);
	expect((await post('flood')).status).toBe(400);
});
