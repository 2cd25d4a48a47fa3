/** The picture at the top of the README: three deliveries of one event with n8n's responses, and the execution that they started. */
import type { DeliveredEvent } from '../../simulator';
import type { Workflow } from '../../test/support/n8n/responses';
import { TRIGGER } from '../../test/support/nodes';
import { waitFor } from '../../test/support/wait';
import type { Camera } from './camera';
import { SIGNING_SECRET, type Studio } from './studio';

const WIDTH = 1000;
const DELIVERIES = 3;

const STYLE = `
	body { margin: 0; background: white; }
	main { display: flex; gap: 16px; padding: 16px; align-items: flex-start; font: 14px/1.5 sans-serif; color: #333; }
	h2 { margin: 0 0 8px; font-size: 15px; }
	table { border-collapse: collapse; width: 100%; }
	td, th { font-size: 14px; text-align: left; padding: 6px 8px; border-bottom: 1px solid #ddd; }
	td { font-family: monospace; }
	.arrow { font-size: 36px; color: #999; align-self: center; }
	img { width: 520px; border: 1px solid #ddd; border-radius: 6px; }
`;

export async function takeOneExecution(
	name: string,
	camera: Camera,
	{ world, editor, simulator }: Studio,
	workflow: Workflow,
	event: DeliveredEvent,
): Promise<void> {
	const { client } = world;
	await client.activate(workflow.id);
	const url = await client.webhookUrl(workflow, TRIGGER);
	const rows: string[] = [];
	await waitFor(
		async () => {
			const { status, body } = await simulator.deliver(url, SIGNING_SECRET, event);
			// n8n does not know the URL for a moment after publishing.
			if (status !== 404) rows.push(`<tr><td>${event.id}</td><td>${status} ${body}</td></tr>`);
			return rows.length === DELIVERIES || undefined;
		},
		{ what: `${DELIVERIES} deliveries` },
	);

	const { page } = editor;
	await page.setViewportSize({ width: 1100, height: 420 });
	await page.goto(`${world.server.url}/workflow/${workflow.id}/executions`);
	await page.getByTestId('current-executions-list').getByText('Succeeded').waitFor();
	await page.getByTestId('execution-preview-label').waitFor();
	const executions = await camera.lookAt('executions-sidebar', 'execution-preview-host');
	await camera.takePage(
		name,
		`<style>${STYLE}</style><main>
			<section><h2>${DELIVERIES} deliveries of one event, and n8n's responses</h2>
				<table><tr><th>Event ID</th><th>Response</th></tr>${rows.join('')}</table></section>
			<div class="arrow">→</div>
			<section><h2>1 execution</h2><img src="${executions}"></section>
		</main>`,
		WIDTH,
	);
}
