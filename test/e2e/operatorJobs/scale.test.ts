/** The jobs that read the event list, in a network with 1,000 active stations: the cost of one execution. */
import { readFileSync } from 'node:fs';
import { LISTS } from '../../../lib/service';
import { startSimulator, type EventInput } from '../../../simulator';
import { type Asset, generateAssets } from '../../../simulator/data/assets';
import { endAfterEach, useForAll } from '../../support/lifetime';
import { itemsOf } from '../../support/n8n/answers';
import { useWorld } from '../../support/n8n/useWorld';
import { report } from '../../support/report';
import { publishJob } from './job';
import { type Station, storyTeller } from './messages';

/** Of these, 1,000 are active and speak OCPP 1.6, so they send events in the simulator. */
const ASSETS = 3_364;
/** The longest history of the simulator: some two and a half hours of such a network. */
const EVENTS = 8_000;

const world = useWorld();
const simulator = useForAll(() =>
	startSimulator({ profile: 'field', assets: ASSETS, events: EVENTS }),
);
const stopped = endAfterEach();

const isSending = ({ chargingStation: { status, protocol } }: Asset) =>
	status === 'ACTIVE' && protocol === 'OCPP_1_6';
const assets = generateAssets(ASSETS);

it('has 1,000 stations that send', () => {
	expect(assets.filter(isSending)).toHaveLength(1000);
});

/** At the end of the list. Only the test sends their events. */
const SILENT = assets.filter((asset) => !isSending(asset)).slice(-2);

const FAULT = { connectorId: 1, errorCode: 'OtherError', status: 'Faulted' };
const END = { transactionId: 1, meterStop: 1, reason: 'Local' };

it.each<[file: string, last: string, events: (station: Station) => EventInput[]]>([
	['offline-alarm.json', 'Send alarm', (station) => [station.offline(6)]],
	['fault-to-reset.json', 'Send notice', (station) => station.call(4, 'StatusNotification', FAULT)],
	['sessions-to-table.json', 'Write row', (station) => station.call(4, 'StopTransaction', END)],
])('%s reads only new events after its first execution', async (file, last, events) => {
	const { client, server } = world;
	const job = stopped(await publishJob(world, simulator, file, { keepsSuccesses: true }));
	const requestsTo = (path: string) =>
		simulator.stats.requests.filter((request) => request.path === path).length;
	const costs = [];
	for (const [index, which] of ['first', 'second'].entries()) {
		const { id = '', chargingStation } = SILENT[index] ?? {};
		const before = [requestsTo(LISTS.event.path), requestsTo(LISTS.asset.path)] as const;
		await simulator.emit(events(storyTeller('field').station(id))[0]);
		await job.settled();
		const [newest] = await client.listExecutions({ workflowId: job.workflowId, limit: 1 });
		const execution = await client.getExecution(newest?.id ?? '');
		expect(execution.status).toBe('success');
		const out = itemsOf(execution, last).map(({ json }) => json);
		expect(out).toMatchObject([{ assetId: id, station: chargingStation?.name }]);
		const cost = {
			pages: requestsTo(LISTS.event.path) - before[0],
			assetPages: requestsTo(LISTS.asset.path) - before[1],
			listed: itemsOf(execution, 'List events').length,
			rows: itemsOf(execution, 'Save rows').length,
			ms: Date.parse(newest?.stoppedAt ?? '') - Date.parse(newest?.startedAt ?? ''),
			kB: Math.round(JSON.stringify(execution.data).length / 1000),
		};
		costs.push(cost);
		const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1];
		report(
			`${file}, ${which}: ${JSON.stringify(cost)}, n8n's peak ${Math.round(Number(peak) / 1000)} MB`,
		);
	}
	const [first, second] = costs;
	expect(first?.pages).toBeGreaterThan(40);
	// Five minutes of such a network are some 270 events.
	expect(second?.pages).toBeLessThanOrEqual(15);
});
