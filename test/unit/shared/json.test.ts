import fc from 'fast-check';
import { brokenBoundOf, brokenRecords, RECORD_BOUNDS, scalarIn } from '../../../lib/shared/json';

const { levels, values, characters } = RECORD_BOUNDS;
const nested = (depth: number, [open, close] = ['[', ']']) =>
	open.repeat(depth) + close.repeat(depth);
const DEEP = 'it is nested more than 500 levels deep';
const MANY = 'it has more than 40,000 values';

describe('the bounds of a text', () => {
	it.each([
		['as deep as may be', nested(levels)],
		['wide', `[${nested(levels - 1)},${nested(levels - 1)}]`],
		['with brackets in its texts', JSON.stringify(['['.repeat(2 * levels)])],
		['with quotes in its texts', JSON.stringify(Array(levels).fill('\\"[[[\\\\"'))],
		['with a text that does not end', `["${'['.repeat(2 * levels)}`],
		['with as many values as may be', `[${'0,'.repeat(values - 1)}0]`],
		['as large as may be', `["${'x'.repeat(characters - 4)}"]`],
	])('are met by one %s', (_name, text) => {
		expect(brokenBoundOf(text)).toBeUndefined();
	});

	it.each([
		['lists', nested(levels + 1), DEEP],
		['objects', nested(levels + 1, ['{"a":', '}']), DEEP],
		[
			'levels behind a text that would close them',
			`["${']'.repeat(600)}",${nested(levels)}]`,
			DEEP,
		],
		['levels behind an escaped quote', `["\\"",${nested(levels)}]`, DEEP],
		['levels that do not end', '['.repeat(32_000_000), DEEP],
		['values', `[${'{},'.repeat(values / 2)}0]`, MANY],
		['characters', `["${'x'.repeat(characters)}"]`, 'it is larger than 16 MB'],
	])('are broken by too many %s', (_name, text, problem) => {
		expect(brokenBoundOf(text)).toBe(problem);
	});
});

const broken = (text: string, most = 4_000_000, insideLists = 0) => {
	const found = brokenRecords(text, most, insideLists);
	return {
		problem: found.problem,
		records: found.broken.map(({ start, end, problem }) => [text.slice(start, end), problem]),
	};
};

describe('the records of a list that break a bound', () => {
	const odd = `{"id":"odd","data":${nested(levels)}}`;
	const wide = `{"id":"wide","data":[${'0,'.repeat(4_500_000)}0]}`;

	it.each([
		['a bare list', ['[', ']']],
		['{ items }', ['{"items":[', '],"hasMore":true}']],
		['{ data: { items } }', ['{"data":{"hasMore":true,"items":[', ']}}']],
		['an envelope with another list', ['{"warnings":["a",{"b":[1]}],"data":[', ']}']],
	])('are found in %s, at any place', (_name, [start = '', end = '']) => {
		for (const records of [
			[odd, '{"id":1}', '{}'],
			['{"id":1}', odd, '7'],
			['{}', '"[[["', odd],
		]) {
			const list = `${start}${records.join(' , ')}${end}`;
			expect(broken(list)).toEqual({ problem: undefined, records: [[odd, DEEP]] });
		}
		expect(broken(`${start}${odd},{},${wide},null${end}`).records).toEqual([
			[odd, DEEP],
			[wide, MANY],
		]);
	});

	it('are those of the list inside of other lists, if the caller says so', () => {
		const list = `[{"rows":[{"id":1},${odd}]}]`;
		expect(broken(list, 100, 1).records).toEqual([[odd, DEEP]]);
		expect(broken(list, 100).records).toEqual([[`{"rows":[{"id":1},${odd}]}`, DEEP]]);
	});

	it.each([
		['is nested too deep around them', `{"a":${nested(levels, ['{"a":', '}'])},"items":[]}`, DEEP],
		[
			'has too many values around them',
			`{"a":{${'"a":0,'.repeat(101)}"a":0}}`,
			'it has more than 100 values',
		],
		[
			'has too many values in all of them',
			`[${'[0,0,0],'.repeat(40)}0]`,
			'it has more than 100 values',
		],
		['has too many of them', `[${'0,'.repeat(101)}0]`, 'it has more than 100 values'],
	])('are not all that is wrong where the response %s', (_name, text, problem) => {
		expect(broken(text, 100)).toEqual({ problem, records: [] });
	});

	it('do not count for the others', () => {
		expect(broken(`[${wide},[0]]`, 100)).toEqual({ problem: undefined, records: [[wide, MANY]] });
	});
});

describe('the text or number at a path of a record that is not parsed', () => {
	const at = (text: string, path = 'id') =>
		scalarIn(text, { start: 0, end: text.length, problem: '' }, path);

	const cases: [name: string, text: string, value: unknown, path?: string][] = [
		['a text', '{"a":[1,{"id":2}],"id":"x\\u00e9\\"y","b":{}}', 'xé"y'],
		['a number', '{ "id" : 7 , "a":1}', 7],
		['the last field', '{"a":"}","id":-7}', -7],
		['a large number', '{"id":9007199254740993}', '9007199254740993'],
		['an escaped name', '{"\\u0069d":"x"}', 'x'],
		['the last of two', '{"id":"x","id":"y"}', 'y'],
		['a path', '{"meta":{"x":1,"event":{"id":"y"}},"id":"x"}', 'y', 'meta.event.id'],
		['a word', '{"id":true}', undefined],
		['null', '{"id":null}', undefined],
		['an object', '{"id":{"id":1}}', undefined],
		['a long text', `{"id":"${'x'.repeat(10_000)}"}`, undefined],
		['nothing', '{"a":{"id":1}}', undefined],
		['no object on the path', '{"meta":[1]}', undefined, 'meta.0'],
		['a list', '[{"id":1}]', undefined],
		['a record that breaks off', '{"a":1,"id"', undefined],
		['no JSON', '{id:1}', undefined],
	];
	it.each(cases.map(([name, ...given]) => ({ name, given })))('is read from $name', ({ given }) => {
		const [text, value, path] = given;
		expect(at(text, path)).toBe(value);
	});

	it('is that of the parser', () => {
		const scalars = fc.oneof(fc.string(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
		const names = fc.oneof(fc.constantFrom('id', 'a', '__proto__'), fc.string());
		const { record } = fc.letrec((tie) => ({
			record: fc.array(fc.tuple(names, tie('value'))),
			value: fc.oneof({ maxDepth: 3 }, scalars, fc.array(scalars), tie('record')),
		}));
		const textOf = (value: unknown): string =>
			Array.isArray(value) && value.every((each) => Array.isArray(each))
				? `{${value.map(([name, inner]) => `${JSON.stringify(name)}: ${textOf(inner)}`).join()}}`
				: JSON.stringify(value);
		fc.assert(
			fc.property(record, (fields) => {
				const text = textOf(fields);
				const parsed = JSON.parse(text) as Record<string, unknown>;
				const id = Object.hasOwn(parsed, 'id') ? parsed['id'] : undefined;
				const isScalar = typeof id === 'string' || typeof id === 'number';
				expect(at(text)).toEqual(isScalar ? id : undefined);
			}),
		);
	});

	it('takes time in proportion to the text', () => {
		const fields = Array.from({ length: 400_000 }, (_, n) => `"f${n}":${n}`).join();
		const text = `{${fields},"id":"x"}`;
		const begun = performance.now();
		expect(at(text)).toBe('x');
		expect(performance.now() - begun).toBeLessThan(2_000);
	});
});
