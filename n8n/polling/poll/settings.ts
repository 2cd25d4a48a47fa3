/** Reads the poll trigger's parameters: a value out of bounds becomes the nearest bound, one of the wrong kind its default. */
import { createHash } from 'node:crypto';
import {
	BATCH_SIZE,
	notApplied,
	readAcknowledge,
	readBatchSize,
	readEventTypes,
	readNumber,
	type ReadParameter,
	readWanted,
	type Wanted,
} from '../../../lib/event';

/** The service's own maximum of `limit` (not specified, documented for assets). */
export const DEFAULT_PAGE_SIZE = 100;
const PAGE_SIZE = {
	...{ name: 'limit', label: 'Page Size' },
	...{ fallback: DEFAULT_PAGE_SIZE, least: 1, most: DEFAULT_PAGE_SIZE },
};

export interface PollSettings extends Wanted {
	readonly startFrom: 'now' | 'retained';
	/** The parameters that decide which events are wanted, as a short text to compare. */
	readonly wanted: string;
	readonly pageSize: number;
	/** The most events per execution; 1 if each event starts its own execution. */
	readonly batchSize: number;
	readonly acknowledge: 'stored' | 'succeeded';
	/** Settings that are not applied as entered: each completes a log line. */
	readonly problems: readonly string[];
}

export function readPollSettings(read: ReadParameter): PollSettings {
	return {
		...readWanted(read),
		wanted: wantedText(read),
		startFrom: read('startFrom', 'now') === 'retained' ? 'retained' : 'now',
		pageSize: Math.trunc(readNumber(read, PAGE_SIZE)),
		batchSize: readBatchSize(read),
		acknowledge: readAcknowledge(read),
		problems: notApplied(read, { BATCH_SIZE, PAGE_SIZE }),
	};
}

function wantedText(read: ReadParameter): string {
	const values = [readEventTypes(read), read('conditions', {})];
	return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22);
}
