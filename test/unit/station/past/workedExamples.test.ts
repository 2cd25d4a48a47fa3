/** The rules' examples: the day of docs/uptime.md, figure by figure as it is written there, and others that were published. */
import { z } from 'zod/v4';
import { tablesOf } from '../../docs/markdown';
import { assigned, type Json, parametersOf } from '../../examples/expressions';
import { OCPP16, OCPP201 } from '../stations';
import { back, lost, message, MINUTE, type StationEvent, time } from '../stationWorld';
import { outages, uptime } from './pastWorld';

const DAY = { from: time('00:00'), to: time('00:00') + 24 * 60 * MINUTE };
const OPTIONS = { ...DAY, assets: ['s1'], now: DAY.to + 10 * MINUTE };
const BEFORE = DAY.from - 60 * MINUTE;
const FILE = 'uptime-report.json';

type Row = Readonly<Record<string, string>>;

/** The tables of the example: what happens at each port, and its figures. */
const [story, figures] = tablesOf('docs/uptime.md')
	.filter(({ columns }) => columns[0] === 'Port')
	.map(({ columns, rows }) =>
		rows.map((cells): Row =>
			Object.fromEntries(columns.map((name, n) => [name.replaceAll('`', ''), cells[n] ?? ''])),
		),
	);

const iso = (at: number) => new Date(at).toISOString();
const at = (clock: string) => (clock === '24:00' ? DAY.to : time(clock));

/** `Faulted 02:00 to 04:00, offline 15:00 to 18:00 and 20:00 to 21:00`. */
function spansIn(text: string) {
	let what = '';
	return [...text.matchAll(/(?:(Faulted|offline) )?(\d\d:\d\d) to (\d\d:\d\d)/g)].map(
		([, word, from = '', to = '']) => {
			what = word ?? what;
			return { what, from: at(from), to: at(to) };
		},
	);
}

const text = (moment: number) => `${iso(moment).slice(5, 10)} ${iso(moment).slice(11, 19)}`;

/** The second connector of an EVSE is that of `OCPP201`. */
const firstConnector = (moment: number) =>
	message(moment, 's1', [
		'StatusNotification',
		{ ...{ evseId: 1, connectorId: 1, connectorStatus: 'Available' }, timestamp: iso(moment) },
	]);

function eventsOf(down: string): StationEvent[] {
	const isNew = down.startsWith('connector 2 of its EVSE');
	const version = isNew ? OCPP201 : OCPP16;
	return [
		...(isNew ? [firstConnector(BEFORE)] : []),
		version.status(text(BEFORE), 'Available'),
		...spansIn(down).flatMap(({ what, from, to }) =>
			what === 'offline'
				? [lost(from), back(to)]
				: [version.status(text(from), 'Faulted'), version.status(text(to), 'Available')],
		),
	];
}

const exclusionsIn = (excluded: string) =>
	spansIn(excluded).map(({ from, to }) => ({
		...{ assetId: 's1', connector: undefined, from, to },
		reason: excluded.split(', ').at(-1),
	}));

/** What the report makes of an item of a day, as the ledger writes it. */
function reported(item: Readonly<Record<string, unknown>> | undefined) {
	const seconds = item?.['seconds'] as Readonly<Record<string, number>>;
	const sums = Object.entries(seconds).map(([name, sum]) => [`sum_${name}Seconds`, sum]);
	const texts = ['station', 'connectorType', 'powerType', 'exclusionReasons'];
	return assigned(
		FILE,
		'Port rows',
		{
			...(Object.fromEntries(sums) as Json),
			...(Object.fromEntries(texts.map((name) => [`appended_${name}`, []])) as Json),
			...{ assetId: 's1', port: '1', count_day: 1 },
		},
		{ Period: { name: 'a day', from: iso(DAY.from), to: iso(DAY.to) } },
	);
}

const cases = (story ?? []).map((row) => ({
	...{ port: row['Port'] ?? '', down: row['Down'] ?? '', excluded: row['Excluded'] ?? '' },
	told: figures?.find((each) => each['Port'] === row['Port']),
}));

it('the docs have three ports', () => {
	expect(cases.map(({ port }) => port)).toEqual(['A', 'B', 'C']);
});

it.each(cases)(
	'port $port of the docs has the figures of the docs, in the node and in the report',
	async ({ down, excluded, told }) => {
		const question = { per: 'port', exclusions: exclusionsIn(excluded) } as const;
		const items = await uptime(eventsOf(down), question, OPTIONS);
		expect(items).toHaveLength(1);
		const [item] = items;
		const row = reported(item);
		const { Port: _port, ...columns } = told ?? {};
		expect(Object.keys(columns).length).toBeGreaterThan(8);
		for (const [name, figure] of Object.entries(columns)) {
			expect([name, row[name]]).toEqual([name, Number(figure)]);
			if (item && name in item) expect([name, item[name]]).toEqual([name, Number(figure)]);
		}
		const listed = await outages(eventsOf(down), question, OPTIONS);
		const minutes = listed.map((each) => Number(each['minutes']));
		expect(minutes.reduce((sum, each) => sum + each, 0)).toBe(Number(told?.['outageMinutes']));
	},
);

