/** What the uptime ledger and its report make of nights, exclusions and outages, in the time zone of the workflow. */
import { Settings } from 'luxon';
import { z } from 'zod/v4';
import { assigned, evaluate, type Json, parametersOf } from './expressions';

beforeAll(() => {
	Settings.defaultZone = 'Europe/Berlin';
});
afterAll(() => {
	Settings.defaultZone = 'system';
});

const LEDGER = 'uptime-ledger.json';
const REPORT = 'uptime-report.json';

describe('the nights that the ledger writes', () => {
	const timestamp = '2026-03-30T02:30:00.000+02:00';
	const periodOf = (newest: Json) => {
		const others = { 'Every night': { timestamp }, 'Newest day': newest };
		const { from, to } = assigned(LEDGER, 'Period', newest, others);
		return [from, to].map((each) => String(each).slice(0, 10));
	};

	it.each<[string, Json, from: string]>([
		['yesterday, if it has none', {}, '2026-03-29'],
		['the two days before, too, which late events change', { day: '2026-03-28' }, '2026-03-27'],
		['those that were missed', { day: '2026-03-20' }, '2026-03-19'],
		['29 at most, as the list has no more', { day: '2026-01-01' }, '2026-03-01'],
		['yesterday, if today is there already', { day: '2026-03-30' }, '2026-03-29'],
	])('are %s', (_what, newest, from) => {
		expect(periodOf(newest)).toEqual([from, '2026-03-30']);
	});
});

describe('the exclusions of the ledger', () => {
	const PERIOD = { from: '2026-03-27T00:00:00.000+01:00', to: '2026-03-30T00:00:00.000+02:00' };
	const exclusionsOf = (...rows: readonly Json[]) =>
		assigned(LEDGER, 'Exclusions', rows, { Period: PERIOD })['exclusions'] as Json[];
	const row = { assetId: 'asset_1', port: '2', weekdays: null, reason: 'Works' };

	it('repeat each day, over midnight and a change of the clocks', () => {
		const found = exclusionsOf({ ...row, from: '22:00', to: '06:00' });
		expect(found.map(({ from, to }) => [from, to])).toEqual([
			['2026-03-26T22:00:00.000+01:00', '2026-03-27T06:00:00.000+01:00'],
			['2026-03-27T22:00:00.000+01:00', '2026-03-28T06:00:00.000+01:00'],
			['2026-03-28T22:00:00.000+01:00', '2026-03-29T06:00:00.000+02:00'],
			['2026-03-29T22:00:00.000+02:00', '2026-03-30T06:00:00.000+02:00'],
		]);
		expect(found[0]).toMatchObject({ assetId: 'asset_1', connector: '2', reason: 'Works' });
	});

	it('repeat on some days of the week', () => {
		const found = exclusionsOf({ ...row, weekdays: '6, 7', from: '08:00', to: '12:00' });
		expect(found.map(({ from }) => String(from).slice(0, 10))).toEqual([
			'2026-03-28',
			'2026-03-29',
		]);
	});

	it('begin and end the first time that a clock shows an hour twice, at whatever time of the year they are read', () => {
		const Period = { from: '2026-10-24T00:00+02:00', to: '2026-10-26T00:00+01:00' };
		const now = Settings.now;
		try {
			for (const read of ['2026-07-01', '2026-12-01']) {
				Settings.now = () => Date.parse(read);
				const rows = [{ ...row, weekdays: '7', from: '02:00', to: '02:30' }];
				expect(assigned(LEDGER, 'Exclusions', rows, { Period })['exclusions']).toMatchObject([
					{ from: '2026-10-25T02:00:00.000+02:00', to: '2026-10-25T02:30:00.000+02:00' },
				]);
			}
		} finally {
			Settings.now = now;
		}
	});

	it('leave out an hour that the change of the clocks skips', () => {
		expect(exclusionsOf({ ...row, weekdays: '7', from: '02:00', to: '03:00' })).toEqual([]);
	});

	it('have dates, are none if the table is empty, and keep what is no time for the error', () => {
		const once = { ...row, from: '2026-03-28T08:00', to: '2026-03-28T09:30' };
		expect(exclusionsOf(once)).toMatchObject([
			// The node reads them in the time zone of the workflow.
			{ from: '2026-03-28T08:00', to: '2026-03-28T09:30' },
		]);
		expect(exclusionsOf({})).toEqual([]);
		expect(exclusionsOf({ ...row, from: '2026-03-28Thu', to: '09:30' })).toMatchObject([
			{ from: '2026-03-28Thu' },
		]);
		const wrong = { ...row, weekdays: '6', from: 'noon', to: 'evening' };
		expect(exclusionsOf(wrong)).toMatchObject([{ from: 'noon', to: 'evening' }]);
	});
});

