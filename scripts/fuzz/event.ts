/** Events, compared with a simple implementation of the rules. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { eventFromList, eventTypeFilter, parseEvent } from '../../lib/event';
import { counter, type Target } from './target';

const ids = fc.oneof(
	fc.string(),
	fc.integer(),
	fc.maxSafeInteger(),
	fc.constantFrom('', 0, -0, 2 ** 53, 1.5, null, true, [], {}),
	fc.double(),
);
const events = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ id: ids, type: fc.jsonValue(), data: fc.jsonValue() }) },
	{ weight: 2, arbitrary: fc.dictionary(fc.constantFrom('id', 'type', '__proto__', 'a'), ids) },
	{ weight: 1, arbitrary: fc.jsonValue() },
);
const bodies = fc.oneof(
	{ weight: 4, arbitrary: events.map((event) => Buffer.from(JSON.stringify(event))) },
	{
		weight: 1,
		arbitrary: fc
			.tuple(events, fc.nat(60), fc.uint8Array({ maxLength: 4 }))
			.map(([event, at, bytes]) => {
				const text = Buffer.from(JSON.stringify(event));
				return Buffer.concat([text.subarray(0, at), bytes, text.subarray(at)]);
			}),
	},
	{ weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
);

/** The ID of the event, as JSON.parse reads it; undefined if it has none. */
function idOf(value: unknown): string | undefined {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
	const id: unknown = Object.getOwnPropertyDescriptor(value, 'id')?.value;
	if (typeof id === 'string') return id || undefined;
	return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : undefined;
}

function read(body: Buffer): unknown {
	try {
		const text = body.toString('utf8');
		// A replacement character that was not sent: the bytes are not UTF-8.
		const withoutMark = text.replace(/^\uFEFF/, '');
		return Buffer.from(text).equals(body) ? JSON.parse(withoutMark) : undefined;
	} catch {
		return undefined;
	}
}

const delivered = counter();
const listed = counter();
const filtered = counter();

const parsing = fc.property(bodies, (body) => {
	const value = read(body);
	const parsed = parseEvent(body);
	const id = idOf(value);
	strictEqual(parsed.ok, id !== undefined);
	delivered.count(parsed.ok ? 'events' : 'refused');
	if (!parsed.ok) return;
	strictEqual(parsed.event.id, id);
	deepStrictEqual(parsed.event.record, value);
});

const listing = fc.property(
	fc.dictionary(fc.constantFrom('id', 'type', 'eventType', 'payload', 'data', 'createdAt'), ids, {
		noNullPrototype: true,
	}),
	(record) => {
		const before = structuredClone(record);
		const event = eventFromList(record, 'id');
		deepStrictEqual(record, before);
		listed.count('events');
		const { eventType, payload, ...rest } = record;
		const type = 'type' in rest ? rest['type'] : eventType;
		strictEqual(event.type, typeof type === 'string' ? type : undefined);
		deepStrictEqual(event.record['data'], 'data' in rest ? rest['data'] : payload);
	},
);

/** Tries every way to match the stars with the text. */
function matches(pattern: string, text: string): boolean {
	if (pattern === '') return text === '';
	if (pattern.startsWith('*')) {
		const rest = pattern.slice(1);
		return [...Array(text.length + 1).keys()].some((taken) => matches(rest, text.slice(taken)));
	}
	return pattern[0] === text[0] && text !== '' && matches(pattern.slice(1), text.slice(1));
}

const filtering = fc.property(
	fc.array(
		fc.string({ unit: fc.constantFrom(...Array.from('ab.*')), minLength: 1, maxLength: 6 }),
		{
			minLength: 1,
			maxLength: 3,
		},
	),
	fc.string({ unit: fc.constantFrom(...Array.from('ab.')), minLength: 1, maxLength: 8 }),
	(patterns, type) => {
		const wanted = patterns.some((pattern) => matches(pattern, type));
		filtered.count(wanted ? 'wanted' : 'ignored');
		strictEqual(eventTypeFilter(patterns)(type), wanted);
	},
);

export const eventTargets: readonly Target[] = [
	{ name: 'events as delivered', property: parsing, reached: delivered.reached },
	{ name: 'events as listed', property: listing, reached: listed.reached },
	{ name: 'event types', property: filtering, reached: filtered.reached },
];
