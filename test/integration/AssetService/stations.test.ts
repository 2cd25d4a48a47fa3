/** Questions about the past of stations, through the node. */
import type { INodeParameters } from 'n8n-workflow';
import { asText } from '../../../lib/shared/values';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { editorContext } from '../../support/engine';
import type { Handler, SeenRequest } from '../../support/httpService';
import { startNode } from '../../support/runNode';
import { gate } from '../../support/wait';
import { stopWorlds } from '../../unit/service/world';
import { ASSETS, failure, optionsFor, pages, records, run, serving } from './runs';

afterEach(stopWorlds);

const EVENTS = '/webhooks/v1/webhook-events';
const MINUTE = 60_000;
/** For all events of a test, which are minutes apart. */
let now: number;
beforeEach(() => {
	now = Date.now();
});
const ago = (minutes: number) => new Date(now - minutes * MINUTE).toISOString();
let count = 0;
const event = (minutes: number, assetId: string, eventType: string, more: object) => ({
	id: `whevt_${++count}`,
	eventType,
	createdAt: ago(minutes),
	payload: { asset: { id: assetId }, ...more },
});
const connection = (minutes: number, status: string, assetId = 'as_1') =>
	event(minutes, assetId, 'asset.connectivity', { status });
const status = (minutes: number, connectorId: number, status: string, assetId = 'as_1') =>
	event(minutes, assetId, 'ocpp.message', {
		...{ messageType: 'CALL', messageId: `m${count}`, action: 'StatusNotification' },
		payload: { connectorId, status, errorCode: 'NoError' },
	});
const stations = [
	{ id: 'as_1', type: 'CHARGING_STATION', chargingStation: { name: 'Harbour Street 1' } },
	{ id: 'as_2', type: 'CHARGING_STATION', chargingStation: { name: 'Harbour Street 2' } },
];
const history = () => [
	connection(20.5, 'DISCONNECTED', 'as_2'),
	...[connection(90, 'CONNECTED'), connection(120, 'DISCONNECTED')],
	...[status(1000, 1, 'Available'), status(1001, 2, 'Available')],
	connection(5000, 'CONNECTED'),
];
const handler =
	(events: readonly { id: string }[]): Handler =>
	(request: SeenRequest) =>
		pages(request.path === ASSETS ? stations : events, request);
const closeTo95 = expect.closeTo(95, 1) as number;
const ask = (operation: string, more: INodeParameters = {}): INodeParameters => ({
	resource: 'station',
	operation,
	...more,
});

it('finds the outages of the last day, without any other setting', async () => {
	const world = await serving(handler(history()));
	const found = await records(run(world, ask('getIncidents')));
	expect(found).toMatchObject([
		{ station: 'Harbour Street 1', stationId: 'as_1', minutes: 30, state: 'resolved' },
		{ station: 'Harbour Street 2', stationId: 'as_2', until: null, state: 'open' },
	]);
	const few = await records(run(world, ask('getIncidents', { forMinutes: 60 })));
	expect(few).toEqual([]);
});

it('finds what has lasted longer than it looks back, if it has to', async () => {
	const hours = (count: number) => count * 60;
	const events = [
		...[status(hours(2), 1, 'Available'), status(hours(3), 1, 'Faulted')],
		...[status(hours(59), 1, 'Available'), status(hours(60), 1, 'Faulted')],
		status(hours(70), 2, 'Preparing'),
	];
	const world = await serving(handler(events));
	const stuck = { triggerOn: 'connectorStatus', statuses: ['Preparing'], forMinutes: hours(48) };
	expect(await records(run(world, ask('getIncidents', stuck)))).toMatchObject([
		{ connector: '2', status: 'Preparing', state: 'open' },
	]);
	const faults = { triggerOn: 'connectorFault', times: 2, withinMinutes: hours(72) };
	expect(await records(run(world, ask('getIncidents', faults)))).toMatchObject([
		{ connector: '1', count: 2, state: 'open' },
	]);
});

it('calculates uptime, and reads the list once for items that ask about the same period', async () => {
	const world = await serving(handler(history()));
	const input = [{ id: 'as_1' }, { id: 'as_2' }, { id: 'as_1' }];
	const parameters = ask('getUptime', { assetIds: '={{ $json.id }}', createdAfter: ago(600) });
	const { items, error } = await run(world, parameters, { input });
	expect(error).toBeUndefined();
	expect(items.map(({ json, pairedItem }) => [json['connector'], pairedItem])).toEqual([
		...['1', '2'].map((connector) => [connector, { item: 0 }]),
		[null, { item: 1 }],
		...['1', '2'].map((connector) => [connector, { item: 2 }]),
	]);
	expect(items[0]?.json).toMatchObject({ downMinutes: 30, uptimePercent: closeTo95 });
	expect(world.service.to(EVENTS)).toHaveLength(1);
	expect(world.service.to(ASSETS)).toHaveLength(1);
});

