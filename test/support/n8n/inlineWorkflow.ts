/** Runs a workflow inside another one, written out in its Execute Workflow node, as any member of an n8n can. */
import { randomUUID } from 'node:crypto';
import type { Execution, Item, Workflow } from './answers';
import type { N8nClient } from './rest';

/** Feeds `item` to the nodes of `target`, under its id, in a workflow of somebody else's; gives that execution. */
export async function runInline(
	client: N8nClient,
	target: Pick<Workflow, 'id' | 'nodes'>,
	item: Item['json'],
): Promise<Execution> {
	const start = 'When called';
	const inline = {
		id: target.id,
		name: 'Inline',
		settings: { executionOrder: 'v1' },
		nodes: [
			node(start, 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }),
			...target.nodes,
		],
		connections: { [start]: { main: [target.nodes.map(({ name }) => to(name))] } },
	};
	const outer = await client.createWorkflow({
		name: 'Of somebody else',
		nodes: [
			node('Start', 'manualTrigger', 1, {}),
			node('Item', 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify(item), options: {} }),
			node('Call', 'executeWorkflow', 1.2, {
				source: 'parameter',
				workflowJson: JSON.stringify(inline),
				options: { waitForSubWorkflow: true },
			}),
		],
		connections: { Start: { main: [[to('Item')]] }, Item: { main: [[to('Call')]] } },
	});
	return await client.waitForExecution(await client.runManually(outer.id, 'Start'));
}

function node(name: string, type: string, typeVersion: number, parameters: object): unknown {
	const whole = `n8n-nodes-base.${type}`;
	return { id: randomUUID(), name, type: whole, typeVersion, position: [0, 0], parameters };
}

function to(name: string): unknown {
	return { node: name, type: 'main', index: 0 };
}
