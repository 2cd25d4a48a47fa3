/** Runs a workflow inside another one, as JSON in its Execute Workflow node, as any member of an n8n instance can. */
import { baseNode, manualTrigger } from '../nodes';
import { buildWorkflow } from '../workflow';
import type { Execution, Item, Workflow } from './responses';
import type { N8nClient } from './rest';

/** Feeds `item` to the nodes of `target`, under its ID, in another user's workflow; returns that execution. */
export async function runInline(
	client: N8nClient,
	target: Pick<Workflow, 'id' | 'nodes'>,
	item: Item['json'],
): Promise<Execution> {
	const start = 'When called';
	const inline = buildWorkflow({
		name: 'Inline',
		nodes: {
			[start]: baseNode('executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }),
		},
		chains: target.nodes.map(({ name }) => [start, name]),
	});
	// The JSON itself says who may call it, whatever the stored workflow says.
	const settings = { ...inline.settings, callerPolicy: 'any' };
	const whole = { ...inline, settings, id: target.id, nodes: [...inline.nodes, ...target.nodes] };
	const outer = await client.createWorkflow(
		buildWorkflow({
			name: 'Of somebody else',
			nodes: {
				Start: manualTrigger,
				Item: baseNode('set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify(item), options: {} }),
				Call: baseNode('executeWorkflow', 1.2, {
					source: 'parameter',
					workflowJson: JSON.stringify(whole),
					options: { waitForSubWorkflow: true },
				}),
			},
			chains: [['Start', 'Item', 'Call']],
		}),
	);
	return await client.waitForExecution(await client.runManually(outer.id, 'Start'));
}
