/** The examples for an operator's jobs on a real n8n: the result of a story, however its events arrive. */
import { DateTime } from 'luxon';
import { LISTS } from '../../../lib/service';
import { type EventInput, startSimulator } from '../../../simulator';
import { generateAssets } from '../../../simulator/data/assets';
import { endAfterEach, useForAll, useForEach } from '../../support/lifetime';
import { itemsOf } from '../../support/n8n/answers';
import { useWorld } from '../../support/n8n/useWorld';
import { TRIGGER } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { enabledCommands } from './commands';
import { publishJob } from './job';
import { startMailbox } from './mailbox';
import { type Station, storyTeller } from './messages';

const MINUTES = 60_000;
const ASSETS = 20;
/** Listed by every simulator. */
const [LISTED, OTHER_LISTED, THIRD_LISTED] = generateAssets(ASSETS).map(
	({ id, chargingStation: { name } }) => ({
		...{ id, name },
	}),
) as [Listed, Listed, Listed];
const ASSETS_PATH = LISTS.asset.path;
const ZONES = { documented: 'America/New_York', field: 'Europe/Berlin' };

const world = useWorld();

describe.each(['documented', 'field'] as const)('with events as %s', (profile) => {
	const simulator = useForAll(() => startSimulator({ profile, assets: ASSETS }));
	const timezone = ZONES[profile];
	const own = { tables: profile, timezone };
	const stopped = endAfterEach();

	it('offline-alarm.json raises an alarm for a station that stays offline, and reports its recovery', async () => {
		const { station, time } = storyTeller(profile);
		const job = stopped(await publishJob(world, simulator, 'offline-alarm.json', own));
		const longOutage = station(LISTED.id);
		const blink = station();
		const stillOffline = station();
		const flapping = station();
		const toldTwice = station();
		await job.tell([
			...[longOutage.offline(60), longOutage.online(40)],
			...[blink.offline(59), blink.online(57)],
			...[stillOffline.online(56), stillOffline.offline(50)],
			...[flapping.offline(49), flapping.online(48), flapping.offline(47), flapping.online(20)],
			...[toldTwice.offline(46), toldTwice.offline(43), toldTwice.online(30)],
		]);
		const outages = [
			[longOutage.id, 60, 40],
			[flapping.id, 47, 20],
			[toldTwice.id, 46, 30],
		] as const;
		const nameOf = (id: string) => (id === LISTED.id ? LISTED.name : id);
		const expected = outages.map(([assetId, from, to]) => ({
			assetId,
			station: nameOf(assetId),
			offlineSince: time(from),
			backAt: time(to),
			offlineMinutes: from - to,
		}));
		const open = { offlineSince: time(50), backAt: null, offlineMinutes: null };
		const alarms = await job.output('Send alarm');
		expect(sorted(alarms)).toMatchObject(
			sorted([...expected, { assetId: stillOffline.id, ...open }]),
		);
		expect(sorted(await job.output('Send recovery notice'))).toMatchObject(sorted(expected));

		// A station that has just gone offline still has five minutes.
		await job.tell([storyTeller(profile).station().offline(0)]);
		const filter = { workflowId: job.workflowId, status: 'waiting' } as const;
		const waiting = await waitFor(async () => (await world.client.listExecutions(filter)).at(0), {
			what: 'the run to wait',
			timeoutMs: 2 * MINUTES,
		});
		expect(
			(await world.client.getExecution(waiting.id)).data.resultData.runData,
		).not.toHaveProperty('Decide');
	});

	it('offline-alarm.json sends its alarm with the ID if the asset list fails, otherwise with the name, in local time', async () => {
		const { station, time } = storyTeller(profile);
		const mailbox = stopped(await startMailbox());
		const job = stopped(
			await publishJob(world, simulator, 'offline-alarm.json', {
				...{ timezone, tables: `${profile} mails`, mailbox },
			}),
		);
		const since = (minutesAgo: number) =>
			`Offline since ${DateTime.fromISO(time(minutesAgo), { zone: timezone }).toFormat('yyyy-MM-dd HH:mm ZZZZ')}.`;
		simulator.faults.add({ path: ASSETS_PATH, status: 500 });
		await job.tell([station(LISTED.id).offline(30)]);
		await job.settled();
		simulator.faults.clear();
		expect(mailbox.mails).toMatchObject([
			{
				subject: `${LISTED.id} is offline`,
				lines: expect.arrayContaining([since(30), `Asset: ${LISTED.id}`]) as string[],
			},
		]);
		await job.tell([station(OTHER_LISTED.id).offline(20)]);
		await job.settled();
		expect(mailbox.mails.slice(1)).toMatchObject([
			{
				subject: `${OTHER_LISTED.name} is offline`,
				lines: expect.arrayContaining([since(20), `Asset: ${OTHER_LISTED.id}`]) as string[],
			},
		]);
	});

	it('offline-alarm.json sends its alarm if events cannot be listed', async () => {
		const { station } = storyTeller(profile);
		const job = stopped(
			await publishJob(world, simulator, 'offline-alarm.json', {
				...{ timezone, tables: `${profile} unlisted` },
			}),
		);
		const lost = station();
		simulator.faults.add({ path: LISTS.event.path, status: 500 });
		await job.tell([lost.offline(30)]);
		const alarms = await job.output('Send alarm');
		simulator.faults.clear();
		expect(alarms).toMatchObject([{ assetId: lost.id, station: lost.id, backAt: null }]);
	});

	it('fault-to-reset.json reports each new fault, and resets once if a reset can fix it', async () => {
		const { station } = storyTeller(profile);
		const job = stopped(
			await publishJob(world, simulator, 'fault-to-reset.json', {
				...own,
				change: (node) => enabledCommands(node, simulator.baseUrl),
			}),
		);
		const repeating = station(LISTED.id);
		const unsafe = station();
		const uncoded = station(OTHER_LISTED.id);
		const healthy = station();
		const twoConnectors = station(THIRD_LISTED.id);
		const longAgo = station();
		const status = (errorCode: string, connectorId = 1, state = 'Faulted') =>
			['StatusNotification', { connectorId, errorCode, status: state }] as const;
		await job.tell([
			...longAgo.call(90, ...status('OtherError')),
			...repeating.call(25, ...status('OtherError')),
			...unsafe.call(24, ...status('GroundFailure')),
			...healthy.call(23, ...status('NoError', 1, 'Available')),
			...uncoded.call(23, ...status('NoError')),
			...twoConnectors.call(22, ...status('InternalError', 1)),
			...twoConnectors.call(21, ...status('InternalError', 2)),
			...repeating.call(20, ...status('NoError', 1, 'Available')),
			...repeating.call(15, ...status('OtherError')),
			...repeating.call(10, ...status('OtherError')),
		]);
		const notices = await job.output('Send notice');
		expect(sorted(notices)).toMatchObject(
			sorted([
				{
					...{ assetId: repeating.id, station: LISTED.name },
					...{ connectorId: 1, errorCode: 'OtherError', reset: true },
				},
				{
					...{ assetId: uncoded.id, station: OTHER_LISTED.name },
					...{ connectorId: 1, errorCode: 'NoError', reset: false },
				},
				{ assetId: longAgo.id, connectorId: 1, errorCode: 'OtherError', reset: false },
				{
					assetId: unsafe.id,
					station: unsafe.id,
					connectorId: 1,
					errorCode: 'GroundFailure',
					reset: false,
				},
				{ assetId: twoConnectors.id, connectorId: 1, errorCode: 'InternalError', reset: true },
				{ assetId: twoConnectors.id, connectorId: 2, errorCode: 'InternalError', reset: false },
			]),
		);
		const resets = notices.filter(({ reset }) => reset === true);
		expect(sorted(simulator.stats.commands.map((command) => ({ ...command })))).toEqual(
			sorted(
				resets.map(({ id, assetId }) => ({
					...{ requestId: id, assetId, action: 'Reset', requests: 1, executed: 1 },
				})),
			),
		);
	});

	it('sessions-to-table.json writes one correct row for each session', async () => {
		const { station, time } = storyTeller(profile);
		const job = stopped(await publishJob(world, simulator, 'sessions-to-table.json', own));
		const one = station(LISTED.id);
		const two = station();
		const unmetered = station();
		const noStart = station();
		const start = (connectorId: number, meterStart: number, transactionId: number) =>
			['StartTransaction', { connectorId, idTag: 'TAG1', meterStart }, { transactionId }] as const;
		const meter = (connectorId: number, transactionId: number) =>
			['MeterValues', { connectorId, transactionId, meterValue: [] }] as const;
		const stop = (transactionId: number, meterStop: number) =>
			['StopTransaction', { transactionId, meterStop, reason: 'Local' }] as const;
		const sentAgain = { timestamp: time(60) };
		await job.tell([
			// One after the other at one connector; the station sends the end of the first twice.
			...one.call(90, ...start(1, 1000, 501)),
			...one.call(60, ...stop(501, 8500)),
			...one.call(59, 'StopTransaction', { ...stop(501, 8500)[1], ...sentAgain }),
			...one.call(58, ...start(1, 8500, 502)),
			...one.call(30, ...stop(502, 9755)),
			// Two at once, with different meter values.
			...two.call(80, ...start(1, 100, 601)),
			...two.call(78, ...start(2, 50_000, 602)),
			...two.call(70, ...meter(2, 602)),
			...two.call(69, ...meter(1, 601)),
			...two.call(40, ...stop(601, 60_100)),
			...two.call(35, ...stop(602, 62_000)),
			// Two at once, which only differ in the responses to their starts.
			...unmetered.call(77, ...start(1, 100, 701)),
			...unmetered.call(76, ...start(2, 200, 702)),
			...unmetered.call(34, ...stop(701, 5100)),
			...unmetered.call(33, ...stop(702, 5200)),
			...noStart.call(32, ...stop(801, 4000)),
		]);
		await job.settled();

		const told = profile === 'documented';
		const rowOf = ({ id }: { id: string }, transactionId: number, row: Json): Json => ({
			...{ assetId: id, station: id === LISTED.id ? LISTED.name : id },
			transactionId: String(transactionId),
			...row,
		});
		const lost = { startedAt: null, energyKwh: null, startFoundBy: 'not found' };
		const found = (by: string, connectorId: number, from: number, energyKwh: number): Json => ({
			connectorId,
			startedAt: time(from),
			energyKwh,
			startFoundBy: told ? 'answer' : by,
		});
		const expected = [
			rowOf(one, 501, { ...found('order', 1, 90, 7.5), stoppedAt: time(60), meterStop: 8500 }),
			rowOf(one, 502, { ...found('order', 1, 58, 1.255), stoppedAt: time(30), reason: 'Local' }),
			rowOf(two, 601, found('meter values', 1, 80, 60)),
			rowOf(two, 602, found('meter values', 2, 78, 12)),
			rowOf(unmetered, 701, told ? found('', 1, 77, 5) : lost),
			rowOf(unmetered, 702, told ? found('', 2, 76, 5) : lost),
			rowOf(noStart, 801, { ...lost, connectorId: null, stoppedAt: time(32) }),
		];
		const rows = await world.client.tableRows(`Charging sessions ${profile}`);
		expect(sorted(rows)).toMatchObject(sorted(expected));
		const local = (minutesAgo: number) =>
			DateTime.fromISO(time(minutesAgo), { zone: timezone }).toFormat('yyyy-MM-dd HH:mm:ss ZZZZ');
		expect(rows.find(({ transactionId }) => transactionId === '502')).toMatchObject({
			...{ station: LISTED.name, started: local(58), stopped: local(30) },
		});
	});
});

