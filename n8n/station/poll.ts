/** Polls for a station trigger. */
import type { IPollFunctions } from 'n8n-workflow';
import type { ApiClient } from '../../lib/service';
import { pollStations } from '../../lib/station';
import { runPoll } from '../polling/poll';
import { readStationSettings } from './settings';

/** As `runPoll`. */
export async function pollForStations(context: IPollFunctions, client: ApiClient): Promise<null> {
	const { station: settings, batchSize } = readStationSettings((name, fallback) =>
		context.getNodeParameter(name, fallback),
	);
	return await runPoll(
		context,
		async (polling) => await pollStations({ ...polling, client, settings, batchSize }),
	);
}
