/** Reads the trigger's parameters once a delivery, with the bounds that keep a wrong value harmless. */
import type { INode } from 'n8n-workflow';
import { eventTypeFilter, type EventTypeFilter } from '../../lib/event';
import { asNumber, asRecord, asTexts } from '../support/parameters';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Specification section 8: the signature's tolerance is 5 minutes unless said otherwise. */
export const DEFAULT_TOLERANCE_SECONDS = 300;
/** Specification 6.5: ids are kept for at least the 30 days for which the service can deliver again. */
export const DEFAULT_RETENTION_DAYS = 30;
export const MAX_RETENTION_DAYS = 365;

export interface TriggerSettings {
	readonly isWanted: EventTypeFilter;
	readonly toleranceSeconds: number;
	readonly retentionMs: number;
	readonly scope: 'workflow' | 'node';
	readonly includeDelivery: boolean;
}

type ReadParameter = (name: string, fallback: unknown) => unknown;

/** Reads the settings; a value out of bounds is taken to the nearest bound, one of the wrong kind to its default. */
export function readTriggerSettings(read: ReadParameter): TriggerSettings {
	const options = asRecord(read('options', {}));
	return {
		isWanted: eventTypeFilter(asTexts(read('eventTypes', []))),
		toleranceSeconds: asNumber(options['toleranceSeconds'], DEFAULT_TOLERANCE_SECONDS, 0, Infinity),
		retentionMs:
			asNumber(options['retentionDays'], DEFAULT_RETENTION_DAYS, 1, MAX_RETENTION_DAYS) * DAY_MS,
		scope: options['deduplicationScope'] === 'node' ? 'node' : 'workflow',
		includeDelivery: options['includeDelivery'] === true,
	};
}

/** The scope in which an event id is looked up: triggers of one workflow share it unless set apart by node. */
export function ledgerScope(
	scope: TriggerSettings['scope'],
	workflowId: string,
	node: Pick<INode, 'id'>,
): readonly string[] {
	return scope === 'node' ? [workflowId, node.id] : [workflowId];
}
