import { eventFromList, eventTypeFilter, readConditions, Survey } from '../../../lib/event';

const condition = (field: string, operator: string, value = '') => ({ field, operator, value });
const surveyOf = (types: readonly string[], ...conditions: unknown[]) =>
	new Survey({
		isWantedType: eventTypeFilter(types),
		conditions: readConditions({ condition: conditions }),
	});
const look = (survey: Survey, ...records: Record<string, unknown>[]) =>
	records.map((record, n) => {
		const id = `whevt_${n}`;
		return survey.inspect(eventFromList({ id, type: 'ocpp.message', ...record }, id));
	});
const status = (value: unknown, more: object = {}) => ({
	data: { payload: { status: value, ...more } },
});
const FAULTED = condition('data.payload.status', 'equals', 'Faulted');

describe('a survey of events', () => {
	it('says which of them are wanted, and counts the others', () => {
		const survey = surveyOf(['ocpp.*'], FAULTED);
		expect(look(survey, status('Faulted'), status('Available'), { type: 'a' }, {})).toEqual([
			true,
			false,
			false,
			false,
		]);
		expect(survey).toMatchObject({ inspected: 4, ignored: 3 });
	});

	it('says nothing of no event, and nothing of wanted ones', () => {
		const survey = surveyOf([], FAULTED);
		expect([survey.nearest, survey.missing]).toEqual([undefined, []]);
		look(survey, status('Faulted'));
		expect([survey.nearest, survey.missing, survey.why]).toEqual([undefined, [], '']);
	});

	it('names the nearest miss: the first one of those that met the most conditions', () => {
		const survey = surveyOf(
			['ocpp.*'],
			FAULTED,
			condition('data.payload.connectorId', 'greaterThan', '1'),
		);
		look(survey, { type: 'asset.connectivity' });
		expect(survey.nearest).toBe("type 'asset.connectivity' is not among 'Trigger On'");
		look(survey, { type: 7 });
		expect(survey.nearest).toBe("type 'asset.connectivity' is not among 'Trigger On'");
		look(survey, { data: {} });
		expect(survey.nearest).toBe("condition 'Status equals Faulted' found no value");
		look(survey, status('Preparing'));
		expect(survey.nearest).toBe("condition 'Status equals Faulted' did not match 'Preparing'");
		look(survey, status('Available', { connectorId: 2 }), status('Charging', { connectorId: 3 }));
		expect(survey.nearest).toBe("condition 'Status equals Faulted' did not match 'Available'");
		expect(survey.why).toBe(
			"Nearest: condition 'Status equals Faulted' did not match 'Available'.",
		);
	});

	it.each([
		['equals', 'ok, faulted'],
		['contains', 'FAULT'],
		['startsWith', 'faul'],
	])('prefers a value that differs from the wanted one only in case: %s %s', (operator, value) => {
		const survey = surveyOf([], condition('data.payload.status', operator, value));
		look(survey, status('Charging'), status(['Available', 'Faulted']), status('Preparing'));
		expect(survey.nearest).toMatch(/^condition 'Status .*' did not match 'Faulted': case matters$/);
	});

	it.each([
		['notEquals', 'Charging'],
		['notExists', ''],
		['greaterThan', '7'],
		['equals', 'Faulted'],
	])('does not blame the case where it is not the reason: %s %s', (operator, value) => {
		const survey = surveyOf([], condition('data.payload.status', operator, value));
		look(survey, status('Charging'));
		expect(survey.nearest).toMatch(/ did not match 'Charging'$/);
	});

	it.each([
		['a number', 2, "'2'"],
		['false', false, "'false'"],
		['an empty text', '', "''"],
		['null', null, 'null'],
		['an object', { a: 1 }, 'an object'],
		['a list', ['a', ['b'], 3], "'a', 'b' or '3'"],
		['a long list', Array.from('abcde'), "'a', 'b', 'c' or others"],
		['a long text', 'x'.repeat(200), `'${'x'.repeat(49)}…'`],
		['a text like HTML', '<b>x</b>', "'‹b>x‹/b>'"],
		['a text that cannot be shown', 'a\n\u001b[31mb', "'a\ufffd[31mb'"],
	])('shows the value that did not match: %s', (_what, value, shown) => {
		const survey = surveyOf([], condition('data.value', 'equals', 'x'));
		look(survey, { data: { value } });
		expect(survey.nearest).toBe(`condition 'data.value equals x' did not match ${shown}`);
	});

	it.each([
		['data.value', 'notExists', { value: 'there' }, "did not match 'there'"],
		['data.value', 'exists', { value: null }, 'did not match null'],
		['data.value', 'exists', {}, 'found no value'],
		['data.value', 'equals', { value: [] }, 'found no value'],
	])('shows why %s %s did not match %j', (field, operator, data, shown) => {
		const survey = surveyOf([], condition(field, operator, 'x'));
		look(survey, { data });
		expect(survey.nearest).toMatch(shown);
	});
});

