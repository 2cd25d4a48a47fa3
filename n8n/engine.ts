/** Refuses the engine of n8n in which a trigger's promise does not hold. */
import { type FunctionsBase, NodeOperationError } from 'n8n-workflow';

/** Older versions of n8n do not show the settings, and have no other engine. */
type Context = Pick<FunctionsBase, 'getNode'> & Partial<Pick<FunctionsBase, 'getWorkflowSettings'>>;

/**
 * To be called when a trigger is published. n8n's engine 2.0 never calls a trigger's `execute`, so no run would ask the
 * ledger whether another one has begun its events.
 * @throws {NodeOperationError} when the workflow runs in that engine.
 */
export function refuseEngine2(context: Context): void {
	if (context.getWorkflowSettings?.().engineType !== 'v2') return;
	// In the message, since a failed publication shows no more than that.
	throw new NodeOperationError(
		context.getNode(),
		"This trigger does not support n8n's engine 2.0, which skips the step that lets each event start only once. Select the default engine in the workflow settings (engineType: v1), then publish again",
	);
}
