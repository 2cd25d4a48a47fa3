/** The uptime ledger and its report on a real n8n, night by night, against what truly happened. `MONTHS` and `PORTS` set for how long and how large, a month and 20 ports by default; `nightly.yml` has a year and 50 ports. */
import { DateTime } from 'luxon';
import { startSimulator } from '../../../simulator';
import { generateAssets } from '../../../simulator/data/assets';
import { rowsOfCsv } from '../../support/csv';
import { useForAll } from '../../support/lifetime';
import { apiCredential } from '../../support/n8n/credentials';
import { example } from '../../support/n8n/examples';
import { WorkflowFileShape } from '../../support/n8n/responses';
import { useWorld } from '../../support/n8n/useWorld';
import {
	figuresOf,
	merged,
	playNetwork,
	type Port,
	repeating,
	type Span,
} from '../../support/outageStory';
import { waitFor } from '../../support/wait';
import { tablesOf } from '../../unit/docs/markdown';
import { publishJob } from './job';
import { type Mail, startMailbox } from './mailbox';

const MONTHS = Number(process.env['MONTHS'] ?? 1);
const ZONE = 'America/New_York';
/** The clocks change in it. */
const FIRST = DateTime.fromObject({ year: 2024, month: 3 }, { zone: ZONE });
const PERIOD = {
	from: FIRST.toMillis(),
	to: FIRST.plus({ months: MONTHS }).toMillis(),
};
const PORTS = Number(process.env['PORTS'] ?? 20);
const LOOK_BACK_DAYS = 8;
/** n8n was down. */
const DOWN_NIGHTS = [12, 13, 14, 15, 16].map((day) => FIRST.set({ day }).toISODate());
const REPEATED_NIGHT = FIRST.set({ day: 21 }).toISODate();

const ASSETS = (() => {
	for (let count = 1; ; count++) {
		const assets = generateAssets(count);
		const ports = assets.flatMap(({ chargingStation }) => chargingStation.connectors);
		if (ports.length >= PORTS) return assets;
	}
})();
const { events, ports } = playNetwork(ASSETS, {
	from: FIRST.minus({ days: LOOK_BACK_DAYS }).toMillis(),
	to: FIRST.plus({ months: MONTHS, days: 4 }).toMillis(),
});

const [CLOSED, WORKED] = [ASSETS[1], ASSETS[3]].map((asset) => asset?.id ?? '');
const WORKS = {
	from: FIRST.set({ day: 5, hour: 8 }).toISO(),
	to: FIRST.set({ day: 7, hour: 18 }).toISO(),
};
const EXCLUSIONS = [
	{ weekdays: '3,7', from: '02:00', to: '06:00', reason: 'Weekly maintenance' },
	{ assetId: CLOSED, from: '22:00', to: '06:00', reason: 'Closed' },
	{ assetId: WORKED, port: '1', ...WORKS, reason: 'Works' },
];

function exclusionsOf({ assetId, port }: Port): Span[] {
	const works = [WORKS.from, WORKS.to].map((each) => DateTime.fromISO(each ?? '').toMillis());
	return [
		...repeating(PERIOD, ZONE, ['02:00', '06:00'], [3, 7]),
		...(assetId === CLOSED ? repeating(PERIOD, ZONE, ['22:00', '06:00']) : []),
		...(assetId === WORKED && port === '1' ? [{ from: works[0] ?? 0, to: works[1] ?? 0 }] : []),
	];
}

let now = FIRST.toMillis();
const simulator = useForAll(() =>
	startSimulator({ assets: ASSETS.length, now: () => now, tokenLifetimeSeconds: 10 ** 9 }),
);
const mailbox = useForAll(() => startMailbox());
const world = useWorld();

let sent = 0;
/** Lets the stations send what they did up to then. */
async function passTo(time: DateTime): Promise<void> {
	now = time.toMillis();
	for (; (events[sent]?.at ?? Infinity) <= now; sent++) {
		const { at, message } = events[sent] ?? { at: 0, message: () => ({ type: '', data: {} }) };
		const createdAt = new Date(at).toISOString();
		const { type, data } = message(createdAt);
		await simulator.emit({ type, data, createdAt }, { deliver: false });
	}
}

async function importExample(file: string, change = (node: FileNode) => node): Promise<string> {
	const { client } = world;
	const content = WorkflowFileShape.parse(example(file));
	const credentials = [
		await client.createCredential(apiCredential(simulator)),
		await client.createCredential(mailbox.credential),
	];
	const settings = { executionOrder: 'v1', timezone: ZONE };
	const nodes = content.nodes.map(change);
	return (await client.importWorkflow({ ...content, nodes, settings }, credentials)).id;
}
type FileNode = ReturnType<typeof WorkflowFileShape.parse>['nodes'][number];

