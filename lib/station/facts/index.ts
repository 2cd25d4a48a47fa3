/** From an event to what it says about a station. The fields of a payload decide the version of OCPP, never its label. */
import { createdAt, type ParsedEvent } from '../../event';
import { MINUTE_MS } from '../../shared/time';
import { isRecord, own } from '../../shared/values';
import type { Kind } from '../common/settings';
import {
	type ConnectionSettings,
	DEFAULT_CONNECTION,
	readBoot,
	readBootResponse,
	readConnectivity,
	readTrigger,
} from './connectivity';
import { READERS_16, readResponse } from './ocpp16';
import { READERS_201, readUse } from './ocpp201';
import { readSender } from './senders';
import type { Fact, MessageReader, Reading, UnknownWord } from './types';
import { text } from './values';

export { type ConnectionSettings, connectionSettings, DEFAULT_CONNECTION } from './connectivity';
export { LeftOut } from './leftOut';
export type * from './types';

const BOOT = 'BootNotification';
const TRIGGERS: ReadonlySet<string> = new Set(['TriggerMessage', 'ExtendedTriggerMessage']);
const TRANSACTION = 'TransactionEvent';
/** Most messages with much in them. Without sessions, a transaction shows only whether a vehicle charges. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
	'MeterValues',
	'StartTransaction',
	'StopTransaction',
	TRANSACTION,
]);

/** Messages that both versions have differ in these fields. Some services send null for a field that a message lacks. */
const FIELDS_201 = ['connectorStatus', 'evseId'];

function readerOf(
	action: string,
	payload: unknown,
	kind: Watching | undefined,
): MessageReader | undefined {
	if (action === BOOT) return readBoot;
	if (TRIGGERS.has(action)) return readTrigger;
	if (OF_SESSIONS.has(action) && !WITH_SESSIONS.has(kind)) {
		return kind === 'pastStates' && action === TRANSACTION ? readUse : undefined;
	}
	const is201 = FIELDS_201.some((field) => (own(payload, field) ?? null) !== null);
	const [first, other] = is201 ? [READERS_201, READERS_16] : [READERS_16, READERS_201];
	return first.get(action) ?? other.get(action);
}

/** A later event has a wrong clock. In milliseconds. */
const LATEST_AHEAD_MS = 10 * MINUTE_MS;
/** The longest IDs of assets and events; longer ones are not the service's. */
const LONGEST_ID = 100;

/** `past`: all that a question about the past can need. `pastStates`: without sessions. */
type Watching = Kind | 'past' | 'pastStates';
const WITH_SESSIONS: ReadonlySet<Watching | undefined> = new Set([
	undefined,
	'sessionEnded',
	'past',
]);

interface Watched extends ConnectionSettings {
	/** Sessions, and who sends messages, are read only for those who need them. Undefined reads all but the senders. */
	readonly kind?: Watching;
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
	const read = factsOf(event, data, watched);
	if ('unknownWord' in read) return read;
	const { facts, isUnreadable } = read;
	if (facts.length === 0 && !isUnreadable) return undefined;
	const assetId = text(own(data['asset'], 'id')) ?? text(data['assetId']);
	// A plain object cannot have a field of this name.
	const isNameless = assetId === undefined || assetId === '__proto__';
	if (facts.length === 0 || isNameless || event.id.length > LONGEST_ID) return 'unreadable';
	if (created === undefined || created > serviceNow + LATEST_AHEAD_MS) return 'undated';
	const about = { assetId, at: created, eventId: event.id, facts };
	return isUnreadable ? { ...about, isUnreadable: true } : about;
}

interface MessageFacts {
	readonly facts: readonly Fact[];
	readonly isUnreadable: boolean;
}

const said = (facts: readonly Fact[] | undefined): MessageFacts => ({
	facts: facts ?? [],
	isUnreadable: facts === undefined,
});

function factsOf(
	event: ParsedEvent,
	data: Readonly<Record<string, unknown>>,
	watched: Watched,
): MessageFacts | UnknownWord {
	const { kind } = watched;
	if (event.type === 'asset.connectivity') {
		const read = kind === 'sessionEnded' ? [] : readConnectivity(data, watched);
		if (read !== undefined && 'unknownWord' in read) return isOfStates(kind) ? said([]) : read;
		return said(read);
	}
	if (kind === undefined || kind === 'sessionEnded') return said(saidIn(data, kind));
	const isBoot = data['action'] === BOOT;
	// Whatever a station sends shows that it is connected, even if it cannot be read.
	const read = kind === 'stationOffline' && !isBoot ? [] : saidIn(data, kind);
	const sent = readSender(data);
	const isUnreadable = read === undefined && kind !== 'stationOffline';
	return { facts: sent.length === 0 ? (read ?? []) : [...(read ?? []), ...sent], isUnreadable };
}

const isOfStates = (kind: Watching | undefined) =>
	kind === 'connectorStatus' || kind === 'connectorFault';

function saidIn(
	data: Readonly<Record<string, unknown>>,
	kind: Watching | undefined,
): readonly Fact[] | undefined {
	const payload = data['payload'];
	const isCall = text(data['messageType']) !== 'CALL_RESULT';
	const action = text(data['action']) ?? '';
	const read = isCall ? readerOf(action, payload, kind) : readAnyResponse;
	if (read === undefined || text(data['messageType']) === 'CALL_ERROR') return [];
	if (!isRecord(payload)) return isCall && !TRIGGERS.has(action) ? undefined : [];
	const message = { payload, messageId: text(data['messageId']) };
	const facts = read(message);
	if (kind !== 'past' || action !== TRANSACTION || !isCall) return facts;
	return facts && [...facts, ...(readUse(message) ?? [])];
}

const readAnyResponse: MessageReader = (message) => [
	...(readResponse(message) ?? []),
	...(readBootResponse(message) ?? []),
];
