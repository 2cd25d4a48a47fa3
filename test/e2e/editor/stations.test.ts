/** Questions about stations in n8n's editor, as a user asks them: a node each and no code, and tests with real incidents that act on nothing. */
import type { Locator } from 'playwright-core';
import { startSimulator } from '../../../simulator';
import { useForAll } from '../../support/lifetime';
import { openEditor } from '../../support/n8n/browser';
import { apiCredential } from '../../support/n8n/credentials';
import { EXAMPLES, example, runExample } from '../../support/n8n/examples';
import { itemsOf, WorkflowFileShape } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import { ACTION_TYPE, STATION_TRIGGER_TYPE } from '../../support/nodes';
import { tellStations } from '../../support/stationStory';
import { waitFor } from '../../support/wait';
import { buildWorkflow } from '../../support/workflow';
import { enabledCommands } from '../operatorJobs/commands';

const MINUTE = 60_000;
const STATIONS = 12;
const TRIGGER = 'Asset Service Station Trigger';
const ONLY = 'Only these stations';
const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';

const world = useWorld();
const simulator = useForAll(() => startSimulator({ assets: STATIONS }));
const editor = useForAll(() => openEditor(world));
let credential: Awaited<ReturnType<typeof world.client.createCredential>>;

/** Of the faulted station, and of the offline one. */
let [faulted, offline] = ['', ''];

beforeAll(async () => {
	credential = await world.client.createCredential(apiCredential(simulator));
	[faulted, offline] = (await tellStations(simulator)).map(({ name }) => name) as [string, string];
});
afterEach(() => {
	expect(editor.errors).toEqual([]);
});

interface Plan {
	readonly operation: string;
	readonly labels: readonly string[];
	readonly columns: readonly string[];
	readonly output: () => readonly string[];
}

const PERIOD = ['Stations', 'Asset IDs', 'Created After', 'Created Before', 'Look Back (Hours)'];
const PLANS: readonly Plan[] = [
	{
		operation: 'getIncidents',
		labels: ['Incident', 'Report After (Minutes)', ...PERIOD],
		columns: ['station', 'stationId', 'connector', 'since', 'minutes'],
		output: () => ['2 items', faulted, offline, 'DISCONNECTED'],
	},
	{
		operation: 'getSessions',
		labels: ['Include Open Sessions', ...PERIOD],
		columns: [
			'station',
			'stationId',
			'connector',
			'startedAt',
			'stoppedAt',
			'minutes',
			'energyKwh',
		],
		output: () => ['1 item', faulted, '7.5'],
	},
	{
		operation: 'getUptime',
		labels: ['Per', 'Split By', 'Count Unavailable', 'Unknown Counts As', 'Exclusions', ...PERIOD],
		columns: ['station', 'stationId', 'port', 'connector'],
		output: () => [faulted, offline],
	},
	{
		operation: 'getStatus',
		labels: ['Asset IDs', 'Look Back (Hours)'],
		columns: ['station', 'stationId', 'status', 'since', 'minutes', 'connected'],
		output: () => ['12 items', faulted, 'faulted', 'offline'],
	},
];

