import { createRedactor } from '../../../../lib/service/errors/redaction';
import { pageOf } from '../../../../lib/service/lists/envelope';

const destination = {
	address: 'https://api.example.com/things',
	field: 'baseUrl',
	redactor: createRedactor('hush'),
} as const;
const items = [{ id: 1 }];

describe('a page', () => {
	it.each([
		['{ data: { items, hasMore } }', { data: { items, hasMore: true } }, true],
		['{ data: { items } }', { data: { items } }, undefined],
		['{ data: { items }, hasMore }', { data: { items }, hasMore: false }, false],
		['a bare list', items, undefined],
		['{ data: [...] }', { data: items, hasMore: true }, true],
		['{ items: [...] }', { items, hasMore: false }, false],
		['hasMore of another kind', { items, hasMore: 'yes' }, undefined],
	])('is read from %s', (_name, answer, hasMore) => {
		expect(pageOf(answer, undefined, destination)).toEqual({ items, hasMore });
		expect(pageOf(answer, '  ', destination)).toEqual({ items, hasMore });
	});

	it('is read from where the user says, and hasMore from beside it', () => {
		const answer = { result: { list: { rows: items, hasMore: true } } };
		expect(pageOf(answer, 'result.list.rows', destination)).toEqual({ items, hasMore: true });
		expect(pageOf([{ rows: items }], '0.rows', destination)).toEqual({ items, hasMore: undefined });
	});

	it.each([
		[{ results: [], next: 1 }, 'is an object with “results”, “next”'],
		[{ data: { rows: [] } }, 'is an object with “data”, and “data” holds “rows”'],
		[{}, 'is an empty object'],
		[{ hush: 1 }, 'is an object with “[redacted]”'],
		['text', 'is a string'],
		[null, 'is null'],
	])('that is not there is explained by the keys seen: %j', (answer, words) => {
		expect(() => pageOf(answer, undefined, destination)).toThrow(
			`The answer of https://api.example.com/things ${words}, without a list where one is expected.`,
		);
	});

	it.each([
		[{ a: {} }, 'a.b', 'has no “b” at “a”: there is an empty object'],
		[{ a: [] }, 'b', 'has no “b”: there is an object with “a”'],
		[{ a: { b: {} } }, 'a.b', 'has an empty object at “a.b” instead of a list'],
		[{}, '__proto__', 'has no “__proto__”: there is an empty object'],
		[{}, 'constructor.name', 'has no “constructor”: there is an empty object'],
	])('that is not where the user says is explained: %j at %s', (answer, path, words) => {
		expect(() => pageOf(answer, path, destination)).toThrow(words);
	});
});