it('the report joins the pieces of an outage, and no others', () => {
	const piece = (from: string, to: string, more: Json = {}) => ({
		...{ key: from, assetId: 'asset_1', port: '1', from, to, seconds: 60, excludedSeconds: 30 },
		...{ causes: 'offline', errorCode: '', exclusionReasons: '', final: true, ...more },
	});
	const faulted = { causes: 'faulted', errorCode: 'GroundFailure', exclusionReasons: 'Works' };
	const rows = [
		piece('2026-03-02T00:00Z', '2026-03-03T00:00Z', faulted),
		piece('2026-03-01T20:00Z', '2026-03-02T00:00Z'),
		piece('2026-03-02T00:00Z', '2026-03-02T01:00Z', { port: '2' }),
		piece('2026-03-03T00:00Z', ''),
		piece('2026-03-05T00:00Z', '2026-03-05T01:00Z'),
	];
	const joined = assigned(REPORT, 'Join at midnight', rows)['outages'] as Json[];
	expect(joined).toMatchObject([
		{
			...{ port: '1', from: '2026-03-01T20:00Z', to: '', seconds: 180, excludedSeconds: 90 },
			errorCode: 'GroundFailure',
		},
		{ port: '1', from: '2026-03-05T00:00Z' },
		{ port: '2', from: '2026-03-02T00:00Z' },
	]);
	const Period = { from: '2026-03-01T00:00+01:00', to: '2026-04-01T00:00+02:00' };
	expect(assigned(REPORT, 'Outage rows', joined[0] ?? {}, { Period })).toMatchObject({
		...{ from: '2026-03-01T21:00:00.000+01:00', to: '', minutes: 3, excludedMinutes: 1.5 },
		...{ causes: 'offline, faulted', exclusionReasons: 'Works' },
	});
	expect(assigned(REPORT, 'Join at midnight', [{}])['outages']).toEqual([]);
	const none = (uptime: Json) =>
		assigned(REPORT, 'Outage rows', {}, { Period, 'Read uptime': uptime })['station'];
	expect([none({ key: 'asset_1' }), none({})]).toEqual(['No outages', 'No data']);
});

it.each([
	['inside', '2026-03-01T00:01Z', '2026-03-31T21:59Z', false, false],
	['before it', '2026-02-28T23:00Z', '2026-03-02T00:00Z', true, false],
	['after it', '2026-03-30T00:00Z', '2026-03-31T22:00Z', false, true],
	['on, as far as is known', '2026-02-28T23:00Z', '', true, true],
])('an outage of the report goes %s', (_where, from, to, beganBefore, continuesAfter) => {
	const Period = { from: '2026-03-01T00:00+01:00', to: '2026-04-01T00:00+02:00' };
	expect(
		assigned(REPORT, 'Outage rows', { assetId: 'asset_1', from, to }, { Period }),
	).toMatchObject({ beganBefore, continuesAfter });
});

