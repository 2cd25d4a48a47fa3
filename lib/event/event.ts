/**
 * An event: read from the bytes of a delivery or from a record of the event list, in one shape for both, dated, and as the
 * item that starts the workflow. Checked by hand and not by a schema, because it runs for every delivery and every listed event.
 */
import { brokenBoundOf } from '../shared/json';
import { timeOf } from '../shared/time';
import { idOf, idProblem, isRecord, LONGEST_ID } from '../shared/values';

/** An event as the service delivers it, with any fields. */
export interface ParsedEvent {
	/** The ID as text: the number 7 and the text "7" are the same event. */
	readonly id: string;
	/** The event type; undefined if the event has none or it is not text. */
	readonly type: string | undefined;
	/** The event, field by field as sent. */
	readonly record: Record<string, unknown>;
}

/** `problem` completes a log line and contains nothing of the event. */
type ParseResult =
	{ ok: true; event: ParsedEvent } | { ok: false; reason: UnreadableReason; problem: string };
type UnreadableReason = 'event_invalid' | 'event_too_large';

const unreadable = (problem: string, reason: UnreadableReason = 'event_invalid'): ParseResult => ({
	ok: false,
	reason,
	problem,
});

const decoder = new TextDecoder('utf-8', { fatal: true });

/** What events look like at a service that differs from the default. */
export interface EventForm {
	/** Gives an event the shape of one as delivered by default. */
	readonly shape: (event: Record<string, unknown>) => Record<string, unknown>;
	/** Where events have their ID, as a message names it. */
	readonly idPath: string;
}

/**
 * Parses the raw bytes of a delivery.
 * Not ok for anything but a JSON object in UTF-8 within the bounds of a record, whose `id`, in the form given, is an ID (`idOf`).
 * An object without an `id` gets `messageId`, the signed ID of the delivery, also in its record, where the execution reads it.
 * Never throws. Source: specification section 2 (webhook event) and 6.5.
 */
export function parseEvent(body: Uint8Array, messageId?: string, form?: EventForm): ParseResult {
	let value: unknown;
	try {
		const text = decoder.decode(body);
		const problem = brokenBoundOf(text);
		if (problem !== undefined) return unreadable(problem, 'event_too_large');
		value = JSON.parse(text);
	} catch {
		return unreadable(body.length === 0 ? 'the body is empty' : 'the body is not JSON in UTF-8');
	}
	if (!isRecord(value)) return unreadable('the body is not a JSON object');
	const shaped = form?.shape(value) ?? value;
	const given = messageId === undefined ? shaped : { id: messageId, ...shaped };
	const id = eventIdOf(given);
	if (id !== undefined) return { ok: true, event: eventWith(id, given) };
	const isLong = typeof given['id'] === 'string' && given['id'].length > LONGEST_ID;
	const problem = idProblem(given['id'], form?.idPath ?? 'id');
	return unreadable(problem, isLong ? 'event_too_large' : 'event_invalid');
}

/**
 * Converts a record of the event list to the shape of a delivered event: `eventType` becomes `type` and `payload`
 * becomes `data`, unless the record already has those. The first fields are in the order of a delivered event, followed
 * by the other fields of the record.
 */
export function eventFromList(listed: Readonly<Record<string, unknown>>, id: string): ParsedEvent {
	const { id: given, type, eventType, createdAt, data, payload, ...others } = listed;
	const first = {
		id: given,
		type: type === undefined ? eventType : type,
		createdAt,
		data: data === undefined ? payload : data,
	};
	return eventWith(id, { ...(hasAll(first) ? first : present(first)), ...others });
}

type GivenFields = Readonly<Record<string, unknown>>;

const hasAll = ({ id, type, createdAt, data }: GivenFields) =>
	id !== undefined && type !== undefined && createdAt !== undefined && data !== undefined;

const present = (fields: GivenFields): GivenFields =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function eventWith(id: string, given: Record<string, unknown>): ParsedEvent {
	const record = withoutOurs(given);
	const { type } = record;
	return { id, type: typeof type === 'string' ? type : undefined, record };
}

/** Without the fields that this package adds: workflows rely on what they say. */
function withoutOurs(record: Record<string, unknown>): Record<string, unknown> {
	if (!Object.hasOwn(record, '_replay') && !Object.hasOwn(record, '_delivery')) return record;
	const { _replay, _delivery, ...others } = record;
	return others;
}

/** The ID of an event as text; undefined if it has none, or one that could be confused with another. */
export const eventIdOf = ({ id }: Readonly<Record<string, unknown>>): string | undefined =>
	idOf(id);

/** The time of creation in Unix milliseconds; undefined if the event has none. */
export function createdAt({ record }: Pick<ParsedEvent, 'record'>): number | undefined {
	return timeOf(record['createdAt']);
}

/** Sorted by time if every event has one; otherwise in the given order. */
export function oldestFirst<E extends Pick<ParsedEvent, 'record'>>(events: readonly E[]): E[] {
	const timed = events.map((event) => ({ event, at: createdAt(event) ?? NaN }));
	if (timed.some(({ at }) => Number.isNaN(at))) return [...events];
	return timed.sort((a, b) => a.at - b.at).map(({ event }) => event);
}

type EventRecord = Readonly<Record<string, unknown>>;

export interface Item {
	readonly record: EventRecord;
}

/** Adds `_replay`, replacing a field of that name. `reopenedAt` is in Unix milliseconds; if undefined, nothing is added. */
export function withReplay(record: EventRecord, reopenedAt: number | undefined): EventRecord {
	if (reopenedAt === undefined) return record;
	return { ...record, _replay: { requestedAt: new Date(reopenedAt).toISOString() } };
}
