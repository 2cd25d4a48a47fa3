/** Runs one node by hand, in a workflow of its own. */
import type { Execution } from '../../support/n8n/answers';
import type { World } from '../../support/n8n/world';
import { manualTrigger } from '../../support/nodes';
import { buildWorkflow, type NodePlan } from '../../support/workflow';

export const NODE = 'Node';
const START = 'Start';

/** Gives the execution when it has ended; what the node put out is that of `NODE`. */
export async function runByHand({ client }: World, node: NodePlan): Promise<Execution> {
	const { id } = await client.createWorkflow(
		buildWorkflow({ nodes: { [START]: manualTrigger, [NODE]: node }, chains: [[START, NODE]] }),
	);
	return await client.waitForExecution(await client.runManually(id, START));
}