describe('in the panels of a workflow', () => {
	beforeAll(async () => {
		const nodes = {
			...Object.fromEntries(
				PLANS.map(({ operation }) => [
					operation,
					{
						...{ type: ACTION_TYPE, typeVersion: 1, credentials: [credential] },
						parameters: { resource: 'station', operation },
					},
				]),
			),
			[ONLY]: {
				...{ type: STATION_TRIGGER_TYPE, typeVersion: 1, credentials: [credential] },
				parameters: { triggerOn: 'stationOffline', options: { onlyStations: { station: [{}] } } },
			},
			[TRIGGER]: {
				...{ type: STATION_TRIGGER_TYPE, typeVersion: 1, credentials: [credential] },
				parameters: {
					triggerOn: 'stationOffline',
					options: { testWith: { __rl: true, mode: 'list', value: 'newest' } },
				},
			},
		};
		const { id } = await world.client.createWorkflow(buildWorkflow({ nodes }));
		await editor.openWorkflow(id);
	});

	it.each(PLANS)(
		'$operation answers without any setting, with what people read first in front',
		async ({ operation, labels, columns, output }) => {
			const panel = await editor.openNode(operation);
			const parameters = panel.getByTestId('node-parameters');
			for (const label of labels) {
				await parameters.getByText(label, { exact: true }).first().waitFor();
			}
			await panel.getByTestId('node-execute-button').click();
			const shown = panel.getByTestId('output-panel');
			await shown.getByTestId('radio-button-table').click();
			for (const text of output()) await shown.getByText(text).first().waitFor();
			const headers = await shown.locator('th').allInnerTexts();
			expect(headers.slice(0, columns.length)).toEqual(columns);
			await editor.closeNode();
		},
	);

	it('tests the trigger with the newest incident of the past, and says what would have been reported', async () => {
		const panel = await editor.openNode(TRIGGER);
		await panel.getByTestId('trigger-execute-button').first().click();
		const shown = panel.getByTestId('output-panel');
		await shown
			.getByText(
				'In the last 20 hours, as far back as the list goes, these settings would have reported 2 incidents of 2 stations.',
			)
			.first()
			.waitFor();
		await shown.getByTestId('radio-button-table').click();
		await shown.getByText(offline).first().waitFor();
		const headers = await shown.locator('th').allInnerTexts();
		expect(headers.slice(0, 4)).toEqual(['station', 'connector', 'since', 'minutes']);
		expect(headers).toContain('test');
		await editor.closeNode();
	});

	/** In the row that is open. */
	const select = async (panel: Locator, name: string) => {
		await panel.getByTestId('resource-locator-assetId').last().getByTestId('rlc-input').click();
		const choices = editor.page.getByTestId('rlc-item');
		await choices.nth(STATIONS - 1).waitFor();
		const names = await choices.allInnerTexts();
		expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
		const [first = '', ...words] = name.split(' ');
		await editor.page.getByTestId('rlc-search').fill([...words, first.toLowerCase()].join(' '));
		await choices.nth(STATIONS - 1).waitFor({ state: 'hidden' });
		await choices.filter({ hasText: name }).first().click();
	};

	it('asks about stations that are selected by name, one after the other', async () => {
		const panel = await editor.openNode('getStatus');
		const shown = panel.getByTestId('output-panel');
		for (const [n, name] of [faulted, offline].entries()) {
			await panel.getByText('Add station').last().click();
			await select(panel, name);
			await panel.getByTestId('node-execute-button').click();
			await shown
				.getByText(n === 0 ? '1 item' : '2 items')
				.first()
				.waitFor();
			await shown.getByText(name).first().waitFor();
		}
		await editor.closeNode();
	});

	it('tests the trigger with the stations that are selected by name', async () => {
		const panel = await editor.openNode(ONLY);
		await select(panel, faulted);
		await panel.getByTestId('trigger-execute-button').first().click();
		const shown = panel.getByTestId('output-panel');
		await shown.getByText('would have reported 1 incident of 1 station.').first().waitFor();
		await shown.getByTestId('radio-button-table').click();
		await shown.getByText(faulted).first().waitFor();
		await editor.closeNode();
	});

	it('tests the trigger with an incident that is chosen from a searchable list', async () => {
		const panel = await editor.openNode(TRIGGER);
		await panel.getByTestId('resource-locator-testWith').getByTestId('rlc-input').click();
		const choices = editor.page.getByTestId('rlc-item');
		await choices.nth(2).waitFor();
		const time = '\\d+ \\w+ \\d\\d:\\d\\d';
		expect(await choices.allInnerTexts()).toEqual([
			'Newest',
			expect.stringMatching(new RegExp(`^${offline}, DISCONNECTED, ${time}, \\d+ min$`)),
			expect.stringMatching(new RegExp(`^${faulted}, DISCONNECTED, ${time}, 30 min$`)),
		]);
		await editor.page.getByTestId('rlc-search').fill(faulted);
		await choices.nth(1).waitFor({ state: 'hidden' });
		await choices.first().click();
		await panel.getByTestId('trigger-execute-button').first().click();
		const shown = panel.getByTestId('output-panel');
		await shown.getByTestId('radio-button-table').click();
		await shown.getByText(faulted).first().waitFor();
		await editor.closeNode();
	});
});

const parsed = EXAMPLES.map((file) => ({ file, ...WorkflowFileShape.parse(example(file)) }));
const acting = parsed.filter(({ nodes }) =>
	[STATION_TRIGGER_TYPE, HTTP_REQUEST].every((wanted) => nodes.some(({ type }) => type === wanted)),
);

it.each(acting)(
	'"Execute workflow" in $file, set up as its note says, asks the service to do nothing',
	async ({ file: _file, ...content }) => {
		const { client } = world;
		const nodes = content.nodes.map((node) => {
			const enabled = enabledCommands(node, simulator.baseUrl);
			const name = {
				credentials: { [credential.type]: { id: credential.id, name: credential.name } },
			};
			const isOurs = [HTTP_REQUEST, STATION_TRIGGER_TYPE].includes(node.type);
			return isOurs ? { ...enabled, ...name } : enabled;
		});
		const { id } = await client.importWorkflow({ ...content, nodes });
		await editor.openWorkflow(id);
		// It is in front only while the mouse is over the trigger.
		const button = editor.page.getByTestId(`execute-workflow-button-${TRIGGER}`);
		await button.dispatchEvent('click');
		const [{ id: run } = { id: '' }] = await waitFor(
			async () => {
				const listed = await client.listExecutions({ workflowId: id });
				return listed.length > 0 ? listed : undefined;
			},
			{ what: 'the execution', timeoutMs: 2 * MINUTE },
		);
		const execution = await client.waitForExecution(run);
		expect(execution.status).toBe('success');
		const [tested] = itemsOf(execution, TRIGGER);
		expect(tested?.json).toMatchObject({ test: true, station: { name: faulted } });
		expect(simulator.stats.commands).toEqual([]);
	},
);

describe('the examples about the past', () => {
	it.each(['outages-of-yesterday.json', 'sessions-of-month.json'])('%s runs', async (file) => {
		await runExample(world.client, simulator, file);
	});
});
