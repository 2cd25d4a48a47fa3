/** Polls for a poll trigger. */
import type { IPollFunctions } from 'n8n-workflow';
import { isWanted } from '../../../lib/event';
import { poll } from '../../../lib/poll';
import type { ApiClient } from '../../../lib/service';
import { recordPublication } from '../../execution/accountAccess';
import { checkConditions } from '../../fields/conditions';
import { runPoll } from '../runPoll';
import { readPollSettings } from './settings';

/** As `runPoll`. Throws for conditions that no event can meet. */
export async function pollEvents(context: IPollFunctions, client: ApiClient): Promise<null> {
	const settings = readPollSettings((parameter, fallback) =>
		context.getNodeParameter(parameter, fallback),
	);
	checkConditions(context.getNode(), settings.conditions);
	const { startFrom, wanted, pageSize, batchSize } = settings;
	return await runPoll(context, async (polling) => {
		const since = startFrom === 'retained' ? 0 : Date.now();
		await recordPublication(context, polling.ledger, 'poll', since);
		return await poll({
			...{ ...polling, client, startFrom, wanted, pageSize, batchSize },
			warn: (message, leftOut) => {
				polling.warn(message);
				if (leftOut !== undefined) polling.leaveOut(leftOut.kind, leftOut.count, message);
			},
			isWanted: (event) => isWanted(event, settings),
		});
	});
}
