/** The examples that watch stations, on a real n8n and a network of both OCPP versions: their mails, commands, rows and pages. */
import { type Simulator, startSimulator } from '../../../simulator';
import { type Asset, generateAssets } from '../../../simulator/data/assets';
import { type Message, Station } from '../../../simulator/data/field/station';
import { createRandom } from '../../../simulator/data/random';
import { endAfterAll } from '../../support/lifetime';
import { runExample } from '../../support/n8n/examples';
import { itemsOf } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import { waitFor } from '../../support/wait';
import { buildWorkflow } from '../../support/workflow';
import { enabledCommands } from './commands';
import { type FileNode, publishJob } from './job';
import { type Mail, startMailbox } from './mailbox';

const MINUTES = 60_000;
/** A poll each minute, and the watermark is a minute behind. */
const PATIENCE = { timeoutMs: 5 * MINUTES, everyMs: 500 };
const ASSETS = generateAssets(40);
const CURABLE = { errorCode: 'InternalError', vendorErrorCode: 'E-7' };

// Before n8n, so that it ends first.
const stopped = endAfterAll();
const world = useWorld();

/** A network of its own for each test: they run at the same time, since each waits for polls. */
async function startNetwork() {
	const simulator = stopped(await startSimulator({ assets: ASSETS.length }));
	const left = pairs();
	let lastTime = 0;
	const now = () => {
		lastTime = Math.max(Date.now(), lastTime + 1);
		return lastTime;
	};
	/** Nothing is delivered, since the trigger reads the list. */
	const emit = async (message: Message, atMs: number, lateByMinutes = 0) => {
		const createdAt = new Date(atMs).toISOString();
		const { type, data } = message(new Date(atMs - lateByMinutes * MINUTES).toISOString());
		await simulator.emit({ type, data, createdAt }, { deliver: false });
	};
	const stationOf = (asset: Asset) => new Station(asset, createRandom(0), 10_000);
	return {
		simulator,
		/** The next two stations, one of each version, whose names mails show as they are. */
		nextPair: (): [Station, Station] => {
			const next = left.next();
			if (next.done) throw new Error('There are no more stations.');
			const [older, newer] = next.value;
			return [stationOf(older), stationOf(newer)];
		},
		/** The stations send this now, one after the other. */
		send: async (...messages: readonly (Message | undefined)[]): Promise<void> => {
			for (const message of messages) if (message) await emit(message, now());
		},
		/** A station sends this now, which happened before: it had no connection. */
		sendLate: async (message: Message, minutes: number): Promise<void> => {
			await emit(message, now(), minutes);
		},
	};
}

function* pairs(): Generator<readonly [Asset, Asset], undefined> {
	const of = (version: string) =>
		ASSETS.filter(
			({ chargingStation: { protocol, name } }) => protocol === version && /^[\w ]+$/.test(name),
		);
	const [older, newer] = [of('OCPP_1_6'), of('OCPP_2_0_1')];
	for (const [n, asset] of older.entries()) {
		const other = newer[n];
		if (other) yield [asset, other];
	}
}

const nameOf = ({ asset }: Station) => asset.chargingStation.name;

/** Waits until the mails hold each of the texts. */
async function mailsWith(mails: readonly Mail[], texts: readonly string[]): Promise<void> {
	const all = () => mails.map(({ subject, lines }) => [subject, ...lines].join('\n')).join('\n');
	await waitFor(() => texts.every((text) => all().includes(text)), {
		...{ what: `mails with ${texts.join(', ')}`, ...PATIENCE },
	});
}

it.concurrent(
	'offline-alarm.json raises an alarm for stations of both versions, and reports their return',
	async () => {
		const { simulator, nextPair, send } = await startNetwork();
		const mailbox = stopped(await startMailbox());
		const trigger = { forMinutes: 0, options: { resolveAfterMinutes: 0 } };
		stopped(await publishJob(world, simulator, 'offline-alarm.json', { trigger, mailbox }));
		const stations = nextPair();
		await send(...stations.map((station) => station.connectivity('DISCONNECTED')));
		await mailsWith(
			mailbox.mails,
			stations.map((station) => `${nameOf(station)}, offline since `),
		);
		await send(...stations.map((station) => station.connectivity('CONNECTED')));
		const isBack = (station: Station) =>
			mailbox.mails
				.flatMap(({ lines }) => lines)
				.some((line) => line.startsWith(`${nameOf(station)}, `) && line.includes('back since'));
		await waitFor(() => stations.every(isBack), { what: 'recovery notices', ...PATIENCE });
	},
);

