/**
 * Reads the trigger's parameters, with the bounds that keep a wrong value harmless.
 * Checked by hand and not by a schema, since it runs for every delivery, even a forged one.
 */
import {
	readAcknowledge,
	readBatchSize,
	type ReadParameter,
	readWanted,
	type Wanted,
} from '../event';
import { asNumber, asRecord } from '../shared/values';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Specification section 8: the signature's tolerance is 5 minutes unless said otherwise. */
export const DEFAULT_TOLERANCE_SECONDS = 300;
/** The service lists and delivers an event for 30 days (specification 6.6): one that is forgotten by then would run again. */
export const MIN_RETENTION_DAYS = 31;
export const DEFAULT_RETENTION_DAYS = 35;
export const MAX_RETENTION_DAYS = 365;

export interface TriggerSettings extends Wanted {
	/** The most events of one run; 1 where each event is a run of its own. */
	readonly batchSize: number;
	readonly toleranceSeconds: number;
	readonly retentionMs: number;
	readonly includeDelivery: boolean;
	/** What the node is set to; a delivery follows the URL that it came to. */
	readonly acknowledge: 'stored' | 'succeeded';
}

/** Reads the settings; a value out of bounds is taken to the nearest bound, one of the wrong kind to its default. */
export function readTriggerSettings(read: ReadParameter): TriggerSettings {
	const options = asRecord(read('options', {}));
	return {
		...readWanted(read),
		batchSize: readBatchSize(read),
		toleranceSeconds: asNumber(options['toleranceSeconds'], DEFAULT_TOLERANCE_SECONDS, 0, Infinity),
		retentionMs:
			asNumber(
				options['retentionDays'],
				DEFAULT_RETENTION_DAYS,
				MIN_RETENTION_DAYS,
				MAX_RETENTION_DAYS,
			) * DAY_MS,
		includeDelivery: options['includeDelivery'] === true,
		acknowledge: readAcknowledge(read),
	};
}
