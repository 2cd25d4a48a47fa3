import fc from 'fast-check';
import { eventFromList, parseEvent } from '../../../lib/event';

const bytes = (text: string) => Buffer.from(text, 'utf8');

describe('parseEvent', () => {
	it('keeps every field of the event as it came', () => {
		const event = {
			id: 'whevt_1',
			type: 'ocpp.message',
			createdAt: '2026-01-01T00:00:00Z',
			data: { a: [1, null] },
		};
		expect(parseEvent(bytes(JSON.stringify(event)))).toEqual({
			ok: true,
			event: { id: 'whevt_1', type: 'ocpp.message', record: event },
		});
	});

	it("drops the fields that this package adds: they are not the sender's to set", () => {
		const ours = { _replay: { requestedAt: 'x' }, _delivery: { secret: 'current' } };
		const event = { id: 'a', type: 'b', data: ours };
		const parsed = { ok: true, event: { id: 'a', type: 'b', record: event } };
		expect(parseEvent(bytes(JSON.stringify({ ...ours, ...event })))).toEqual(parsed);
		expect(eventFromList({ ...ours, ...event }, 'a')).toEqual(parsed.event);
	});

	it('treats the number 7 and the text "7" as the same event', () => {
		const [number, text] = ['{"id":7}', '{"id":"7"}'].map((body) => parseEvent(bytes(body)));
		expect(number).toMatchObject({ ok: true, event: { id: '7' } });
		expect(text).toMatchObject({ ok: true, event: { id: '7' } });
	});

	it('accepts the largest safe integer as ID and rejects the next one', () => {
		expect(parseEvent(bytes('{"id":9007199254740991}')).ok).toBe(true);
		expect(parseEvent(bytes('{"id":9007199254740992}')).ok).toBe(false);
	});

	it.each([
		['no bytes', ''],
		['no JSON', 'hello'],
		['a list', '[{"id":"a"}]'],
		['null', 'null'],
		['a text', '"id"'],
		['no id', '{"type":"a"}'],
		['an empty id', '{"id":""}'],
		['a null id', '{"id":null}'],
		['an id with a fraction', '{"id":1.5}'],
		['an object as id', '{"id":{}}'],
		['a boolean as id', '{"id":true}'],
	])('refuses %s', (_name, body) => {
		expect(parseEvent(bytes(body))).toMatchObject({ ok: false });
		// One without an id has that of its delivery.
		expect(parseEvent(bytes(body), 'msg_1').ok).toBe(body === '{"type":"a"}');
	});

	it('gives an event without an id the signed id of its delivery, in its record too', () => {
		expect(parseEvent(bytes('{"type":"a","data":{"id":"b"}}'), 'msg_1')).toEqual({
			ok: true,
			event: { id: 'msg_1', type: 'a', record: { id: 'msg_1', type: 'a', data: { id: 'b' } } },
		});
	});

	it.each([
		['a text', '{"id":"a"}', 'a'],
		['a number', '{"id":7}', '7'],
	])('keeps the id of the body, %s, whatever the id of the delivery', (_name, body, id) => {
		expect(parseEvent(bytes(body), 'msg_1')).toMatchObject({ ok: true, event: { id } });
	});

	it('rejects bytes that are not UTF-8', () => {
		// Latin-1 for ÿ in otherwise valid JSON: with a replacement character, it would be another ID.
		expect(parseEvent(Buffer.from('{"id":"\u00ff"}', 'latin1'))).toMatchObject({ ok: false });
		expect(parseEvent(Buffer.from('{"id":"\u00ff"}', 'utf8')).ok).toBe(true);
	});

	it('takes a type that is not text for no type', () => {
		expect(parseEvent(bytes('{"id":"a","type":5}'))).toMatchObject({
			ok: true,
			event: { type: undefined },
		});
	});

	it('never throws, whatever the bytes', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
				expect(typeof parseEvent(body).ok).toBe('boolean');
			}),
		);
	});
});

describe('eventFromList', () => {
	it('gives a listed event the shape of a delivered one', () => {
		const listed = {
			id: 'whevt_1',
			eventType: 'ocpp.message',
			createdAt: '2026-01-01T00:00:00Z',
			payload: { a: 1 },
		};
		expect(eventFromList(listed, 'whevt_1')).toEqual({
			id: 'whevt_1',
			type: 'ocpp.message',
			record: {
				id: 'whevt_1',
				type: 'ocpp.message',
				createdAt: '2026-01-01T00:00:00Z',
				data: { a: 1 },
			},
		});
	});

	it('does not change a record that already has the delivered shape', () => {
		const listed = { id: 'a', type: 't', data: { b: 2 } };
		expect(eventFromList(listed, 'a')).toMatchObject({ record: listed });
	});

	it('puts the fields in the order of a delivered one, and what else there is after them', () => {
		const listed = { seq: 7, payload: {}, createdAt: 'now', eventType: 't', id: 'a', site: 's' };
		expect(Object.keys(eventFromList(listed, 'a').record)).toEqual([
			...['id', 'type', 'createdAt', 'data'],
			...['seq', 'site'],
		]);
	});

	it('adds nothing to a record that has neither a type nor a payload', () => {
		const listed = { id: 'a', createdAt: '2026-01-01T00:00:00Z' };
		const event = { id: 'a', type: undefined, record: listed };
		expect(eventFromList(listed, 'a')).toStrictEqual(event);
	});

	it('prefers the names of a delivered event where a record has both', () => {
		const listed = { id: 'a', eventType: 'listed', type: 'delivered', payload: 1, data: 2 };
		expect(eventFromList(listed, 'a')).toEqual({
			...{ id: 'a', type: 'delivered', record: { id: 'a', type: 'delivered', data: 2 } },
		});
	});
});