it.concurrent('stuck-status.json reports a connector that stays in a status', async () => {
	const { simulator, nextPair, send } = await startNetwork();
	const mailbox = stopped(await startMailbox());
	const trigger = { forMinutes: 0 };
	stopped(await publishJob(world, simulator, 'stuck-status.json', { trigger, mailbox }));
	const [older, newer] = nextPair();
	await send(older.status(1, 'Reserved'), newer.status(1, 'Unavailable'));
	await mailsWith(mailbox.mails, [
		`${nameOf(older)}, connector 1: Reserved since `,
		`${nameOf(newer)}, connector 1/1: Unavailable since `,
	]);
});

it.concurrent('repeated-faults.json reports a station with three faults, once', async () => {
	const { simulator, nextPair, send } = await startNetwork();
	const mailbox = stopped(await startMailbox());
	stopped(await publishJob(world, simulator, 'repeated-faults.json', { mailbox }));
	const stations = nextPair();
	for (let times = 0; times < 3; times++) {
		for (const station of stations) {
			await send(station.status(1, 'Faulted', CURABLE), station.status(1, 'Available'));
		}
	}
	await mailsWith(
		mailbox.mails,
		stations.map((station) => `${nameOf(station)}: 3 faults`),
	);
	expect(mailbox.mails).toHaveLength(stations.length);
});

const withCommands =
	({ baseUrl }: Simulator) =>
	(node: FileNode) =>
		enabledCommands(node, baseUrl);
const commandsOf = (simulator: Simulator, { id }: Station) =>
	simulator.stats.commands.filter(({ assetId }) => assetId === id);

it.concurrent(
	'fault-to-reset.json resets a station of either version, once for all its faults',
	async () => {
		const { simulator, nextPair, send } = await startNetwork();
		stopped(
			await publishJob(world, simulator, 'fault-to-reset.json', {
				change: withCommands(simulator),
			}),
		);
		const stations = nextPair();
		const [uncurable] = nextPair();
		const ground = { errorCode: 'GroundFailure', vendorErrorCode: 'E-031' };
		await send(uncurable.status(1, 'Faulted', ground));
		for (const station of stations) {
			await send(station.status(1, 'Faulted', CURABLE), station.status(1, 'Available'));
			await send(station.status(1, 'Faulted', CURABLE));
		}
		await waitFor(() => stations.every((station) => commandsOf(simulator, station).length > 0), {
			...{ what: 'the resets', ...PATIENCE },
		});
		for (const station of stations) {
			expect(commandsOf(simulator, station)).toMatchObject([
				{ action: 'Reset', requests: 1, executed: 1 },
			]);
		}
		expect(commandsOf(simulator, uncurable)).toEqual([]);
		// A station that does not know the type of a reset responds with an error.
		const responses = simulator.events.map(({ data }) => data['messageType']);
		expect(responses).toContain('CALL_RESULT');
	},
);