it('reads the list once for items whose period moves on with the clock', async () => {
	const world = await serving(handler(history()));
	const parameters = ask('getUptime', {
		createdAfter: '={{ $now.minus({ hours: 10 }).plus({ seconds: $json.n }).toISO() }}',
		createdBefore: '={{ $now.minus({ hours: 1 }).plus({ seconds: $json.n }).toISO() }}',
	});
	const { items, error } = await run(world, parameters, { input: [{ n: 0 }, { n: 1 }] });
	expect(error).toBeUndefined();
	expect(world.service.to(EVENTS)).toHaveLength(1);
	expect(items).toHaveLength(6);
	const [from = 0, next = 0] = [0, 3].map((n) => Date.parse(asText(items[n]?.json['from'])));
	expect(next).toBeGreaterThan(from);
});

it('answers a question as if it was the only one, whatever the other items ask', async () => {
	const hour = 60;
	const heartbeat = (minutes: number) =>
		event(minutes, 'as_1', 'ocpp.message', { messageType: 'CALL', action: 'Heartbeat' });
	const fault = status(27 * hour + 50, 1, 'Faulted');
	const world = await serving(handler([heartbeat(10), heartbeat(20 * hour), fault]));
	const asking = async (...input: { from: string }[]) => {
		const period = { createdAfter: '={{ $json.from }}', createdBefore: ago(15) };
		const found = await run(world, ask('getUptime', { ...period, assetIds: 'as_1' }), { input });
		return found.items.map(({ json }) => json);
	};
	const [earlier, own] = [{ from: ago(140) }, { from: ago(90) }];
	const byItself = await asking(own);
	expect(byItself).toMatchObject([{ connector: null, faultedMinutes: 0, unknownMinutes: 75 }]);
	const [first, ...second] = await asking(earlier, own);
	expect(first).toMatchObject({ connector: '1', faultedMinutes: 125 });
	expect(second).toEqual(byItself);
});

it('takes exclusions from an expression over the items of another node', async () => {
	const world = await serving(handler(history()));
	const input = [{ assetId: 'as_1', from: ago(125), to: ago(80), reason: 'Works' }];
	const exclusionList = '={{ $input.all() }}';
	const parameters = ask('getUptime', { exclusionList, assetIds: 'as_1', createdAfter: ago(600) });
	const found = await records(run(world, parameters, { input }));
	expect(found).toMatchObject([
		{ downMinutes: 0, excludedMinutes: 45, uptimePercent: 100 },
		{ downMinutes: 0, excludedMinutes: 45, uptimePercent: 100 },
	]);
});

it('says how the stations are, those with problems first', async () => {
	const world = await serving(handler(history()));
	const found = await records(run(world, ask('getStatus')));
	expect(found).toMatchObject([
		{ station: 'Harbour Street 2', status: 'offline', minutes: 20, connected: false },
		{ station: 'Harbour Street 1', status: 'ok', connected: true },
	]);
	expect(found[1]?.['connectors']).toHaveLength(2);
});

const word = (assetId: string, lastMinutes: number, ...more: ReturnType<typeof event>[]) => [
	event(lastMinutes, assetId, 'ocpp.message', { messageType: 'CALL', action: 'Heartbeat' }),
	...more,
];

