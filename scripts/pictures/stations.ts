/** The pictures of questions about stations, and of a trigger that is tested with a real incident. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ACTION_TYPE, manualTrigger } from '../../test/support/nodes';
import { tellStations } from '../../test/support/stationStory';
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

export const STATION_PANELS: Readonly<Record<string, Shoot>> = {
	'station-trigger': tested,
	'get-incidents': asked('getIncidents', 'Get incidents'),
	'get-sessions': asked('getSessions', 'Get sessions'),
	'get-uptime': asked('getUptime', 'Get uptime'),
	'get-status': asked('getStatus', 'Get status'),
	// Last: the others would show this outage, too.
	'demo-incident': demoIncident,
};