describe('the rows that the ledger writes', () => {
	const timestamp = '2026-03-30T02:30:00.000+02:00';
	const place = { station: { id: 'asset_1', name: 'Gare du Nord 2' }, port: null, final: true };
	const columnsOf = (table: string) => {
		const Columns = z.object({ column: z.array(z.object({ name: z.string() })) });
		const { column } = Columns.parse(parametersOf(LEDGER, table)['columns']);
		return column.map(({ name }) => name);
	};
	const rowOf = (node: string, item: Json) =>
		assigned(LEDGER, node, item, { 'Every night': { timestamp } });

	it('have the columns of the table of days', () => {
		const seconds = {
			...{ up: 1, outage: 2, excludedOutage: 3, offline: 4, silent: 5, faulted: 6 },
			...{ unavailable: 7, unknown: 8, excluded: 9 },
		};
		const period = { from: '2026-03-28T23:00:00.000Z', to: '2026-03-29T22:00:00.000Z' };
		const types = { connectorType: null, powerType: 'DC' };
		const more = { ...types, uptimePercent: null, seconds, exclusionReasons: ['Works', 'Closed'] };
		const row = rowOf('Uptime rows', { ...place, ...period, ...more });
		expect(Object.keys(row)).toEqual(columnsOf('Uptime table'));
		expect(row).toMatchObject({
			...{ key: 'asset_1|-|2026-03-29', day: '2026-03-29', month: '2026-03', port: '-' },
			...{ connectorType: '', uptimePercent: null, upSeconds: 1, excludedSeconds: 9 },
			...{ exclusionReasons: 'Works; Closed', final: true, writtenAt: '2026-03-30T00:30:00.000Z' },
		});
	});

	it('have the columns of the table of outages', () => {
		const more = { causes: ['offline', 'faulted'], cause: 'offline', errorCode: null };
		const seconds = { outage: 60, excludedOutage: 30 };
		const from = '2026-03-28T23:30:00.000Z';
		const outage = { ...place, from, to: null, ...more, seconds, exclusionReasons: [] };
		const row = rowOf('Outage rows', outage);
		expect(Object.keys(row)).toEqual(columnsOf('Outages table'));
		expect(row).toMatchObject({
			...{ key: `asset_1|-|${from}`, day: '2026-03-29', to: '', seconds: 60, excludedSeconds: 30 },
			...{ causes: 'offline, faulted', errorCode: '', exclusionReasons: '' },
		});
	});

	it.each(['days', 'outages'])(
		'are compared by all columns but the time of writing: %s',
		(what) => {
			const { mergeByFields, resolve, options } = parametersOf(LEDGER, `Compare ${what}`);
			expect(mergeByFields).toEqual({ values: [{ field1: 'key', field2: 'key' }] });
			expect([resolve, options]).toEqual([
				'preferInput1',
				{ skipFields: 'id, createdAt, updatedAt, writtenAt' },
			]);
		},
	);
});

it.each([
	[1, '2026-03', '2026-03-01', '2026-04-01'],
	[3, '2026-01-to-2026-03', '2026-01-01', '2026-04-01'],
	[12, '2025-04-to-2026-03', '2025-04-01', '2026-04-01'],
])('a report of %i months has the whole months before', (months, name, from, to) => {
	const period = assigned(REPORT, 'Period', { months, timestamp: '2026-04-03T06:00:00.000+02:00' });
	expect(period['name']).toBe(name);
	expect([period['from'], period['to']].map((each) => String(each).slice(0, 10))).toEqual([
		from,
		to,
	]);
});

