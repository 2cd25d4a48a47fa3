/** What a user sees first in n8n's editor, in a real browser: the search for nodes, the subtitles, and the fields of a trigger. */
import { startSimulator } from '../../../simulator';
import { useForAll } from '../../support/lifetime';
import { openEditor } from '../../support/n8n/browser';
import { apiCredential } from '../../support/n8n/credentials';
import { useWorld } from '../../support/n8n/useWorld';
import { eventTrigger, STATION_TRIGGER_TYPE } from '../../support/nodes';
import { buildWorkflow } from '../../support/workflow';

const world = useWorld();
const simulator = useForAll(() => startSimulator());
const editor = useForAll(() => openEditor(world));

afterEach(() => {
	expect(editor.errors).toEqual([]);
});

it('the search in an empty workflow finds the station trigger first by what stations do', async () => {
	const { page } = editor;
	await page.goto(`${world.url}/workflow/new`);
	const search = page.getByTestId('node-creator-search-bar');
	await page.getByTestId('canvas-add-button').getByRole('button').first().click();
	await search.waitFor();
	for (const word of ['offline', 'fault', 'stuck', 'outage', 'session']) {
		await search.fill(word);
		const first = page.getByTestId('item-iterator-item').first();
		await first.getByText('Asset Service Station').waitFor();
	}
	for (const word of ['energy', 'uptime']) {
		await search.fill(word);
		await page.getByTestId('item-iterator-item').getByText('Asset Service Station').waitFor();
	}
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
					parameters: { forMinutes: 1, delivery: 'immediate', acknowledge: 'succeeded' },
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
	const own = [
		...['Trigger On', 'Report After (Minutes)', 'Resolve After (Minutes)'],
		...['Report When Resolved', 'Options'],
	];
	expect(await labelsOf('New')).toEqual(own);
	expect(await labelsOf('With settings')).toEqual([
		...own.slice(0, -1),
		...['Executions', 'If the Execution Fails', 'Options'],
	]);
});