describe('started for several stations at once', () => {
	const simulator = useForEach(() => startSimulator({ profile: 'field', assets: ASSETS }));
	const stopped = endAfterEach();
	const fault = { connectorId: 1, errorCode: 'OtherError', status: 'Faulted' };
	const end = { transactionId: 1, meterStop: 1, reason: 'Local' };

	it.each<[file: string, last: string, events: (station: Station) => EventInput[]]>([
		['offline-alarm.json', 'Send alarm', (station) => [station.offline(30)]],
		['fault-to-reset.json', 'Send notice', (each) => each.call(4, 'StatusNotification', fault)],
		['sessions-to-table.json', 'Write row', (each) => each.call(4, 'StopTransaction', end)],
	])('%s names all of them, and reads the asset list once', async (file, last, eventsOf) => {
		const { client } = world;
		const { station } = storyTeller('field');
		const listed = [LISTED, OTHER_LISTED, THIRD_LISTED];
		const story = await simulator.emitAll(listed.flatMap(({ id }) => eventsOf(station(id))));
		const options = { tables: 'of several', pinned: story.events };
		const { workflowId } = stopped(await publishJob(world, simulator, file, options));
		const execution = await client.waitForExecution(await client.runManually(workflowId, TRIGGER));
		const stations = itemsOf(execution, last).map(({ json }) => json['station']);
		expect(stations.sort()).toEqual(listed.map(({ name }) => name).sort());
		const ofAssets = simulator.stats.requests.filter(({ path }) => path === ASSETS_PATH);
		expect(ofAssets).toHaveLength(1);
	});
});

type Json = Readonly<Record<string, unknown>>;
type Listed = Readonly<Record<'id' | 'name', string>>;

/** Executions end in any order. */
function sorted(items: readonly Json[]): Json[] {
	const keyOf = ({ assetId, connectorId, transactionId }: Json): string =>
		JSON.stringify([assetId, transactionId, connectorId]);
	return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