/** As its trigger starts it at that time. */
async function execute(id: string, trigger: string, time: DateTime): Promise<void> {
	const { client } = world;
	const started = await client.runManually(id, trigger, { timestamp: time.toISO() });
	// The report of a year lists some 7,600 outages.
	const { status, data } = await client.waitForExecution(started, { timeoutMs: 10 * 60_000 });
	expect([time.toISO(), data.resultData.error?.message, status]).toEqual([
		...[time.toISO(), undefined, 'success'],
	]);
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)$/;
const NUMBER = /^-?\d+(\.\d+)?$/;

function expectFigures(row: Readonly<Record<string, string>>, port: Port, period: Span): void {
	const { outages: _outages, ...figures } = figuresOf(port, exclusionsOf(port), period);
	const { station, assetId, port: name } = port;
	for (const [column, expected] of Object.entries(figures)) {
		const told = row[column] ?? '';
		const where = [row['month'], assetId, name, column, told, expected];
		const isRight = NUMBER.test(told) && Math.abs(Number(told) - expected) < 0.05;
		expect([...where, isRight]).toEqual([...where, true]);
	}
	const { upMinutes, downMinutes } = figures;
	expect(Number(row['uptimePercent'])).toBeCloseTo(
		(100 * upMinutes) / (upMinutes + downMinutes),
		2,
	);
	expect([row['station'], row['daysWithoutData']]).toEqual([station, '0']);
	for (const column of ['from', 'to']) expect(row[column]).toMatch(ISO);
	const [from, to] = [row['from'], row['to']].map((each) => Date.parse(each ?? ''));
	expect({ from, to }).toEqual(period);
}

const rowOf = (rows: readonly Readonly<Record<string, string>>[], port: Port, month?: string) => {
	const found = rows.filter(
		(row) =>
			row['assetId'] === port.assetId &&
			row['port'] === port.port &&
			(month === undefined || row['month'] === month),
	);
	expect([port.assetId, port.port, month, found.length]).toEqual([
		...[port.assetId, port.port, month, 1],
	]);
	return found[0] ?? {};
};

let report: Mail | undefined;

it(
	'uptime-ledger.json writes each night once, and fills in the nights in which n8n was down',
	async () => {
		const ledger = await importExample('uptime-ledger.json');
		const last = FIRST.plus({ months: MONTHS, days: 2 });
		let isFirst = true;
		for (let day = FIRST.plus({ days: 1 }); day <= last; day = day.plus({ days: 1 })) {
			if (DOWN_NIGHTS.includes(day.toISODate())) continue;
			const night = day.set({ hour: 2, minute: 30 });
			await passTo(night);
			await execute(ledger, 'Every night', night);
			// The first execution makes the tables.
			if (isFirst) await world.client.addTableRows('Uptime exclusions', EXCLUSIONS);
			if (isFirst) await execute(ledger, 'Every night', night.plus({ minutes: 1 }));
			isFirst = false;
			if (day.toISODate() !== REPEATED_NIGHT) continue;
			const tables = async () => [
				await world.client.tableRows('Uptime days'),
				await world.client.tableRows('Uptime outages'),
			];
			const before = await tables();
			await execute(ledger, 'Every night', night.plus({ minutes: 5 }));
			// Also no row is written again.
			expect(await tables()).toEqual(before);
			expect(before.map(({ length }) => length > 0)).toEqual([true, true]);
		}
		await passTo(last.set({ hour: 6 }));

		const id = await importExample('uptime-report.json', (node) => {
			const text = JSON.stringify(node);
			const isMonths = node['name'] === 'Months';
			const changed = isMonths ? text.replace('"value":1', `"value":${MONTHS}`) : text;
			return {
				...WorkflowFileShape.shape.nodes.element.parse(JSON.parse(changed)),
				...(node['name'] === 'Send email' && { disabled: false }),
			};
		});
		await execute(id, 'Every month', last.set({ hour: 6 }));
		report = mailbox.mails[0];
		const to = FIRST.minus({ months: 1 });
		await execute(id, 'Every month', to.plus({ days: 2, hours: 6 }));
		expect(mailbox.mails).toHaveLength(2);
		const without = mailbox.mails[1];
		const days = Math.round(to.diff(to.minus({ months: MONTHS }), 'days').days);
		expect(without?.subject).toMatch(/: no data$/);
		expect(without?.lines.join(' ')).toContain(`has no row of these ${days} days`);
		const rows = Object.values(without?.attachments ?? {}).flatMap(rowsOfCsv);
		expect(rows.map(({ station }) => station)).toEqual(['No data', 'No data', 'No data']);
		expect(rows.map(({ daysWithoutData }) => daysWithoutData).sort()).toEqual([
			...[`${days}`, `${days}`, undefined],
		]);
	},
	// A night of 50 ports takes 5 to 10 s, most of it n8n's writing of rows.
	(30 + 15 * MONTHS) * 60_000,
);

