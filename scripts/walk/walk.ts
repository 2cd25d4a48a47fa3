/** The steps of a new user: installs the package, enters the credential, tests the trigger, publishes, and gets an alarm. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { type Simulator, startSimulator } from '../../simulator';
import { type Asset, generateAssets } from '../../simulator/data/assets';
import { Station } from '../../simulator/data/field/station';
import { createRandom } from '../../simulator/data/random';
import { makeCheckout } from '../../test/support/checkout';
import type { Log } from '../../test/support/log';
import { type Editor, openEditor } from '../../test/support/n8n/browser';
import { itemsOf } from '../../test/support/n8n/responses';
import { createN8nClient, type N8nClient } from '../../test/support/n8n/rest';
import { type N8nServer, startN8n } from '../../test/support/n8n/server';
import { OWNER } from '../../test/support/n8n/world';
import { waitFor } from '../../test/support/wait';
import { installCommands } from './readme';

export interface Step {
	readonly name: string;
	readonly seconds: number;
	/** Clicks, and values that were entered. */
	readonly actions: number;
}

/** As 10,000 stations send 9. */
const EVENTS_PER_SECOND_AND_STATION = 9 / 10_000;
const TRIGGER = 'Asset Service Station Trigger';
const MINUTE_MS = 60_000;

/** Hands that count what they do. */
interface Hands {
	readonly click: (where: Locator) => Promise<void>;
	readonly enter: (where: Locator, value: string) => Promise<void>;
}

/** Times a step, and adds it to the list. */
type Timed = <T>(name: string, work: (hands: Hands) => Promise<T>) => Promise<T>;

/** Before it, n8n with its owner runs in an empty home folder, and a simulated service with this many stations. */
export async function walk(stations: number, log: Log): Promise<Step[]> {
	const steps: Step[] = [];
	const timed: Timed = async (name, work) => {
		let actions = 0;
		const began = performance.now();
		const result = await work({
			async click(where) {
				actions += 1;
				await where.click();
			},
			async enter(where, value) {
				actions += 1;
				await where.fill(value);
			},
		});
		steps.push({ name, seconds: (performance.now() - began) / 1_000, actions });
		log(name);
		return result;
	};
	const endings: (() => unknown)[] = [];
	try {
		await walkOn(stations, timed, endings);
		return steps;
	} finally {
		for (let end = endings.pop(); end; end = endings.pop()) await end();
	}
}

async function walkOn(stations: number, timed: Timed, endings: (() => unknown)[]): Promise<void> {
	const eventsPerSecond = stations * EVENTS_PER_SECOND_AND_STATION;
	const simulator = await startSimulator({
		...{ profile: 'network', assets: stations, eventsPerSecond },
	});
	endings.push(() => simulator.stop());
	const home = mkdtempSync(join(tmpdir(), 'asset-service-walk-'));
	endings.push(() => {
		rmSync(home, { recursive: true, force: true });
	});
	const server = await startN8n({ userFolder: home });
	endings.push(() => server.kill());
	const client = createN8nClient(server.url);
	await client.setUpOwner(OWNER);
	const quiet = quietStation(simulator, stations);

	await install(home, server, timed);
	const editor = await timed('Open the browser and sign in', () =>
		openEditor({ url: server.url, owner: OWNER }),
	);
	endings.push(() => editor.close());
	await connect(editor, server.url, simulator, timed);
	await build(editor, server.url, timed);
	await alarm({ editor, simulator, client, quiet }, timed);
	if (editor.errors.length > 0) throw new Error(`The editor reported: ${editor.errors.join('; ')}`);
}

async function install(home: string, server: N8nServer, timed: Timed): Promise<void> {
	const checkout = makeCheckout();
	try {
		await timed('Install: build the file and install it', async () => {
			const { status, output } = checkout.run(
				'env',
				`HOME=${home}`,
				'sh',
				'-ec',
				installCommands(),
			);
			if (status !== 0) throw new Error(`The commands of the README failed:\n${output}`);
		});
	} finally {
		checkout.remove();
	}
	await timed('Restart n8n', async () => {
		await server.stop();
		await server.start();
	});
}

