/** Executes one node manually, in its own workflow. */
import type { Execution } from '../../support/n8n/responses';
import type { World } from '../../support/n8n/world';
import { manualTrigger } from '../../support/nodes';
import { buildWorkflow, type NodePlan } from '../../support/workflow';

export const NODE = 'Node';
const START = 'Start';

/** Returns the execution when it has ended; the output of the node is that of `NODE`. */
export async function runByHand({ client }: World, node: NodePlan): Promise<Execution> {
	const { id } = await client.createWorkflow(
		buildWorkflow({ nodes: { [START]: manualTrigger, [NODE]: node }, chains: [[START, NODE]] }),
	);
	return await client.waitForExecution(await client.runManually(id, START));
}
