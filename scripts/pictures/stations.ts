/** The pictures of questions about stations, and of a trigger that is tested with a real incident. */
import { setTimeout as sleep } from 'node:timers/promises';
import { generateAssets } from '../../simulator/data/assets';
import { createRandom } from '../../simulator/data/random';
import { ACTION_TYPE, manualTrigger } from '../../test/support/nodes';
import { tellStations } from '../../test/support/stationStory';
import { waitFor } from '../../test/support/wait';
import { buildWorkflow } from '../../test/support/workflow';
import { quick } from '../demo/stage';
import type { Camera } from './camera';
import type { Studio } from './studio';

type Shoot = (name: string, camera: Camera, studio: Studio) => Promise<void>;

/** Wide enough for the columns that people read first. */
const SIZE = { width: 1750, height: 900 };
const TRIGGER = 'Asset Service Station Trigger';
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

type Stations = Awaited<ReturnType<typeof tellStations>>;
let told: { readonly of: Studio['simulator']; readonly stations: Promise<Stations> } | undefined;

/** Once for all pictures. */
async function stationsOf({ simulator }: Studio): Promise<Stations> {
	if (told?.of !== simulator) told = { of: simulator, stations: tellStations(simulator) };
	return await told.stations;
}

/** A question about the two stations of the story. */
const asked =
	(operation: string, title: string): Shoot =>
	async (name, camera, studio) => {
		const stations = await stationsOf(studio);
		const assetIds = stations.map(({ id }) => id).join(', ');
		const { id } = await studio.world.client.createWorkflow(
			buildWorkflow({
				name: title,
				nodes: {
					Start: manualTrigger,
					[title]: {
						...{ type: ACTION_TYPE, typeVersion: 1, credentials: [studio.api] },
						parameters: { resource: 'station', operation, assetIds },
					},
				},
				chains: [['Start', title]],
			}),
		);
		const { editor } = studio;
		await editor.openWorkflow(id);
		const panel = await editor.openNode(title);
		await panel.getByTestId('node-execute-button').click();
		const output = panel.getByTestId('output-panel');
		await output.getByTestId('radio-button-table').click();
		await output.getByText(stations[0].name).first().waitFor();
		await camera.takePanel(name, 'ndv', SIZE);
	};

/** The trigger with a real test event, and the hint that says what the settings would have reported. */
const tested: Shoot = async (name, camera, studio) => {
	const [, offline] = await stationsOf(studio);
	const { editor } = studio;
	const { id } = await studio.importExample('offline-alarm.json');
	await editor.openWorkflow(id);
	const panel = await editor.openNode(TRIGGER);
	await panel.getByTestId('trigger-execute-button').first().click();
	const output = panel.getByTestId('output-panel');
	await output.getByTestId('radio-button-table').click();
	await output.getByText(offline.name).first().waitFor();
	await output.getByText('these settings would have reported').first().waitFor();
	await camera.takePanel(name, 'ndv', SIZE);
};

/** The execution that a station started which went offline, as the demo shows it. */
const demoIncident: Shoot = async (name, camera, { world, editor, simulator, api }) => {
	const { client } = world;
	const settings = { forMinutes: 0, pollTimes: { item: [{ mode: 'everyMinute' }] } };
	const { id } = await client.importWorkflow(quick('offline-alarm.json', settings), [api]);
	await client.activate(id);
	// The trigger reports nothing from before the publication.
	await sleep(SECOND_MS);
	const { name: station } = await simulator.happen('offline');
	const [execution] = await client.waitForExecutions({ workflowId: id }, 1, {
		timeoutMs: 4 * MINUTE_MS,
	});
	const { page } = editor;
	await page.goto(`${world.url}/workflow/${id}/executions/${execution?.id}`);
	await page.getByTestId('execution-preview-host').getByTestId('canvas-node').first().dblclick();
	const output = page.getByTestId('ndv').getByTestId('output-panel');
	await output.getByTestId('radio-button-table').click();
	await output.getByText(station).first().waitFor();
	await client.deactivate(id);
	await camera.takePanel(name, 'ndv', SIZE);
};

const PAGE_WIDTH = 760;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_SECONDS = 86_400;

/** The page of the example, with the uptime of a few stations. */
const stationDays: Shoot = async (name, camera, studio) => {
	const { url, client } = studio.world;
	const assets = generateAssets(8);
	const random = createRandom(8);
	const now = Date.now();
	const rows = assets.flatMap(({ id: assetId, chargingStation: { name: station } }) =>
		Array.from({ length: 29 }, (_unused, n) => {
			const day = new Date(now - (n + 1) * 24 * HOUR_MS).toISOString().slice(0, 10);
			const outageSeconds = random.int(8) > 0 ? 0 : random.int(20_000);
			const times = { upSeconds: DAY_SECONDS - outageSeconds, outageSeconds };
			const key = `${assetId}|1|${day}`;
			return { key, day, assetId, station, ...times, excludedOutageSeconds: 0 };
		}),
	);
	const number = 'number' as const;
	const string = 'string' as const;
	await client.createTable('Uptime days', {
		...{ key: string, day: string, assetId: string, station: string },
		...{ upSeconds: number, outageSeconds: number, excludedOutageSeconds: number },
	});
	await client.addTableRows('Uptime days', rows);
	const { id } = await studio.importExample('station-days.json');
	await client.activate(id);
	const page = await waitFor(
		async () => {
			const got = await fetch(`${url}/webhook/station-days`);
			return got.status === 200 ? await got.text() : undefined;
		},
		{ what: 'the page', timeoutMs: MINUTE_MS },
	);
	await client.deactivate(id);
	const body = page.replace('<body>', '<body><main>').replace('</body>', '</main></body>');
	await camera.takePage(name, body, PAGE_WIDTH);
};

export const STATION_PANELS: Readonly<Record<string, Shoot>> = {
	'station-trigger': tested,
	'get-incidents': asked('getIncidents', 'Get incidents'),
	'get-sessions': asked('getSessions', 'Get sessions'),
	'get-uptime': asked('getUptime', 'Get uptime'),
	'get-status': asked('getStatus', 'Get status'),
	'station-days-page': stationDays,
	// Last: the others would show this outage, too.
	'demo-incident': demoIncident,
};