it.concurrent(
	'command-confirmed.json reports the response of a station of either version, and can be called',
	async () => {
		const { simulator, nextPair, send } = await startNetwork();
		const { client } = world;
		const mailbox = stopped(await startMailbox());
		const file = 'command-confirmed.json';
		const options = { change: withCommands(simulator), mailbox };
		const job = stopped(await publishJob(world, simulator, file, options));
		const [older, newer] = nextPair();
		simulator.setStation(newer.id, { commands: 'rejected' });
		await send(older.status(1, 'Faulted', CURABLE), newer.status(1, 'Faulted', CURABLE));
		await mailsWith(mailbox.mails, [
			`${nameOf(older)}: Reset accepted`,
			`${nameOf(newer)}: Reset rejected`,
		]);

		const inputs = {
			...{ requestId: 'own_1', assetId: older.id, action: 'Reset' },
			payload: '={{ { type: "Hard" } }}',
		};
		const caller = await client.createWorkflow(
			buildWorkflow({
				nodes: {
					Start: { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1 },
					Call: {
						type: 'n8n-nodes-base.executeWorkflow',
						typeVersion: 1.2,
						parameters: {
							workflowId: { __rl: true, mode: 'id', value: job.workflowId },
							workflowInputs: { mappingMode: 'defineBelow', value: inputs },
						},
					},
				},
				chains: [['Start', 'Call']],
			}),
		);
		const execution = await client.waitForExecution(await client.runManually(caller.id, 'Start'));
		expect(execution.data.resultData.error).toBeUndefined();
		expect(itemsOf(execution, 'Call').map(({ json }) => json)).toMatchObject([
			{ requestId: 'own_1', assetId: older.id, outcome: 'accepted', detail: 'Accepted' },
		]);
	},
);

it.concurrent(
	'sessions-to-table.json writes a row for each session, and energy-chart.json draws their energy',
	async () => {
		const { simulator, nextPair, sendLate } = await startNetwork();
		stopped(await publishJob(world, simulator, 'sessions-to-table.json'));
		const stations = nextPair();
		for (const [n, station] of stations.entries()) {
			const transactionId = 501 + n;
			const of = { connector: 1, transactionId, idTag: 'TAG1', meterStartWh: 1000 };
			const session = station.session(of);
			await sendLate(session.started(), 40);
			await sendLate(session.measured({ registerWh: 5000, kilowatts: 11 }), 20);
			await sendLate(session.ended(8500, 'Local'), 0);
		}
		const rows = await waitFor(
			async () => {
				const found = await world.client.tableRows('Charging sessions');
				return found.length >= stations.length ? found : undefined;
			},
			{ what: 'the rows', ...PATIENCE },
		);
		const byName = (row: Readonly<Record<string, unknown>>) => String(row['station']);
		const expected = stations.map((station, n) => ({
			...{ assetId: station.id, station: nameOf(station), connector: n === 0 ? '1' : '1/1' },
			...{ energyKwh: 7.5, meterStartWh: 1000, meterStopWh: 8500, reason: 'Local' },
		}));
		const sorted = rows.toSorted((a, b) => byName(a).localeCompare(byName(b)));
		expect(sorted).toMatchObject(expected.toSorted((a, b) => byName(a).localeCompare(byName(b))));

		stopped(await publishJob(world, simulator, 'energy-chart.json'));
		const page = await pageAt('energy-chart');
		expect(page).toContain('15.0 kWh in the last 30 days');
		expect(page.match(/<rect /g)).toHaveLength(30);
	},
);

it.concurrent('station-board.json serves a page with all connectors', async () => {
	const { simulator } = await startNetwork();
	stopped(await publishJob(world, simulator, 'station-board.json'));
	const page = await pageAt('station-board');
	const connectors = ASSETS.flatMap(({ chargingStation }) => chargingStation.connectors);
	expect(page).toContain(`${ASSETS.length} stations`);
	expect(page.match(/<li>/g)).toHaveLength(connectors.length);
});

it.concurrent('firmware-drift.json groups the stations of both versions by firmware', async () => {
	const { simulator } = await startNetwork();
	const execution = await runExample(world.client, simulator, 'firmware-drift.json');
	const groups = itemsOf(execution, 'Group by firmware').map(({ json }) => json);
	const count = groups.reduce((sum, { count_id: stations }) => sum + Number(stations), 0);
	expect(count).toBe(ASSETS.length);
	const keys = ASSETS.map(({ chargingStation: { manufacturingInfo } }) =>
		Object.values(manufacturingInfo).join(' '),
	);
	expect(groups).toHaveLength(new Set(keys).size);
});

async function pageAt(path: string): Promise<string> {
	const response = await waitFor(
		async () => {
			const got = await fetch(`${world.url}/webhook/${path}`);
			return got.status === 404 ? undefined : got;
		},
		{ what: `the page ${path}`, timeoutMs: MINUTES },
	);
	expect(response.status).toBe(200);
	expect(response.headers.get('content-type')).toContain('text/html');
	return await response.text();
}
