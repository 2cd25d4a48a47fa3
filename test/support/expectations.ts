/** What every fault test expects at its end: each event acknowledged by the trigger, run, and run once. */
import type { N8nClient } from './n8n/rest';
import { waitForRuns } from './n8n/runs';
import type { Sending } from './sender';

/** By the trigger itself: a 200 of n8n's own, or of anybody between, would hide a loss. */
export function expectAcknowledged(sendings: readonly Sending[]): void {
	const others = sendings.filter(
		({ attempts, acknowledged }) =>
			!acknowledged || !['accepted', 'duplicate'].includes(attempts.at(-1)?.outcome ?? ''),
	);
	expect(others).toEqual([]);
}

/** Waits until the runs are over: every event has run, none twice, and there are no other runs. */
export async function expectOneRunEach(
	client: N8nClient,
	workflowId: string,
	sendings: readonly Sending[],
): Promise<void> {
	expectAcknowledged(sendings);
	const events = [...new Map(sendings.map(({ event }) => [event.id, event])).values()];
	const runs = await waitForRuns(client, workflowId, events.length);
	expect(runs.lost(events)).toEqual([]);
	expect(runs.doubled(events)).toEqual([]);
	expect(runs.all).toHaveLength(events.length);
}
