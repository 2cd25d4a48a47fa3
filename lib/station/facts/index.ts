/** From an event to what it says about a station. The fields of a payload decide the version of OCPP, never its label. */
import { createdAt, type ParsedEvent } from '../../event';
import { MINUTE_MS } from '../../shared/time';
import { isRecord, own, valueAt } from '../../shared/values';
import type { Kind } from '../common/settings';
import {
	type ConnectionSettings,
	DEFAULT_CONNECTION,
	readBoot,
	readConnectivity,
} from './connectivity';
import { READERS_16, readResponse } from './ocpp16';
import { READERS_201 } from './ocpp201';
import { readSender } from './senders';
import type { Fact, MessageReader, Reading, UnknownWord } from './types';
import { text } from './values';

export { type ConnectionSettings, connectionSettings, DEFAULT_CONNECTION } from './connectivity';
export { LeftOut } from './leftOut';
export type * from './types';

const BOOT = 'BootNotification';

/** Messages that both versions have differ in these fields. Some services send null for a field that a message lacks. */
const FIELDS_201 = ['connectorStatus', 'evseId'];

function readerOf(action: string, payload: unknown): MessageReader | undefined {
	if (action === BOOT) return readBoot;
	const is201 = FIELDS_201.some((field) => (own(payload, field) ?? null) !== null);
	const [first, other] = is201 ? [READERS_201, READERS_16] : [READERS_16, READERS_201];
	return first.get(action) ?? other.get(action);
}

/** A later event has a wrong clock. In milliseconds. */
const LATEST_AHEAD_MS = 10 * MINUTE_MS;
/** The longest IDs of assets and events; longer ones are not the service's. */
const LONGEST_ID = 100;

interface Watched extends ConnectionSettings {
	/** Who sends messages is read only for `stationOffline`. Undefined reads everything else. */
	readonly kind?: Kind;
}

/**
 * `serviceNow`: the time by the service's clock, and `created`: of the event, if that has been read, in Unix milliseconds.
 * Undefined for an event that is not about a station.
 */
export function readFacts(
	event: ParsedEvent,
	serviceNow: number,
	watched: Watched = DEFAULT_CONNECTION,
	created = createdAt(event),
): Reading {
	const data = event.record['data'];
	if (!isRecord(data)) return undefined;
	const facts = factsOf(event, data, watched);
	if (facts !== undefined && 'unknownWord' in facts) return facts;
	if (facts?.length === 0) return undefined;
	const assetId = text(valueAt(data, 'asset.id')) ?? text(data['assetId']);
	// A plain object cannot have a field of this name.
	const isNameless = assetId === undefined || assetId === '__proto__';
	if (facts === undefined || isNameless || event.id.length > LONGEST_ID) return 'unreadable';
	if (created === undefined || created > serviceNow + LATEST_AHEAD_MS) return 'undated';
	return { assetId, at: created, eventId: event.id, facts };
}

function factsOf(
	event: ParsedEvent,
	data: Readonly<Record<string, unknown>>,
	watched: Watched,
): readonly Fact[] | UnknownWord | undefined {
	const { kind } = watched;
	if (event.type === 'asset.connectivity') {
		return kind === undefined || kind === 'stationOffline' ? readConnectivity(data, watched) : [];
	}
	if (kind !== 'stationOffline') return saidIn(data);
	// Whatever a station sends shows that it is connected, even if it cannot be read.
	const said = data['action'] === BOOT ? saidIn(data) : [];
	return [...(said ?? []), ...readSender(data)];
}

function saidIn(data: Readonly<Record<string, unknown>>): readonly Fact[] | undefined {
	const payload = data['payload'];
	const isCall = text(data['messageType']) !== 'CALL_RESULT';
	const action = text(data['action']) ?? '';
	const read = isCall ? readerOf(action, payload) : readResponse;
	if (read === undefined || text(data['messageType']) === 'CALL_ERROR') return [];
	if (!isRecord(payload)) return isCall ? undefined : [];
	return read({ payload, messageId: text(data['messageId']) });
}
