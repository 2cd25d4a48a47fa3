/** Commits an event as soon as its run begins, which is when n8n has surely stored it. */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { ledgerKey, openLedger } from '../../lib/ledger';

/** A token that no claim has: the claim is another's, in the process that received the event. */
const NO_CLAIM = 'run';

/**
 * Commits the events of a run that has begun, in whatever process it runs; most are committed by then.
 * It matters where the process that held the claim died, and n8n starts the run that it had stored: the next copy
 * of the event is a duplicate. A failure is left to the holder of the claim.
 */
export async function confirmStarted(
	context: IExecuteFunctions,
	items: readonly INodeExecutionData[],
	scope: readonly string[],
	retentionMs: number,
): Promise<void> {
	const ledger = openLedger({
		log: (line) => {
			context.logger.info(line);
		},
	});
	for (const { json } of items) {
		const { id } = json;
		if (typeof id !== 'string' && typeof id !== 'number') continue;
		const key = ledgerKey(scope, String(id));
		try {
			if ((await ledger.look(key)) === 'committed') continue;
			await ledger.commit({ key, token: NO_CLAIM }, retentionMs);
		} catch (error) {
			const reason = error instanceof Error ? error.message : 'unknown error';
			context.logger.warn(
				`${context.getNode().name}: the commit is left to the process that received the event: ${reason}`,
			);
		}
	}
}