it('says in few words what is wrong with a network, the worst first', async () => {
	const many = Array.from({ length: 300 }, (_unused, n) => `as_${n}`);
	const assets = many.map((id) => ({
		...{ id, type: 'CHARGING_STATION', chargingStation: { name: `Harbour Street ${id.slice(3)}` } },
	}));
	const hour = 60;
	const fault = (minutes: number, assetId: string, connectorId: number) =>
		event(minutes, assetId, 'ocpp.message', {
			...{ messageType: 'CALL', messageId: `m${count}`, action: 'StatusNotification' },
			payload: {
				...{ connectorId, status: 'Faulted', errorCode: 'GroundFailure', vendorErrorCode: 'F101' },
				info: 'The residual current device has tripped',
			},
		});
	const events = many.flatMap((id, n) => {
		const ok = [status(200, 1, 'Available', id), status(200, 2, 'Charging', id)];
		if (n < 6) return word(id, 100, ...ok, connection(30, 'DISCONNECTED', id));
		if (n < 12) return word(id, 28 * hour);
		if (n < 18) return word(id, 5, fault(90.5, id, 1), fault(80, id, 2));
		if (n < 24)
			return word(id, 5, status(90, 1, 'Unavailable', id), status(90, 2, 'Available', id));
		return n < 30 ? word(id, 5) : word(id, 5, ...ok);
	});
	const sorted = events.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
	const world = await serving((request) =>
		pages(request.path === ASSETS ? assets : sorted, request),
	);
	const found = await records(
		run(world, ask('getStatus', { onlyProblems: true, lookBackHours: 48 })),
	);
	expect(found.map((one) => one['status'])).toEqual(
		['offline', 'silent', 'faulted', 'unavailable', 'unknown'].flatMap((one) =>
			Array<string>(6).fill(one),
		),
	);
	const text = JSON.stringify(found.slice(0, 20));
	expect(text.length).toBeLessThan(6_000);
	expect(text).not.toMatch(/null|\[\]|\{\}/);
	expect(found.find((one) => one['status'] === 'faulted')).toEqual({
		...{ station: 'Harbour Street 12', stationId: 'as_12', status: 'faulted' },
		...{ since: expect.any(String) as string, minutes: 90 },
		faults: ['1', '2'].map((connector) => ({
			...{ connector, errorCode: 'GroundFailure', vendorErrorCode: 'F101' },
		})),
	});
	const all = await records(run(world, ask('getStatus')));
	expect(all).toHaveLength(300);
	expect(all.at(-1)).toMatchObject({ status: 'ok', connectors: [{}, {}] });
	const whole = await records(
		run(world, ask('getStatus', { onlyProblems: true, simplify: false })),
	);
	expect(whole[0]).toMatchObject({ station: { id: 'as_0' }, connected: false, sessions: [] });
	const later = ask('getStatus', { lookBackHours: 48, options: { silentAfterHours: 30 } });
	const words = (await records(run(world, later))).map((one) => one['status']);
	expect(words).not.toContain('silent');
});

it.each(['getIncidents', 'getOutages', 'getSessions', 'getStatus', 'getUptime'])(
	'%s begins with the name and the ID of the station, and without Simplify with the station of the trigger',
	async (operation) => {
		const fault = { connectorId: 1, status: 'Faulted', errorCode: 'GroundFailure' };
		const transaction = { connectorId: 1, idTag: 'TAG1', meterStart: 1000, timestamp: ago(90) };
		const message = (minutes: number, action: string, payload: object) =>
			event(minutes, 'as_1', 'ocpp.message', {
				...{ messageType: 'CALL', messageId: `m${count}`, action, payload },
			});
		const events = [
			message(15, 'StatusNotification', fault),
			...[connection(20, 'CONNECTED'), connection(40, 'DISCONNECTED')],
			message(60, 'StopTransaction', { transactionId: 7, meterStop: 8500, timestamp: ago(60) }),
			message(90, 'StartTransaction', transaction),
		];
		const world = await serving(handler(events));
		const more = { assetIds: 'as_1' };
		const [flat, ...others] = await records(run(world, ask(operation, more)));
		const [raw] = await records(run(world, ask(operation, { ...more, simplify: false })));
		const { station, seconds, ...item } = raw ?? {};
		const isExact = ['getOutages', 'getUptime'].includes(operation);
		expect(seconds !== undefined).toBe(isExact);
		expect(station).toMatchObject({ id: 'as_1', name: 'Harbour Street 1' });
		expect(Object.keys(flat ?? {})).toEqual(['station', 'stationId', ...Object.keys(item)]);
		expect(flat).toMatchObject({ station: 'Harbour Street 1', stationId: 'as_1' });
		for (const one of [flat, ...others]) {
			const nested = Object.values(one ?? {}).filter((value) => Array.isArray(value));
			expect(JSON.stringify(nested)).not.toContain('null');
		}
	},
);

/** What the form holds for stations that were selected in it. */
const selected = (...ids: string[]) => ({
	station: ids.map((value) => ({ assetId: { __rl: true, mode: 'list', value } })),
});

