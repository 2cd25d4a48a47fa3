/** From an event to what it says about a station. The fields of a payload decide the version of OCPP, never its label. */
import { createdAt, type ParsedEvent } from '../../event';
import { isRecord, own } from '../../shared/values';
import { readBoot, readConnectivity } from './connectivity';
import { readMeterValues, readResponse, readStart, readStop } from './session16';
import { readMeterValues201, readTransactionEvent } from './session201';
import { readStatus16 } from './status16';
import { readNotifyEvent, readStatus201 } from './status201';
import type { Fact, Reader } from './types';
import { at, text } from './values';

export type * from './types';

/** What an event says about one station. */
export interface EventFacts {
	readonly assetId: string;
	/** When the service created the event, in Unix milliseconds. */
	readonly at: number;
	readonly eventId: string;
	readonly facts: readonly Fact[];
}

/** `unreadable`: it should say something about a station, but lacks a field. `undated`: it has no time, or one of the future. */
export type Reading = EventFacts | 'unreadable' | 'undated' | undefined;

const readStatus: Reader = (message) =>
	Object.hasOwn(message.payload, 'connectorStatus') || Object.hasOwn(message.payload, 'evseId')
		? readStatus201(message)
		: readStatus16(message);

const readMeter: Reader = (message) =>
	Object.hasOwn(message.payload, 'evseId') ? readMeterValues201(message) : readMeterValues(message);

const READERS: Readonly<Record<string, Reader>> = {
	BootNotification: readBoot,
	MeterValues: readMeter,
	NotifyEvent: readNotifyEvent,
	StartTransaction: readStart,
	StatusNotification: readStatus,
	StopTransaction: readStop,
	TransactionEvent: readTransactionEvent,
};

/** A later event has a wrong clock. In milliseconds. */
const LATEST_AHEAD_MS = 10 * 60_000;
/** The longest IDs of assets and events; longer ones are not the service's. */
const LONGEST_ID = 100;

/** `serviceNow`: the time by the service's clock, in Unix milliseconds. Undefined for an event that is not about a station. */
export function readFacts(event: ParsedEvent, serviceNow: number): Reading {
	const data = event.record['data'];
	if (!isRecord(data)) return undefined;
	const facts = factsOf(event, data);
	if (facts?.length === 0) return undefined;
	const assetId = text(at(data, 'asset.id')) ?? text(data['assetId']);
	// A plain object cannot have a field of this name.
	const isNameless = assetId === undefined || assetId === '__proto__';
	if (facts === undefined || isNameless || event.id.length > LONGEST_ID) return 'unreadable';
	const created = createdAt(event);
	if (created === undefined || created > serviceNow + LATEST_AHEAD_MS) return 'undated';
	return { assetId, at: created, eventId: event.id, facts };
}

function factsOf(
	event: ParsedEvent,
	data: Readonly<Record<string, unknown>>,
): readonly Fact[] | undefined {
	if (event.type === 'asset.connectivity') return readConnectivity(data);
	const payload = data['payload'];
	const isCall = text(data['messageType']) !== 'CALL_RESULT';
	const action = text(data['action']) ?? '';
	const known = own(READERS, action) as Reader | undefined;
	const read = isCall ? known : readResponse;
	if (read === undefined || text(data['messageType']) === 'CALL_ERROR') return [];
	if (!isRecord(payload)) return isCall ? undefined : [];
	return read({ payload, messageId: text(data['messageId']) });
}
