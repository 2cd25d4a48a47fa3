/** What is wrong with each station now, and since when. */
import { stationStatus } from '../../../../lib/station';
import type { Operation, OperationRun } from '../../shared/resource';
import { assetIdsField, lookBackField, options } from './fields';
import { ask, wordsOf } from './question';

export const getStatus: Operation = {
	name: 'Get Status',
	description:
		'Find out whether stations are connected, the status of their connectors, open faults and running sessions, and since when. Takes asset IDs and returns one item per station.',
	action: 'Get the status of stations',
	fields: [assetIdsField, lookBackField, options],
	run: async (item: OperationRun) => {
		const wants = { connections: true, states: true, sessions: true };
		return await stationStatus(await ask(item, wants, false), wordsOf(item.client));
	},
};