it.each([
	[{}, ['as_1', 'as_2']],
	[{ stations: selected('as_2') }, ['as_2']],
	[{ stations: selected('as_1', 'as_2') }, ['as_1', 'as_2']],
	[{ stations: selected('as_2'), assetIds: 'as_1' }, ['as_1', 'as_2']],
	[{ stations: selected('={{ ["as_2"] }}') }, ['as_2']],
	[{ assetIds: '={{ ["as_2", "as_1"] }}' }, ['as_1', 'as_2']],
])('asks about the stations that %j names', async (parameters, expected) => {
	const world = await serving(handler(history()));
	const found = await records(run(world, ask('getUptime', { per: 'station', ...parameters })));
	expect(found.map(({ stationId }) => stationId).sort()).toEqual(expected);
});

it.each(['getIncidents', 'getOutages', 'getSessions', 'getStatus', 'getUptime'])(
	'%s fails for an ID that the asset list lacks before it reads any event, and says what to do',
	async (operation) => {
		const world = await serving(handler(history()));
		const asked = { assetIds: 'as_1, as_3,as_4', stations: selected('as_2', 'as_5') };
		expect(await failure(run(world, ask(operation, asked)))).toMatchObject({
			message: 'Not in the asset list: as_5, as_3, as_4',
			description:
				"Select stations from the list in 'Stations', or correct the IDs: 'Get Many' of the resource Asset returns them.",
		});
		expect(world.service.to(EVENTS)).toEqual([]);
	},
);

it('fails for a row without a station, which must not mean all of them', async () => {
	const world = await serving(handler(history()));
	for (const empty of ['', '={{ undefined }}', '={{ null }}']) {
		const { message } = await failure(run(world, ask('getStatus', { stations: selected(empty) })));
		expect(message).toBe("'Stations' has a row without a station");
	}
});

it('returns stations by ID if the asset list cannot be read', async () => {
	const world = await serving((request: SeenRequest) =>
		request.path === ASSETS ? { status: 403, body: {} } : pages(history(), request),
	);
	const found = await records(run(world, ask('getStatus', { assetIds: 'as_1, as_9' })));
	expect(found).toHaveLength(2);
});

it('offers the stations of the asset list by name, and finds them by words', async () => {
	const node = new AssetService();
	const assets = [
		...stations,
		{ id: 'as_3', type: 'CHARGING_STATION', chargingStation: { name: 'Harbour Street 1' } },
		{ id: 'as_4', type: 'CHARGING_STATION', chargingStation: { serialNumber: 'SN-77' } },
		{ id: 'as_5', type: 'METER', name: 'Harbour meter' },
	];
	const world = await serving((request: SeenRequest) => pages(assets, request));
	const context = editorContext({
		nodeType: node,
		path: '/parameters/stations.station[0].assetId',
		parameters: ask('getStatus', { stations: selected('') }),
		...{ credentialTypes: ['assetServiceApi'], workflowId: 'workflow-1' },
		readCredential: async () => ({ ...world.settings }),
	});
	const search = async (filter?: string) =>
		(await node.methods.listSearch.searchStations.call(context, filter)).results;
	expect(await search()).toEqual([
		{ name: 'as_4', value: 'as_4' },
		{ name: 'Harbour Street 1 (as_1)', value: 'as_1' },
		{ name: 'Harbour Street 1 (as_3)', value: 'as_3' },
		{ name: 'Harbour Street 2', value: 'as_2' },
	]);
	expect(await search('2 HARBOUR')).toEqual([{ name: 'Harbour Street 2', value: 'as_2' }]);
	expect(await search('sn-77')).toEqual([{ name: 'as_4', value: 'as_4' }]);
	expect(await search('meter')).toEqual([]);
});

it('names exclusions that fit no station', async () => {
	const world = await serving(handler(history()));
	const exclusionList =
		'={{ [{ assetId: "Harbour Street 1", from: "2026-01-01", to: "2026-01-02" }] }}';
	const asked = await run(world, ask('getUptime', { exclusionList }));
	expect(asked.hints.map(({ message }) => message)).toEqual([
		"No known station or connector fits entry 1 of 'Exclusion List' (Harbour Street 1). Check the asset ID and the connector.",
	]);
});

it.each(['getIncidents', 'getOutages', 'getSessions', 'getUptime'])(
	'%s says since when the service lists events, if the period begins before that',
	async (operation) => {
		const oldest = status(300, 1, 'Available');
		const world = await serving(handler([connection(60, 'CONNECTED'), oldest]));
		const hintsOf = async (createdAfter: string) =>
			(await run(world, ask(operation, { createdAfter }))).hints.map(({ message }) => message);
		expect(await hintsOf(ago(301))).toEqual([
			`The service lists events only since ${oldest.createdAt}: what was before is unknown.`,
		]);
		expect(await hintsOf(ago(299))).toEqual([]);
	},
);