/** The columns that docs/uptime.md names for the rules. */
const ASKED_FOR = tablesOf('docs/uptime.md')
	.filter(({ columns }) => columns.includes('Columns'))
	.flatMap(({ rows }) => rows.flatMap(([, cell = '']) => cell.match(/(?<=`)\w+(?=`)/g) ?? []));

const file = (name: string): string => {
	const found = Object.entries(report?.attachments ?? {}).find(([each]) => each.startsWith(name));
	return found?.[1] ?? '';
};

it('uptime-report.json has the true figures of every port, and of every port and month', () => {
	const whole = rowsOfCsv(file('uptime-'));
	const months = rowsOfCsv(file('months-'));
	expect(ports.length).toBeGreaterThanOrEqual(PORTS);
	expect(whole).toHaveLength(ports.length);
	expect(months).toHaveLength(ports.length * MONTHS);
	for (const port of ports) {
		expectFigures(rowOf(whole, port), port, PERIOD);
		for (let n = 0; n < MONTHS; n++) {
			const month = FIRST.plus({ months: n });
			const period = { from: month.toMillis(), to: month.plus({ months: 1 }).toMillis() };
			expectFigures(rowOf(months, port, month.toFormat('yyyy-MM')), port, period);
		}
	}
	const [row = {}, outage = {}] = [whole[0], rowsOfCsv(file('outages-'))[0]];
	expect(ASKED_FOR.length).toBeGreaterThan(8);
	expect(ASKED_FOR.filter((name) => !(name in row) && !(name in outage))).toEqual([]);
	const percents = whole.map(({ uptimePercent }) => Number(uptimePercent));
	expect(percents).toEqual(percents.toSorted((a, b) => a - b));
	const below = percents.filter((each) => each < 97).length;
	expect(below).toBeGreaterThan(0);
	expect(report?.subject).toContain(`${below} of ${ports.length} ports below 97%`);
	const reasons = new Set(
		whole.flatMap(({ exclusionReasons = '' }) => exclusionReasons.split('; ')),
	);
	expect([...reasons].sort()).toEqual(['Closed', 'Weekly maintenance', 'Works']);
});

it('uptime-report.json lists each outage once, with its times, causes and minutes', () => {
	const told = rowsOfCsv(file('outages-'));
	for (const port of ports) {
		const { outages } = figuresOf(port, exclusionsOf(port), PERIOD);
		const own = told.filter((row) => row['assetId'] === port.assetId && row['port'] === port.port);
		const spans = own.map(({ from = '', to = '' }) => ({
			from: Date.parse(from),
			to: to === '' ? PERIOD.to : Date.parse(to),
		}));
		expect([port.assetId, port.port, spans]).toEqual([port.assetId, port.port, outages]);
		for (const row of own) {
			for (const column of ['from', 'to']) expect(row[column]).toMatch(ISO);
			const minutes = (Date.parse(row['to'] ?? '') - Date.parse(row['from'] ?? '')) / 60_000;
			expect(Number(row['minutes'])).toBeCloseTo(minutes, 1);
			expect(row['cause']).toMatch(/^(offline|silent|faulted|unavailable)$/);
			expect(row['isFinal']).toMatch(/^true$/i);
			const at = Date.parse(row['from'] ?? '');
			const whole = merged(port.down).find(({ from, to }) => from <= at && at < to);
			expect([row['from'], row['beganBefore'], row['continuesAfter']]).toEqual([
				row['from'],
				...[(whole?.from ?? 0) < PERIOD.from, (whole?.to ?? 0) > PERIOD.to].map((one) =>
					String(one).toUpperCase(),
				),
			]);
		}
	}
	const causes = new Set(told.map(({ cause }) => cause));
	expect([...causes].sort()).toEqual(['faulted', 'offline', 'silent', 'unavailable']);
});

it('station-days.json draws the last 30 days of each station', async () => {
	const [{ assetId, station } = { assetId: '', station: '' }] = ports;
	const today = DateTime.now().setZone(ZONE);
	const rows = [1, 2, 3].map((days) => ({
		...{ key: `day ${days}`, day: today.minus({ days }).toISODate(), assetId, station, port: '1' },
		...{ upSeconds: 86_400 - 864 * days * days, outageSeconds: 864 * days * days },
		excludedOutageSeconds: 0,
	}));
	await world.client.addTableRows('Uptime days', rows);
	await publishJob(world, simulator, 'station-days.json', { timezone: ZONE });
	const page = await waitFor(
		async () => {
			const got = await fetch(`${world.url}/webhook/station-days`);
			return got.status === 200 ? await got.text() : undefined;
		},
		{ what: 'the page', timeoutMs: 60_000 },
	);
	expect(page.match(/<rect /g)).toHaveLength(30);
	expect(page).toContain(`${today.minus({ days: 1 }).toISODate()}: 99%`);
	expect(page).toContain(`${today.minus({ days: 3 }).toISODate()}: 91%`);
	expect(page.match(/class="unknown"/g)).toHaveLength(27);
});
