/** The settings of a published station trigger, as they are recorded with its publication. */
import {
	array,
	boolean,
	enum as oneOf,
	number,
	object,
	optional,
	safeParse,
	string,
} from '../../vendor/zod';
import type { StationSettings } from './settings';

const watched = object({
	kind: oneOf(['stationOffline', 'connectorStatus', 'connectorFault', 'sessionEnded']),
	forMs: number(),
	resolveAfterMs: number(),
	statuses: array(string()),
	scope: oneOf(['code', 'connector', 'station']),
	times: number(),
	withinMs: number(),
	reportResolved: boolean(),
	connectedWords: array(string()),
	disconnectedWords: array(string()),
	connectionPath: string(),
	catchUpMs: number(),
	includeIdTag: optional(boolean()),
	onlyStations: optional(array(string())),
});

/** Undefined for a record that another version wrote. */
export function watchedSettings(recorded: unknown): StationSettings | undefined {
	const { includeIdTag, onlyStations, ...settings } = safeParse(watched, recorded).data ?? {};
	if (!('kind' in settings)) return undefined;
	return {
		...settings,
		...(includeIdTag !== undefined && { includeIdTag }),
		...(onlyStations !== undefined && { onlyStations }),
	};
}