describe('a field that no event has', () => {
	const ERROR = { data: { payload: { errorCode: 'NoError' }, list: [{ deep: 1 }] } };
	const missing = (field: string, operator = 'equals', ...records: Record<string, unknown>[]) => {
		const survey = surveyOf(['ocpp.*'], condition(field, operator, 'x'));
		look(survey, ...(records.length > 0 ? records : [ERROR, ERROR]));
		return survey.missing;
	};

	it.each([
		['data.payload.erorCode', 'data.payload.errorCode'],
		['data.payload.ErrorCode', 'data.payload.errorCode'],
		['data.payload.errorcodes', 'data.payload.errorCode'],
		['dta.payload.errorCode', 'data.payload.errorCode'],
		['payload.errorCode', 'data.payload.errorCode'],
		['errorcode', 'data.payload.errorCode'],
		['data.list.dep', 'data.list.deep'],
		['data.paylod', 'data.payload'],
		['typ', 'type'],
	])('%s may be meant as %s', (field, suggestion) => {
		expect(missing(field)).toEqual([
			`None of 2 events has a field '${field}'. Did you mean '${suggestion}'?`,
		]);
	});

	it.each(['data.payload.vendorErrorCode', 'data.payload.status', 'x', 'x'.repeat(5000)])(
		'%.30s is like no other',
		(field) => {
			expect(missing(field)).toEqual([
				`None of 2 events has a field '${field.length > 100 ? `${'x'.repeat(99)}…` : field}'.`,
			]);
		},
	);

	it.each(['data.payload.errorCode', 'data.list', 'data.list.deep', 'data', 'type'])(
		'is not %s, which they have',
		(field) => {
			expect(missing(field)).toEqual([]);
		},
	);

	it('has a field that one event of many has, even as null, or in only one element of a list', () => {
		expect(missing('data.rare', 'equals', ERROR, { data: { rare: null } })).toEqual([]);
		expect(missing('data.list.rare', 'equals', { data: { list: [{ rare: 1 }, {}] } })).toEqual([]);
	});

	it('is named after the nearest miss', () => {
		const survey = surveyOf([], condition('data.missing', 'exists'), condition('x', 'exists'));
		look(survey, ERROR);
		expect(survey.why).toBe(
			"Nearest: condition 'data.missing exists' found no value. The event has no field 'data.missing'. The event has no field 'x'.",
		);
	});

	it('is compared with the fields of the first 1,000 events', () => {
		const others = Array.from({ length: 999 }, () => ({}));
		expect(missing('erorCode', 'equals', ...others, ERROR)).toEqual([
			"None of 1,000 events has a field 'erorCode'. Did you mean 'data.payload.errorCode'?",
		]);
		expect(missing('erorCode', 'equals', ...others, {}, ERROR)).toEqual([
			"None of 1,001 events has a field 'erorCode'.",
		]);
	});

	it('counts events of the wanted types only', () => {
		const other = { type: 'asset.created', erorCode: 1 };
		expect(missing('erorCode', 'equals', ERROR, other, other)).toEqual([
			"The 1 event of a wanted type has no field 'erorCode'. Did you mean 'data.payload.errorCode'?",
		]);
		expect(missing('erorCode', 'equals', ERROR)).toEqual([
			"The event has no field 'erorCode'. Did you mean 'data.payload.errorCode'?",
		]);
		expect(missing('erorCode', 'equals', other)).toEqual([]);
	});

	it('may be meant where a condition says that it must not exist, unless another is like it', () => {
		expect(missing('data.payload.status', 'notExists')).toEqual([]);
		expect(missing('data.payload.erorCode', 'notExists')).toHaveLength(1);
		expect(missing('data.payload.erorCode', 'notEquals')).toHaveLength(1);
	});

	it('is looked for in bounded time and space, whatever the events hold', () => {
		let deep: unknown = 'x';
		for (let n = 0; n < 5_000; n++) deep = { deep, list: [deep] };
		const wide = Object.fromEntries(
			Array.from({ length: 20_000 }, (_, n) => [`${'field'.repeat(30)}_${n}`, { n }]),
		);
		const survey = surveyOf([], condition('data.'.repeat(19) + 'x', 'equals', 'x'));
		const started = performance.now();
		for (let n = 0; n < 50; n++) look(survey, { deep, wide, [`a.${n}`]: 1, '': 1 });
		expect(survey.missing).toHaveLength(1);
		expect(performance.now() - started).toBeLessThan(5_000);
	});
});

describe('the doubts about a filter', () => {
	const MET = condition('data.payload.status', 'startsWith', 'F');

	it('are none without events, and none if each condition is met', () => {
		const survey = surveyOf(['ocpp.*'], FAULTED, MET);
		expect(survey.doubts).toEqual([]);
		look(survey, status('Faulted'), status('Available'));
		expect(survey.doubts).toEqual([]);
	});

	it('name the types, if no event has one of them', () => {
		const survey = surveyOf(['ocpp'], FAULTED);
		look(survey, status('Faulted'));
		expect(survey.doubts).toEqual(['The only listed event does not have one of the event types.']);
	});

	it.each([
		['Faulted', "No listed event meets the condition 'Status equals Faulted'."],
		[
			'FAULTED',
			"No listed event meets the condition 'Status equals FAULTED'. Case matters: one of them has 'Faulted'.",
		],
	])('name a condition that no event meets: %s', (value, doubt) => {
		const survey = surveyOf([], MET, condition('data.payload.status', 'equals', value));
		const values = value === 'FAULTED' ? ['Faulted', 'faulted'] : ['Finishing', 'Available'];
		look(survey, ...values.map((each) => status(each)));
		expect(survey.doubts).toEqual([doubt]);
	});

	it('name a field that no event has, once', () => {
		const survey = surveyOf([], condition('data.payload.statu', 'equals', 'Faulted'));
		look(survey, status('Faulted'), status('Available'));
		expect(survey.doubts).toEqual([
			"None of 2 events has a field 'data.payload.statu'. Did you mean 'data.payload.status'?",
		]);
	});

	it('say that no event meets all conditions, where each is met', () => {
		const survey = surveyOf([], FAULTED, condition('data.payload.connectorId', 'equals', '1'));
		look(survey, status('Faulted', { connectorId: 2 }), status('Available', { connectorId: 1 }));
		expect(survey.doubts).toEqual(['No listed event meets all conditions.']);
	});
});
