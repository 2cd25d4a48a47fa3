/** Reads the station trigger's parameters: a value out of bounds becomes the nearest bound, one of the wrong kind its default. */
import {
	MAX_BATCH_SIZE,
	readAcknowledge,
	readBatchSize,
	type ReadParameter,
} from '../../lib/event';
import { asNumber, asRecord, asTexts } from '../../lib/shared/values';
import { type Kind, MINUTE_MS, type Scope, type StationSettings } from '../../lib/station';

export const KINDS = [
	'stationOffline',
	'connectorStatus',
	'connectorFault',
	'sessionEnded',
] as const;
export const SCOPES = ['code', 'connector', 'station'] as const;
/** Of the parameters in minutes and hours. */
export const MAX_FOR_MINUTES = 10_080;
export const MAX_RESOLVE_MINUTES = 1_440;
export const MAX_CATCH_UP_HOURS = 720;
export const MAX_TIMES = 50;
export const DEFAULT_WITHIN_MINUTES = 1_440;
const MOST_STATUSES = 20;

/** A session that lasts longer is rare, and an incident that began before is not reported. */
export const DEFAULT_CATCH_UP_HOURS = 24;

interface Defaults {
	readonly forMinutes: number;
	readonly resolveAfterMinutes: number;
}

export const DEFAULTS: Readonly<Record<Kind, Defaults>> = {
	stationOffline: { forMinutes: 5, resolveAfterMinutes: 2 },
	connectorStatus: { forMinutes: 120, resolveAfterMinutes: 0 },
	connectorFault: { forMinutes: 0, resolveAfterMinutes: 60 },
	sessionEnded: { forMinutes: 0, resolveAfterMinutes: 0 },
};

/** The statuses in which a connector can be stuck; both versions of OCPP. */
export const DEFAULT_STATUSES = [
	...['Preparing', 'SuspendedEV', 'SuspendedEVSE', 'Finishing', 'Reserved', 'Unavailable'],
];

export interface StationTriggerSettings {
	readonly station: StationSettings;
	/** Whether it has one output for what opened and one for what resolved. */
	readonly hasTwoOutputs: boolean;
	/** The most items per execution; 1 if each starts its own execution. */
	readonly batchSize: number;
	readonly acknowledge: 'stored' | 'succeeded';
}

export function readStationSettings(read: ReadParameter): StationTriggerSettings {
	const kind = oneOf(KINDS, read('triggerOn', 'stationOffline'));
	const defaults = DEFAULTS[kind];
	const minutes = (name: string, fallback: number, least: number, most: number) =>
		asNumber(read(name, fallback), fallback, least, most) * MINUTE_MS;
	const isFault = kind === 'connectorFault';
	const times = isFault ? Math.trunc(asNumber(read('times', 1), 1, 1, MAX_TIMES)) : 1;
	const isRepeated = times > 1;
	const { forMinutes, resolveAfterMinutes } = defaults;
	const isLasting = kind !== 'sessionEnded' && !isRepeated;
	const reportResolved = kind !== 'sessionEnded' && read('reportResolved', true) !== false;
	const { catchUpHours, includeIdTag } = asRecord(read('options', {}));
	return {
		station: {
			kind,
			times,
			reportResolved,
			forMs: isLasting ? minutes('forMinutes', forMinutes, 0, MAX_FOR_MINUTES) : 0,
			resolveAfterMs: isLasting
				? minutes('resolveAfterMinutes', resolveAfterMinutes, 0, MAX_RESOLVE_MINUTES)
				: 0,
			statuses: kind === 'connectorStatus' ? statusesOf(read) : [],
			scope: oneOf(SCOPES, isFault ? read('scope', 'code') : 'code'),
			withinMs: isRepeated
				? minutes('withinMinutes', DEFAULT_WITHIN_MINUTES, 1, MAX_FOR_MINUTES)
				: 0,
			catchUpMs:
				asNumber(catchUpHours, DEFAULT_CATCH_UP_HOURS, 1, MAX_CATCH_UP_HOURS) * 60 * MINUTE_MS,
			includeIdTag: kind === 'sessionEnded' && includeIdTag === true,
		},
		hasTwoOutputs: reportResolved,
		batchSize: readBatchSize((name) =>
			name === 'delivery' ? read(name, 'batched') : read(name, MAX_BATCH_SIZE),
		),
		acknowledge: readAcknowledge(read),
	};
}

/** The first one for any other value. */
function oneOf<T extends Kind | Scope>(known: readonly [T, ...T[]], value: unknown): T {
	return known.find((each) => each === value) ?? known[0];
}

/** Without any, the default ones: a trigger that can never start would look like one that works. */
function statusesOf(read: ReadParameter): string[] {
	const entered = [read('statuses', DEFAULT_STATUSES), read('otherStatuses', '')];
	const statuses = entered.flatMap(asTexts).map((status) => status.trim());
	const some = [...new Set(statuses.filter((status) => status !== ''))].slice(0, MOST_STATUSES);
	return some.length > 0 ? some : DEFAULT_STATUSES;
}
