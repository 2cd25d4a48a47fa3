/**
 * Reads an event from the bytes of a delivery, and from a record of the event list: one shape for both.
 * Checked by hand and not by a schema, since it runs for every delivery and every listed event.
 */
import { isRecord } from '../shared/values';

/** An event as the service delivers it: whatever fields it has, and an id that is text here whatever it was there. */
export interface ParsedEvent {
	/** The id as text: the number 7 and the text "7" are the same event. */
	readonly id: string;
	/** The event type, undefined when the event has none or it is not text. */
	readonly type: string | undefined;
	/** The event, field by field as it came. */
	readonly record: Record<string, unknown>;
}

type ParseResult = { ok: true; event: ParsedEvent } | { ok: false };

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the raw bytes of a delivery.
 * Not ok for anything but a JSON object in UTF-8 whose `id` is non-empty text or a safe integer:
 * beyond 2^53 two different ids would become one number, and an event would be lost.
 * An object without an `id` gets `messageId`, the signed id of the delivery, as its own, also in its record: the run reads it there.
 * Never throws. Source: specification section 2 (webhook event) and 6.5.
 */
export function parseEvent(body: Uint8Array, messageId?: string): ParseResult {
	let value: unknown;
	try {
		value = JSON.parse(decoder.decode(body));
	} catch {
		return { ok: false };
	}
	if (!isRecord(value)) return { ok: false };
	const lacksId = messageId !== undefined && !Object.hasOwn(value, 'id');
	return eventOf(lacksId ? { id: messageId, ...value } : value);
}

/**
 * Turns a record of the event list into the shape of a delivered event:
 * `eventType` becomes `type` and `payload` becomes `data`, unless the record has those already. The fields that a delivered
 * event begins with come in its order, and what else the record has after them.
 */
export function eventFromList(listed: Record<string, unknown>): ParseResult {
	const { eventType, payload, ...others } = listed;
	const field = (name: string, instead?: unknown) => {
		const value = Object.hasOwn(others, name) ? others[name] : instead;
		return value !== undefined && { [name]: value };
	};
	const first = {
		...field('id'),
		...field('type', eventType),
		...field('createdAt'),
		...field('data', payload),
	};
	// A field of both keeps its place in the first.
	return eventOf({ ...first, ...others });
}

function eventOf(record: Record<string, unknown>): ParseResult {
	const id = eventIdOf(record);
	if (id === undefined) return { ok: false };
	const { type } = record;
	return { ok: true, event: { id, type: typeof type === 'string' ? type : undefined, record } };
}

/** The id of an event as text; undefined when it has none, or one that could be confused with another. */
export function eventIdOf({ id }: Readonly<Record<string, unknown>>): string | undefined {
	if (typeof id === 'string' && id !== '') return id;
	if (typeof id === 'number' && Number.isSafeInteger(id)) return String(id);
	return undefined;
}