it('the mail names ports below 97%, and what is unknown', () => {
	const port = (name: string, uptimePercent: number | null, more: Json = {}) => ({
		...{ station: 'Gare du Nord 2', assetId: 'asset_1', port: name, uptimePercent },
		...{ uptimePercentOfPeriod: 98, reliablePercent: 99.5, downMinutes: 100.5 },
		...{ unknownMinutes: 0, daysWithoutData: 0, ...more },
	});
	const ports = [
		port('2', null, { unknownMinutes: 600, daysWithoutData: 2 }),
		port('1', 96.999),
		port('3', 100),
	];
	const others = {
		...{ 'Port rows': ports, Period: { name: '2026-03' } },
		'Read uptime': [
			{ key: '1', final: false },
			{ key: '2', final: true },
		],
	};
	const { subject, text } = parametersOf(REPORT, 'Send email');
	expect(evaluate(String(subject), [{}], others)).toBe(
		'Uptime 2026-03: 98.49% on average, 1 of 3 ports below 97%',
	);
	const lines = String(evaluate(String(text), [{}], others)).split('\n');
	expect(lines).toEqual(
		expect.arrayContaining([
			'up, of the time that is known: 98.49%',
			'not faulted and not unavailable: 99.5%',
			'Gare du Nord 2, port 1: 96.999%, down 100.5 minutes',
			'1 ports of which nothing is known',
			'10 hours of all ports with unknown status',
			'2 days of ports without a row',
			'1 rows that a later event could have changed',
		]),
	);
});

it('the report of a time without rows says how many days are missing, in the mail and in each file', () => {
	const Period = {
		...{ name: '2026-01-to-2026-03' },
		...{ from: '2026-01-01T00:00:00.000+01:00', to: '2026-04-01T00:00:00.000+02:00' },
	};
	// Of the one empty item that Read uptime has.
	const { fieldsToSummarize } = parametersOf(REPORT, 'Sum per month');
	const Values = z.object({
		values: z.array(z.object({ aggregation: z.string(), field: z.string() })),
	});
	const summed: Json = Object.fromEntries(
		Values.parse(fieldsToSummarize).values.map(({ aggregation, field }): [string, unknown] =>
			aggregation === 'append' ? [`appended_${field}`, []] : [`${aggregation}_${field}`, 0],
		),
	);
	const rows: Json[] = ['Port rows', 'Month rows'].map((node) =>
		assigned(REPORT, node, summed, { Period, 'Read uptime': {} }),
	);
	for (const row of rows)
		expect(row).toMatchObject({
			...{ station: 'No data', assetId: '', daysWithoutData: 90, uptimePercent: null },
			...{ from: Period.from, to: Period.to, reliablePercent: null, unknownMinutes: 0 },
		});
	expect(rows[1]).toMatchObject({ month: Period.name });
	const others = { Period, 'Port rows': rows[0] ?? {}, 'Read uptime': {} };
	const [subject, text] = ['subject', 'text'].map((name) =>
		evaluate(String(parametersOf(REPORT, 'Send email')[name]), [{}], others),
	);
	expect(subject).toBe('Uptime 2026-01-to-2026-03: no data');
	expect(text).toBe(
		'No data: the table Uptime days has no row of these 90 days, 2026-01-to-2026-03.\n' +
			'Is the workflow Uptime ledger published? It writes a row per port and day.',
	);
});

describe('the page of station days', () => {
	const day = (ago: number) => new Date(Date.now() - ago * 24 * 60 * 60_000).toISOString();
	const row = (station: string, ago: number, outageSeconds: number) => ({
		...{ key: `${station}${ago}`, assetId: station, station, day: day(ago).slice(0, 10) },
		...{ upSeconds: 1_000 - outageSeconds, outageSeconds, excludedOutageSeconds: 0 },
	});
	const pageOf = (rows: readonly Json[]) =>
		String(evaluate(String(parametersOf('station-days.json', 'Page')['html']), rows));

	it('has a bar per day for each station, the lowest first', () => {
		const page = pageOf([row('<b>One</b>', 3, 0), row('Two', 3, 500), row('Two', 4, 0)]);
		expect(page.match(/<rect /g)).toHaveLength(60);
		expect(page.indexOf('Two')).toBeLessThan(page.indexOf('&#60;b&#62;One'));
		expect(page).not.toContain('<b>One');
		expect(page).toContain(': 50%');
		expect(page).toContain('<td>75%</td>');
		expect(page.match(/class="unknown"/g)).toHaveLength(57);
		expect(page).not.toMatch(/<script|src=|href=/);
	});

	it('is empty without rows', () => {
		expect(pageOf([{}])).not.toContain('<rect');
	});
});
