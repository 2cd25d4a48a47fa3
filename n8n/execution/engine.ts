/** Rejects the n8n engine in which a trigger cannot keep its guarantee. */
import { type FunctionsBase, NodeOperationError } from 'n8n-workflow';

/** Older versions of n8n do not expose the settings, and have no other engine. */
type SettingsContext = Pick<FunctionsBase, 'getNode'> &
	Partial<Pick<FunctionsBase, 'getWorkflowSettings'>>;

/**
 * Call when a trigger is published. n8n's engine 2.0 never calls a trigger's `execute`, so no run would ask the ledger
 * whether another one has begun its events.
 * @throws {NodeOperationError} if the workflow runs in that engine.
 */
export function refuseEngine2(context: SettingsContext): void {
	if (context.getWorkflowSettings?.().engineType !== 'v2') return;
	// In the message, since n8n shows nothing else of a failed publication.
	throw new NodeOperationError(
		context.getNode(),
		"This trigger does not work with n8n's engine 2.0, which skips the check for duplicates. Select the default engine in the workflow settings (engineType: v1), then publish again",
	);
}