it('680.112 asks for the duration of each outage: 120 minutes in maintenance, 180 outside', async () => {
	const { down = '', excluded = '' } = cases[0] ?? {};
	const question = { per: 'port', exclusions: exclusionsIn(excluded) } as const;
	expect(await outages(eventsOf(down), question, OPTIONS)).toMatchObject([
		{ minutes: 120, excludedMinutes: 120, cause: 'faulted', exclusionReasons: ['Maintenance'] },
		{ minutes: 180, excludedMinutes: 0, cause: 'offline', exclusionReasons: [] },
	]);
});

it('an EVSE with two connectors is one port, and two connectors', async () => {
	const events = eventsOf(cases[2]?.down ?? '');
	expect(await uptime(events, { per: 'port' }, OPTIONS)).toMatchObject([
		{ port: '1', upMinutes: 1440, uptimePercent: 100 },
	]);
	expect(await uptime(events, { per: 'connector' }, OPTIONS)).toMatchObject([
		{ port: '1', connector: '1/1', uptimePercent: 100 },
		{ port: '1', connector: '1/2', faultedMinutes: 1440, uptimePercent: 0 },
	]);
});

it('a month of 43,200 minutes with 2,000 down, 500 of them excluded, is 96.527 by the federal rule', () => {
	const seconds = { up: 41_200, outage: 2_000, excludedOutage: 500, excluded: 500, unknown: 0 };
	const others = { offline: 1_500, silent: 0, faulted: 0, unavailable: 0 };
	const inSeconds = Object.entries({ ...seconds, ...others }).map(
		([name, minutes]) => [name, minutes * 60] as const,
	);
	expect(reported({ seconds: Object.fromEntries(inSeconds) })).toMatchObject({
		...{ periodMinutes: 43_200, outageMinutes: 2_000, excludedOutageMinutes: 500 },
		uptimePercentOfPeriod: 96.527,
	});
});

it('maintenance of one connector of two, in OCPP 1.6, leaves the other one counted', async () => {
	const other = (moment: number, status: string) =>
		message(moment, 's1', [
			'StatusNotification',
			{ ...{ connectorId: 2, errorCode: 'NoError', status }, timestamp: iso(moment) },
		]);
	const events = [...eventsOf('Faulted 08:00 to 09:00'), other(BEFORE, 'Available')];
	const exclusion = { assetId: 's1', connector: '1', ...DAY, reason: 'Maintenance' };
	expect(await uptime(events, { per: 'port', exclusions: [exclusion] }, OPTIONS)).toMatchObject([
		{ port: '1', excludedMinutes: 1440, outageMinutes: 60, uptimePercent: null },
		{ port: '2', excludedMinutes: 0, upMinutes: 1440, uptimePercent: 100 },
	]);
});

describe('outages by day', () => {
	it('adjoin at midnight, and have the causes and minutes of their day', async () => {
		const next = DAY.to + 24 * 60 * MINUTE;
		const events = [...eventsOf(''), lost(DAY.to - 30 * MINUTE), back(DAY.to + 45 * MINUTE)];
		const options = { ...OPTIONS, to: next, now: next + 10 * MINUTE };
		expect(await outages(events, { splitBy: 'day' }, options)).toMatchObject([
			{ from: iso(DAY.to - 30 * MINUTE), to: iso(DAY.to), minutes: 30 },
			{ from: iso(DAY.to), to: iso(DAY.to + 45 * MINUTE), minutes: 45 },
		]);
		expect(await outages(events, {}, options)).toMatchObject([{ minutes: 75 }]);
		const [first, last] = await outages(events.slice(0, -1), { splitBy: 'day' }, options);
		expect([first?.['to'], last?.['to']]).toEqual([iso(DAY.to), null]);
	});

	it('have exact seconds, which add up over the days', async () => {
		const events = [...eventsOf(''), lost(DAY.from + 1_234), back(DAY.from + 90_834)];
		const [item] = await outages(events, {}, OPTIONS);
		const [row] = await uptime(events, {}, OPTIONS);
		expect(item).toMatchObject({ seconds: { outage: 89.6, excludedOutage: 0 } });
		expect(row).toMatchObject({ seconds: { outage: 89.6, up: 86_400 - 89.6, unknown: 0 } });
	});
});

describe('the columns that the rules ask for', () => {
	/** A node writes its row as one object, a column per line. */
	const columnsOf = (node: string) => {
		const row = z.string().parse(parametersOf(FILE, node)['jsonOutput']);
		return [...row.matchAll(/^ {2}(\w+): /gm)].map(([, name = '']) => name);
	};

	it('are in the files of the report', () => {
		const rules = tablesOf('docs/uptime.md').filter(({ columns }) => columns.includes('Columns'));
		expect(rules).toHaveLength(3);
		const named = rules.flatMap(({ rows }) =>
			rows.flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)),
		);
		const all = ['Port rows', 'Month rows', 'Outage rows'].flatMap(columnsOf);
		expect(named.length).toBeGreaterThan(8);
		expect(named.filter((name) => !all.includes(name))).toEqual([]);
	});
});
