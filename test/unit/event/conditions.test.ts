import { CONDITION_FIELDS, OPERATORS, readConditions } from '../../../lib/event';

const event = {
	id: 'whevt_1',
	type: 'ocpp.message',
	nothing: null,
	data: {
		asset: { id: 'asset_1' },
		action: 'StatusNotification',
		payload: { status: 'Faulted, hot', connectorId: 2, ok: true, power: '7.5', empty: '' },
		tags: ['a', 'b', 3],
		none: [],
		connectors: [
			{ id: 1, status: 'Available' },
			{ id: 2, status: 'Faulted', faults: [{ code: 'X' }] },
		],
	},
};
const condition = (field: unknown, operator: unknown, value?: unknown) => ({
	field,
	operator,
	value,
});
const read = (...conditions: unknown[]) => readConditions({ condition: conditions });

describe('a condition', () => {
	const cases: [field: string, operator: string, value: unknown, isMet: boolean][] = [
		['data.asset.id', 'equals', 'asset_1', true],
		['data.asset.id', 'equals', 'Asset_1', false],
		['data.asset.id', 'equals', 'asset_2, asset_1', true],
		['data.asset.id', 'equals', ' asset_1 ,', true],
		['data.payload.status', 'equals', 'Faulted, hot', false],
		['data.payload.status', 'equals', 'Faulted\\, hot', true],
		['data.payload.connectorId', 'equals', '2', true],
		['data.payload.connectorId', 'equals', 2, true],
		['data.payload.connectorId', 'equals', '2.0', false],
		['data.payload.ok', 'equals', 'true', true],
		['data.payload', 'equals', '[object Object]', false],
		['nothing', 'equals', 'null', false],
		['data.asset.id', 'notEquals', 'asset_2', true],
		['data.asset.id', 'notEquals', 'asset_2, asset_1', false],
		['data.missing', 'notEquals', 'x', true],
		['data.missing', 'equals', 'x', false],
		['data.action', 'contains', 'Noti', true],
		['data.action', 'contains', 'noti', false],
		['data.action', 'contains', 'Heart, Status', true],
		['data.missing', 'contains', 'x', false],
		['data.action', 'startsWith', 'Stop, Status', true],
		['data.action', 'startsWith', 'Notification', false],
		['data.missing', 'startsWith', 'x', false],
		['data.payload.connectorId', 'greaterThan', '1.9', true],
		['data.payload.connectorId', 'greaterThan', '2', false],
		['data.payload.connectorId', 'lessThan', '2.1', true],
		['data.payload.connectorId', 'lessThan', 2, false],
		['data.payload.connectorId', 'greaterThan', '-2', true],
		['data.payload.connectorId', 'lessThan', ' +10 ', true],
		['data.payload.connectorId', 'greaterThan', '.25', true],
		['data.payload.connectorId', 'greaterThan', '1.5e-10', true],
		['data.payload.connectorId', 'lessThan', '1E3', true],
		['data.missing', 'lessThan', '1', false],
		['data.payload.power', 'greaterThan', '7', true],
		['data.payload.connectorId', 'lessThan', '3.', true],
		['data.payload.ok', 'greaterThan', '0', false],
		['data.payload.empty', 'lessThan', '1', false],
		['data.action', 'lessThan', '1', false],
		['data.payload.empty', 'exists', '', true],
		['nothing', 'exists', '', false],
		['nothing', 'notExists', '', true],
		['data.missing.deeper', 'exists', '', false],
		['data.missing.deeper', 'notExists', '', true],
		['data.asset.id', 'notExists', '', false],
		['data.none', 'exists', '', true],
		['toString', 'exists', '', false],
		['data.tags.length', 'exists', '', false],
		['__proto__', 'exists', '', false],
		['data.tags', 'equals', 'b', true],
		['data.tags', 'equals', '3', true],
		['data.tags', 'notEquals', 'a', true],
		['data.none', 'equals', 'a', false],
		['data.none', 'notEquals', 'a', true],
		['data.connectors.status', 'equals', 'Faulted', true],
		['data.connectors.status', 'equals', 'Charging', false],
		['data.connectors.id', 'greaterThan', '1', true],
		['data.connectors.faults.code', 'equals', 'X', true],
		['data.connectors.faults', 'notExists', '', true],
		[' data.action ', 'equals', 'StatusNotification', true],
	];

	it.each(cases)('%s %s %j is met: %s', (field, operator, value, expected) => {
		const { problems, unmet } = read(condition(field, operator, value));
		expect(problems).toEqual([]);
		expect(unmet(event) === undefined).toBe(expected);
	});

	it.each(Object.keys(OPERATORS))(
		'has a case with %s that is met, and one that is not',
		(operator) => {
			const outcomes = cases.flatMap(([, used, , isMet]) => (used === operator ? [isMet] : []));
			expect([...new Set(outcomes)].sort()).toEqual([false, true]);
		},
	);

	it.each(Object.entries(CONDITION_FIELDS))('on %s is shown with its name, %s', (path, name) => {
		expect(read(condition(path, 'exists')).unmet({})).toBe(`${name} exists`);
	});

	it('may name a field that is not offered', () => {
		const { unmet } = read({ field: 'other', path: 'data.asset.id', operator: 'exists' });
		expect(unmet(event)).toBeUndefined();
		expect(unmet({ id: 'whevt_2' })).toBe('Asset ID exists');
		const { unmet: unmetByPath } = read({ field: 'other', path: 'data.own', operator: 'exists' });
		expect(unmetByPath(event)).toBe('data.own exists');
	});

	it.each([
		['', 'equals', 'a', /Condition 1: 'Field' is not the path/],
		['data..id', 'equals', 'a', /'Field' is not the path/],
		[undefined, 'equals', 'a', /'Field' is not the path/],
		[
			'id',
			'matches',
			'a',
			/select an operator: Contains, Does Not Equal, Does Not Exist, Equals, Exists, Greater Than, Less Than, Starts With\.$/,
		],
		['id', undefined, 'a', /select an operator/],
		['id', 'equals', '', /'Value' is empty/],
		['id', 'contains', ' , ', /'Value' is empty/],
		['id', 'startsWith', null, /'Value' is empty/],
		['id', 'greaterThan', 'abc', /'abc' is not a number/],
		['id', 'lessThan', '1,5', /'1,5' is not a number/],
		['id', 'lessThan', '1e999', /is not a number/],
		['id', 'greaterThan', '0x10', /is not a number/],
	])('cannot be met as %j %j %j', (field, operator, value, problem) => {
		expect(read(condition(field, operator, value)).problems).toEqual([
			expect.stringMatching(problem) as string,
		]);
	});
});

