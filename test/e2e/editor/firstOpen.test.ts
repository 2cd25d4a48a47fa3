/** What a user sees first in n8n's editor, in a real browser: the search for nodes, the subtitles, and the fields of a trigger. */
import { AssetServiceTrigger } from '../../../nodes/AssetServiceTrigger/AssetServiceTrigger.node';
import { startSimulator } from '../../../simulator';
import { useForAll } from '../../support/lifetime';
import { openEditor } from '../../support/n8n/browser';
import { apiCredential } from '../../support/n8n/credentials';
import { useWorld } from '../../support/n8n/useWorld';
import { eventTrigger, manualTrigger, STATION_TRIGGER_TYPE } from '../../support/nodes';
import { waitFor } from '../../support/wait';
import { buildWorkflow } from '../../support/workflow';

const world = useWorld();
const simulator = useForAll(() => startSimulator());
const editor = useForAll(() => openEditor(world));

afterEach(() => {
	expect(editor.errors).toEqual([]);
});

const STATION_TRIGGER = /^Asset Service Station( Trigger)?$/;
const ACTIONS = /^Asset Service$/;
/** What operators type, and the node that does it. */
const PHRASES: readonly (readonly [phrase: string, node: RegExp])[] = [
	...[
		...['station offline', 'charger down', 'offline charger', 'connector fault', 'stuck connector'],
		...['charging session', 'EV charging', 'OCPP'],
	].map((phrase) => [phrase, STATION_TRIGGER] as const),
	...['uptime report', 'charger status', 'energy report', 'missed events'].map(
		(phrase) => [phrase, ACTIONS] as const,
	),
];
/** One word says less: the node is in the list. */
const WORDS: readonly (readonly [word: string, node: RegExp])[] = [
	...['offline', 'fault', 'outage', 'session', 'energy', 'uptime'].map(
		(word) => [word, STATION_TRIGGER] as const,
	),
	...['uptime', 'energy', 'status', 'outage'].map((word) => [word, ACTIONS] as const),
];

describe.each(['an empty workflow', 'a workflow with a trigger'])('the search in %s', (place) => {
	beforeAll(async () => {
		const { page } = editor;
		if (place === 'an empty workflow') {
			await page.goto(`${world.url}/workflow/new`);
			await page.getByTestId('canvas-add-button').getByRole('button').first().click();
		} else {
			const { id } = await world.client.createWorkflow(
				buildWorkflow({ nodes: { Start: manualTrigger } }),
			);
			await editor.openWorkflow(id);
			await page.getByTestId('node-creator-plus-button').click();
		}
		await page.getByTestId('node-creator-search-bar').waitFor();
	});

	/** Waits until the names in the list, which the editor filters a moment later, are as wanted. */
	const searched = async (text: string, isWanted: (names: readonly string[]) => boolean) => {
		const search = editor.page.getByTestId('node-creator-search-bar');
		const items = editor.page.getByTestId('node-creator-item-name');
		// Otherwise, what the phrase before has found could be taken for it.
		await search.fill('qqqqqqqq');
		await waitFor(async () => (await items.count()) === 0, { what: 'an empty list' });
		await search.fill(text);
		let names: readonly string[] = [];
		const look = async () => {
			names = (await items.allInnerTexts()).map((name) => name.trim());
			return isWanted(names);
		};
		await waitFor(look, { what: `"${text}" to find it`, detail: () => names.join(', ') });
	};

	it.each(PHRASES)('finds for "%s" the right node first or second', async (phrase, node) => {
		await searched(phrase, (names) => names.slice(0, 2).some((name) => node.test(name)));
	});

	it.each(WORDS)('finds for "%s" %s', async (word, node) => {
		await searched(word, (names) => names.some((name) => node.test(name)));
	});
});

it('says in the list what its triggers and its actions do', async () => {
	const { page } = editor;
	await page.goto(`${world.url}/workflow/new`);
	await page.getByTestId('canvas-add-button').getByRole('button').first().click();
	await page.getByTestId('node-creator-search-bar').fill('uptime report');
	await page.getByText(new AssetServiceTrigger().description.description).first().waitFor();
});

it('the station trigger opens with few fields, and shows a setting that its workflow has', async () => {
	const { client } = world;
	const api = await client.createCredential(apiCredential(simulator));
	const type = { type: STATION_TRIGGER_TYPE, typeVersion: 1, credentials: [api] };
	const faults = {
		condition: [
			{ field: 'data.action', operator: 'equals', value: 'StatusNotification' },
			{ field: 'data.payload.status', operator: 'equals', value: 'Faulted' },
		],
	};
	const { id } = await client.createWorkflow(
		buildWorkflow({
			nodes: {
				New: { ...type, parameters: {} },
				'With settings': {
					...type,
					parameters: {
						...{ forMinutes: 1, resolveAfterMinutes: 0 },
						...{ delivery: 'immediate', acknowledge: 'succeeded' },
					},
				},
				Webhook: eventTrigger({ conditions: faults }),
			},
		}),
	);
	await editor.openWorkflow(id);
	for (const text of ['Offline for 1 minute', 'StatusNotification, Faulted']) {
		await editor.page.getByText(text, { exact: true }).waitFor();
	}
	const labelsOf = async (node: string) => {
		const panel = await editor.openNode(node);
		const labels = panel.getByTestId('node-parameters').getByTestId('input-label');
		await labels.getByText('Report When Resolved').waitFor();
		const found = (await labels.allInnerTexts()).map((text) => text.trim());
		await editor.closeNode();
		// Between Poll Times and n8n's own settings.
		return found.slice(found.indexOf('Trigger On'), found.indexOf('Options') + 1);
	};
	const own = ['Trigger On', 'Report After (Minutes)', 'Report When Resolved', 'Options'];
	expect(await labelsOf('New')).toEqual(own);
	expect(await labelsOf('With settings')).toEqual([
		...own.slice(0, -1),
		...['Resolve After (Minutes)', 'Executions', 'If the Execution Fails', 'Options'],
	]);
});
