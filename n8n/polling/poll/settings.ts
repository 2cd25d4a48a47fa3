/** Reads the poll trigger's parameters: a value out of bounds becomes the nearest bound, one of the wrong kind its default. */
import { createHash } from 'node:crypto';
import {
	readAcknowledge,
	readBatchSize,
	readEventTypes,
	type ReadParameter,
	readWanted,
	type Wanted,
} from '../../../lib/event';
import { catch as orElse, enum as oneOf, object, parse } from '../../../lib/vendor/zod';
import { bounded } from '../../fields/parameters';

/** The service's own maximum of `limit` (not specified, documented for assets). */
export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = MAX_PAGE_SIZE;

export interface PollSettings extends Wanted {
	readonly startFrom: 'now' | 'retained';
	/** The parameters that decide which events are wanted, as a short text to compare. */
	readonly wanted: string;
	readonly pageSize: number;
	/** The most events per execution; 1 if each event starts its own execution. */
	readonly batchSize: number;
	readonly acknowledge: 'stored' | 'succeeded';
}

const parameters = object({
	startFrom: orElse(oneOf(['now', 'retained']), 'now'),
	limit: bounded(DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE),
});

export function readPollSettings(read: ReadParameter): PollSettings {
	const { startFrom, limit } = parse(parameters, {
		startFrom: read('startFrom', 'now'),
		limit: read('limit', DEFAULT_PAGE_SIZE),
	});
	return {
		...readWanted(read),
		wanted: wantedText(read),
		startFrom,
		pageSize: Math.trunc(limit),
		batchSize: readBatchSize(read),
		acknowledge: readAcknowledge(read),
	};
}

function wantedText(read: ReadParameter): string {
	const values = [readEventTypes(read), read('conditions', {})];
	return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22);
}