/** Step 1 of the quick start. */
async function connect(
	{ page }: Editor,
	url: string,
	{ baseUrl, authUrl, audience, clientId, clientSecret }: Simulator,
	timed: Timed,
): Promise<void> {
	await timed('Create the credential, which tests it', async ({ click, enter }) => {
		await page.goto(`${url}/home/credentials`);
		await click(page.getByRole('button', { name: 'Create credential' }).first());
		await enter(page.getByTestId('new-credential-type-select').locator('input'), 'Asset Service');
		const types = page.getByTestId('new-credential-type-select-option');
		await click(types.filter({ hasText: /^\s*Asset Service API\s*$/ }));
		await click(page.getByTestId('new-credential-type-button'));
		const form = page.getByTestId('editCredential-modal');
		const values = { baseUrl, authUrl, audience, clientId, clientSecret };
		for (const [name, value] of Object.entries(values)) {
			await enter(form.getByTestId(`parameter-input-${name}`).locator('input').first(), value);
		}
		await click(form.getByTestId('credential-save-button'));
		await form.getByText('Connection tested successfully').waitFor();
	});
}

/** Step 2, and step 3 as far as the publication. */
async function build({ page }: Editor, url: string, timed: Timed): Promise<void> {
	const creator = page.getByTestId('node-creator-item-name');
	const search = page.getByTestId('node-creator-search-bar');
	const panel = page.getByTestId('ndv');

	await timed('Add the trigger to a new workflow', async ({ click, enter }) => {
		await page.goto(`${url}/workflow/new`);
		await click(page.getByTestId('canvas-plus-button'));
		await enter(search, TRIGGER);
		await click(creator.filter({ hasText: 'Asset Service Station' }).first());
		await click(page.getByText('On connector fault'));
		await panel.waitFor();
	});
	await timed('Fetch Test Event shows a real incident', async ({ click }) => {
		await click(panel.getByTestId('trigger-execute-button').first());
		const output = panel.getByTestId('output-panel');
		await output.getByText('these settings would have reported').first().waitFor();
		await output.getByText('Opened Branch (1 item)').waitFor();
	});
	await timed('Add a node', async ({ click, enter }) => {
		await click(panel.getByTestId('ndv-close-button'));
		await click(page.getByTestId('canvas-handle-plus').first());
		await enter(search, 'No Operation');
		await click(creator.filter({ hasText: 'No Operation' }).first());
		await click(panel.getByTestId('ndv-close-button'));
	});
	await timed('Publish the workflow', async ({ click }) => {
		await click(page.getByTestId('workflow-open-publish-modal-button'));
		await click(page.getByTestId('workflow-publish-button'));
		await click(page.getByTestId('activation-modal').getByText('Got it'));
	});
}

interface AlarmSetting {
	readonly editor: Editor;
	readonly simulator: Simulator;
	readonly client: N8nClient;
	readonly quiet: Asset;
}

/** The rest of step 3. */
async function alarm(setting: AlarmSetting, timed: Timed): Promise<void> {
	const { editor, simulator, client, quiet } = setting;
	const { page } = editor;
	const station = new Station(quiet, createRandom(0), 10_000);
	await timed('A connector faults: one execution with its station', async ({ click }) => {
		const fault = { errorCode: 'GroundFailure', vendorErrorCode: 'walk' };
		const createdAt = new Date().toISOString();
		const message = station.status(1, 'Faulted', fault);
		if (message === undefined) throw new Error('The station sends no status.');
		await simulator.emit({ ...message(createdAt), createdAt }, { deliver: false });
		await click(page.getByTestId('radio-button-executions'));
		const isAlarm = async () => {
			for (const { id, mode } of await client.listExecutions()) {
				if (mode !== 'trigger') continue;
				const [item] = itemsOf(await client.waitForExecution(id), TRIGGER);
				if (JSON.stringify(item?.json).includes(quiet.id)) return true;
			}
			return undefined;
		};
		await waitFor(isAlarm, { what: 'the execution of the alarm', timeoutMs: 5 * MINUTE_MS });
		await page.getByText('Succeeded in').first().waitFor();
	});
}

/** A station of OCPP 1.6 without a fault in the last day. */
function quietStation(simulator: Simulator, stations: number): Asset {
	const troubled = new Set(simulator.incidents(24).map(({ assetId }) => assetId));
	const quiet = generateAssets(stations).find(
		({ id, chargingStation: { protocol } }) => protocol === 'OCPP_1_6' && !troubled.has(id),
	);
	if (quiet === undefined) throw new Error('Every station had an incident.');
	return quiet;
}
