/** Stations: what happened at them, and how they are, from the list of events. */
import type { Resource } from '../../shared/resource';
import { getIncidents } from './getIncidents';
import { getSessions } from './getSessions';
import { getStatus } from './getStatus';
import { getUptime } from './getUptime';

export const station: Resource = {
	name: 'Station',
	description: 'Incidents, charging sessions, uptime and status of charging stations',
	operations: { getIncidents, getSessions, getStatus, getUptime },
};
