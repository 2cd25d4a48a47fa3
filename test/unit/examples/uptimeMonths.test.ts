/** The uptime ledger and its report, without n8n, over months of Europe in which the clocks change, against what truly happened. */
import { DateTime, Settings } from 'luxon';
import { z } from 'zod/v4';
import { generateAssets } from '../../../simulator/data/assets';
import { figuresOf, merged, playNetwork, type Port, repeating } from '../../support/outageStory';
import { outages, uptime } from '../station/past/pastWorld';
import type { StationEvent } from '../station/stationWorld';
import { assigned, type Json, parametersOf } from './expressions';

const ZONE = 'Europe/Berlin';
const LEDGER = 'uptime-ledger.json';
const REPORT = 'uptime-report.json';
const DAY = 24 * 60 * 60_000;
const ASSETS = generateAssets(8);
const CLOSED = ASSETS[1]?.id ?? '';
/** The clocks change in the hour of Sunday's. */
const EXCLUSIONS = [
	{ weekdays: '3,7', from: '02:00', to: '06:00', reason: 'Weekly maintenance' },
	{ assetId: CLOSED, from: '22:00', to: '06:00', reason: 'Closed' },
];

beforeAll(() => {
	Settings.defaultZone = ZONE;
});
afterAll(() => {
	Settings.defaultZone = 'system';
});

const Entry = z.object({
	assetId: z.string().optional(),
	reason: z.string(),
	from: z.string().transform((text) => Date.parse(text)),
	to: z.string().transform((text) => Date.parse(text)),
});
const Sums = z.object({
	values: z.array(z.object({ aggregation: z.string(), field: z.string() })),
});

/** What n8n's Summarize node makes of rows. */
function summed(rows: readonly Json[]): Json {
	const { values } = Sums.parse(parametersOf(REPORT, 'Sum per port')['fieldsToSummarize']);
	const fields = values.map(({ aggregation, field }): [string, unknown] => {
		const all = rows.map((row) => row[field]);
		if (aggregation === 'sum')
			return [`sum_${field}`, all.reduce<number>((sum, one) => sum + Number(one), 0)];
		return aggregation === 'count'
			? [`count_${field}`, all.length]
			: [`appended_${field}`, all.filter((one) => one !== '')];
	});
	return { ...rows[0], ...Object.fromEntries(fields) };
}

describe.each([
	[3, 743],
	[10, 745],
])('month %i', (month, hours) => {
	const first = DateTime.fromObject({ year: 2024, month }, { zone: ZONE });
	const [from, to] = [first.toMillis(), first.plus({ months: 1 }).toMillis()];
	const { events, ports } = playNetwork(ASSETS, { from: from - 8 * DAY, to: to + 2 * DAY });
	const listed = events.map(({ at, message }, n): StationEvent => {
		const createdAt = new Date(at).toISOString();
		const { type, data } = message(createdAt);
		const id = `event_${n}`;
		const record = { id, eventType: type, createdAt, payload: data };
		return { id, createdAt, listedAt: at, record };
	});
	const timestamp = new Date(to + DAY).toISOString();
	const others = {
		'Every night': { timestamp },
		Period: { name: 'a month', from: first.toISO(), to: first.plus({ months: 1 }).toISO() },
		'Read uptime': { key: 'a row' },
	};
	const exclusionsOf = ({ assetId }: Port) => [
		...repeating({ from, to }, ZONE, ['02:00', '06:00'], [3, 7]),
		...(assetId === CLOSED ? repeating({ from, to }, ZONE, ['22:00', '06:00']) : []),
	];
	const rowsOf = (node: string, items: readonly Json[]) =>
		items.map((item) => assigned(LEDGER, node, item, others));
	const isOf = (port: Port) => (row: Json) =>
		row['assetId'] === port.assetId && row['port'] === port.port;
	const days: Json[] = [];
	const times: Json[] = [];

	/** As nights write them that come a week apart: each of its week, and of a day more, which a later one writes again. */
	async function write(week: DateTime): Promise<void> {
		const end = DateTime.min(week.plus({ weeks: 1 }), first.plus({ months: 1 }));
		const until = end.plus({ days: 1 });
		const Period = { from: week.toISO(), to: until.toISO() };
		const given = assigned(LEDGER, 'Exclusions', EXCLUSIONS, { ...others, Period })['exclusions'];
		const entries = z.array(Entry).parse(given);
		const exclusions = entries.map((one) => ({
			...one,
			assetId: one.assetId,
			connector: undefined,
		}));
		const question = { per: 'port', splitBy: 'day', timeZone: ZONE, exclusions } as const;
		const period = { from: week.toMillis(), to: until.toMillis(), now: until.toMillis() + DAY };
		const options = { ...period, lookBackMs: 7 * DAY, assets: ASSETS };
		const isOfWeek = ({ day }: Json) => String(day) < (end.toISODate() ?? '');
		const [ofDays, ofTimes] = [
			await uptime(listed, question, options),
			await outages(listed, question, options),
		];
		days.push(...rowsOf('Uptime rows', ofDays).filter(isOfWeek));
		times.push(...rowsOf('Outage rows', ofTimes).filter(isOfWeek));
	}

	beforeAll(async () => {
		for (let week = first; week.toMillis() < to; week = week.plus({ weeks: 1 })) await write(week);
	});

	it('has the true figures of each port', () => {
		expect((to - from) / 3_600_000).toBe(hours);
		expect(days).toHaveLength(ports.length * (first.daysInMonth ?? 0));
		for (const port of ports) {
			const own = days.filter(isOf(port));
			const row = assigned(REPORT, 'Port rows', summed(own), others);
			const { outages: _outages, ...figures } = figuresOf(port, exclusionsOf(port), { from, to });
			expect(row).toMatchObject({ assetId: port.assetId, port: port.port, daysWithoutData: 0 });
			for (const [column, expected] of Object.entries(figures)) {
				const where = [port.assetId, port.port, column];
				const isRight = Math.abs(Number(row[column]) - expected) < 0.01;
				expect([...where, row[column], expected, isRight]).toEqual([
					...[...where, row[column], expected, true],
				]);
			}
		}
	});

	it('lists each outage once, and says which go over its ends', () => {
		const joined = assigned(REPORT, 'Join at midnight', times, others)['outages'] as Json[];
		const rows = joined.map((one) => assigned(REPORT, 'Outage rows', one, others));
		for (const port of ports) {
			const expected = merged(port.down)
				.filter((one) => one.from < to && one.to > from)
				.map((one) => [
					...[Math.max(one.from, from), Math.min(one.to, to)],
					...[one.from < from, one.to > to],
				]);
			const told = rows.filter(isOf(port)).map((row) => {
				const end = row['to'] === '' ? to : Date.parse(String(row['to']));
				return [Date.parse(String(row['from'])), end, row['beganBefore'], row['continuesAfter']];
			});
			expect([port.assetId, port.port, told]).toEqual([port.assetId, port.port, expected]);
		}
		expect(rows.length).toBeGreaterThan(20);
		const isAny = (name: string) => rows.some((row) => row[name] === true);
		expect(['beganBefore', 'continuesAfter'].map(isAny)).toEqual([true, true]);
	});
});