it.each(['getOutages', 'getUptime'])(
	'%s names a station that the asset list no longer has, which counts up to its last sign',
	async (operation) => {
		// Before the events, so that no part of a minute is missing.
		const createdAfter = ago(300);
		const [lost, last] = [
			connection(200, 'DISCONNECTED', 'as_9'),
			connection(120, 'CONNECTED', 'as_9'),
		];
		const world = await serving(handler([last, lost, status(301, 1, 'Available', 'as_9')]));
		const { hints, items } = await run(world, ask(operation, { createdAfter }));
		expect(hints.map(({ message }) => message)).toEqual([
			`Not in the asset list any more, so counted up to the last sign: as_9 (${last.createdAt}).`,
		]);
		const own = items.map(({ json }) => json).filter(({ stationId }) => stationId === 'as_9');
		const minutes =
			operation === 'getUptime' ? { upMinutes: 100, downMinutes: 80 } : { minutes: 80 };
		expect(own).toMatchObject([minutes]);
	},
);

it('answers an AI agent', async () => {
	const world = await serving(handler(history()));
	const { items } = await run(world, ask('getStatus'), { asTool: true });
	expect(JSON.stringify(items)).toContain('Harbour Street 2');
});

it('an item that fails becomes an item, if the node continues', async () => {
	const world = await serving(handler(history()));
	const input = [{ from: 'never' }, { from: ago(600) }];
	const parameters = ask('getUptime', { assetIds: 'as_1', createdAfter: '={{ $json.from }}' });
	const { items } = await run(world, parameters, { input, onError: 'continueRegularOutput' });
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 1 },
	]);
	expect(items[0]?.json['error']).toBe("'Created After' is not a date and time");
});

it.each([
	['getIncidents', { forMinutes: 20_000 }, "'Report After (Minutes)' must be a whole number"],
	['getUptime', { per: 'site' }, "'Per' has no 'site'"],
	['getUptime', { exclusionList: '={{ [{}] }}' }, "Entry 1 of 'Exclusion List' has no 'From'"],
	['getSessions', { createdBefore: '2020-01-01' }, "'Created After' is not before"],
	[
		'getSessions',
		{ createdAfter: '2020-01-01', createdBefore: '2020-01-01' },
		"'Created After' is not before",
	],
	[
		'getUptime',
		{ createdAfter: '2120-01-01', createdBefore: '2120-01-02' },
		"'Created After' is in the future",
	],
	['getStatus', { assetIds: '={{ ({}) }}' }, "'Asset IDs' cannot be an object"],
	[
		'getStatus',
		{ lookBackHours: '={{ 721 }}' },
		"'Look Back (Hours)' must be a whole number from 0 to 720, but is 721",
	],
	[
		'getUptime',
		{ options: { maxEvents: '={{ "many" }}' } },
		"'Max Events' must be a whole number from 1 to 10000000, but is many",
	],
])('%s with %j names what to correct', async (operation, parameters, message) => {
	const world = await serving(handler(history()));
	const { message: found } = await failure(run(world, ask(operation, parameters)));
	expect(found).toContain(message);
});

it('says how far it got, if the period has too many events', async () => {
	const many = Array.from({ length: 500 }, (_unused, n) => connection(n + 1, 'CONNECTED'));
	const world = await serving(handler(many));
	const { message, description } = await failure(
		run(world, ask('getIncidents', { options: { maxEvents: 200 } })),
	);
	expect(message).toMatch(/^Stopped after 200 events, which reach to .*Z: the period begins at/);
	expect(description).toContain("'Created After'");
});

it('ends within 100 ms of a request when the execution is cancelled', async () => {
	const took: number[] = [];
	// The quickest of some, since the machine may be busy.
	while (took.length < 5 && Math.min(...took) >= 100) {
		const [open, arrived] = [gate(), gate()];
		const world = await serving(async (request) => {
			if (request.path !== EVENTS) return pages(stations, request);
			arrived.open();
			await open.opened;
			return pages(history(), request);
		});
		const running = startNode(optionsFor(world, ask('getUptime')));
		await arrived.opened;
		const since = performance.now();
		running.cancel();
		await running.finished;
		took.push(performance.now() - since);
		open.open();
	}
	expect(Math.min(...took)).toBeLessThan(100);
});
