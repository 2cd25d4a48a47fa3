/** Stations: what happened at them, and how they are now, from the list of events. */
import { counted } from '../../../../lib/shared/text';
import { connectionSettings, stationStatus, type Wants } from '../../../../lib/station';
import type { Operation, Resource } from '../../shared/resource';
import { getIncidents } from './getIncidents';
import { getSessions } from './getSessions';
import { getUptime } from './getUptime';
import { ask, assetIdsField, lookBackField, options } from './question';

const EVERYTHING: Wants = { connections: true, states: true, sessions: true };

const getStatus: Operation = {
	name: 'Get Status',
	description:
		'Find out whether stations are connected, the status of their connectors, open faults and running sessions, and since when. Takes asset IDs and returns one item per station.',
	action: 'Get the status of stations',
	fields: [assetIdsField, lookBackField, options],
	run: async (item) => {
		const found = await stationStatus(
			await ask(item, EVERYTHING, false),
			connectionSettings(item.client.serviceInterface),
		);
		const silent = found.filter(({ lastSeenAt }) => lastSeenAt === null).length;
		if (silent > 0) {
			const text = `${counted(silent, 'station')} sent nothing in this time: raise '${lookBackField.displayName}' to see the last sign.`;
			item.warn(text, { inLog: false });
		}
		return found;
	},
};

export const station: Resource = {
	name: 'Station',
	description: 'Incidents, charging sessions, uptime and status of charging stations',
	operations: { getIncidents, getSessions, getStatus, getUptime },
};
