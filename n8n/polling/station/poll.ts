/** Polls for a station trigger. */
import type { IPollFunctions } from 'n8n-workflow';
import type { ApiClient } from '../../../lib/service';
import { DAY_MS } from '../../../lib/shared/time';
import { connectionSettings, pollStations } from '../../../lib/station';
import { recordPublication } from '../../execution/accountAccess';
import { runPoll } from '../runPoll';
import { readStationSettings } from './settings';

/** Warnings that stay until somebody changes a setting: one line per day. */
const DAILY: ReadonlySet<string> = new Set(['words']);

/** Warnings about something else than what the poll left out. */
const NOTHING_LEFT_OUT: ReadonlySet<string> = new Set(['start', 'lost']);

/** As `runPoll`. */
export async function pollForStations(context: IPollFunctions, client: ApiClient): Promise<null> {
	const { station, batchSize } = readStationSettings((name, fallback) =>
		context.getNodeParameter(name, fallback),
	);
	const settings = { ...station, ...connectionSettings(client.serviceInterface) };
	return await runPoll(context, async (polling) => {
		await recordPublication(context, polling.ledger, 'station', Date.now(), station);
		const warn = (message: string, kind: string, count = 1) => {
			if (!NOTHING_LEFT_OUT.has(kind)) polling.leaveOut(kind, count, message);
			polling.warn(message, kind, DAILY.has(kind) ? DAY_MS : undefined);
		};
		return await pollStations({ ...polling, client, settings, batchSize, warn });
	});
}
