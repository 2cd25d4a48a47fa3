/**
 * Reads the trigger's parameters, with limits that make a wrong value harmless.
 * Checked by hand and not by a schema, because it runs for every delivery, even a forged one.
 */
import {
	readAcknowledge,
	readBatchSize,
	type ReadParameter,
	readWanted,
	type Wanted,
} from '../event';
import { DAY_MS } from '../shared/time';
import { asNumber, asRecord } from '../shared/values';

/** Specification section 8: the tolerance of the signature is 5 minutes by default. */
export const DEFAULT_TOLERANCE_SECONDS = 300;
/** The service lists and delivers an event for 30 days (specification 6.6): an event that is forgotten earlier would run again. */
export const MIN_RETENTION_DAYS = 31;
export const DEFAULT_RETENTION_DAYS = 35;
export const MAX_RETENTION_DAYS = 365;

export interface TriggerSettings extends Wanted {
	/** The most events per execution; 1 if each event starts its own execution. */
	readonly batchSize: number;
	readonly toleranceSeconds: number;
	readonly retentionMs: number;
	readonly includeDelivery: boolean;
	/** The value of the parameter; a delivery follows the URL that it arrived at. */
	readonly acknowledge: 'stored' | 'succeeded';
}

/** Reads the settings; a value out of bounds becomes the nearest bound, one of the wrong kind its default. */
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