describe('conditions', () => {
	it('must all be met, and the first that is not is named', () => {
		const { unmet } = read(
			condition('type', 'equals', 'ocpp.message'),
			condition('data.payload.status', 'equals', 'Available'),
			condition('data.missing', 'exists'),
		);
		expect(unmet(event)).toBe('Status equals Available');
	});

	it.each([[undefined], [null], [{}], ['x'], [{ condition: 'x' }], [{ condition: [] }]])(
		'are none in %j',
		(parameter) => {
			const { problems, unmet } = readConditions(parameter);
			expect(problems).toEqual([]);
			expect(unmet(event)).toBeUndefined();
		},
	);

	it('name each problem, and are judged without those that have one', () => {
		const { problems, unmet } = read(condition('a', 'equals', 'b'), condition('', '', ''), 7);
		expect(unmet({ a: 'b' })).toBeUndefined();
		expect(unmet({ a: 'c' })).toBe('a equals b');
		expect(problems.map((problem) => problem.slice(0, 12))).toEqual([
			'Condition 2:',
			'Condition 3:',
		]);
	});

	it('are compiled once for each wording, of which a bounded number is kept', () => {
		const wording = (value: string) => read(condition('id', 'equals', value));
		const [first, second] = [wording('first'), wording('second')];
		expect(wording('first')).toBe(first);
		expect(wording('second')).toBe(second);
		for (let n = 0; n < 200; n++) wording(String(n));
		expect(wording('first')).not.toBe(first);
	});

	it.each(['1', '1.', '.1', '1e', '0'])(
		'take time in proportion to the length of a text such as %s',
		(part) => {
			const { unmet } = read(condition('text', 'greaterThan', '1'));
			// 200 kB took minutes while the pattern could match its digits in two ways.
			const started = performance.now();
			expect(unmet({ text: `${part.repeat(200_000 / part.length)}x` })).toBe('text greater than 1');
			expect(unmet({ text: part.repeat(200_000 / part.length) })).toBe('text greater than 1');
			expect(performance.now() - started).toBeLessThan(5_000);
		},
	);

	it('know the largest numbers, and no text that is longer than any number', () => {
		const { unmet } = read(condition('text', 'greaterThan', '1'));
		expect(unmet({ text: `1${'0'.repeat(308)}` })).toBeUndefined();
		expect(unmet({ text: `  ${'1'.padStart(300, '0')}${'0'.repeat(99)}  ` })).toBeUndefined();
		expect(unmet({ text: '0'.repeat(500) + '7' })).toBe('text greater than 1');
	});

	it('take lists within lists, however deep', () => {
		let deep: unknown = ['x'];
		for (let n = 0; n < 100_000; n++) deep = [deep];
		const { unmet } = read(condition('list', 'equals', 'x'));
		expect(unmet({ list: [[['x']]] })).toBeUndefined();
		expect(unmet({ list: deep })).toBe('list equals x');
	});
});
