/** The texts, filters, commands, rows and pages that the examples make of incidents, in both OCPP versions. */
import { Settings } from 'luxon';
import { assigned, chooses, evaluate, type Json, parametersOf } from './expressions';

beforeAll(() => {
	Settings.defaultZone = 'Europe/Berlin';
});
afterAll(() => {
	Settings.defaultZone = 'system';
});

const STATION = { id: 'asset_1', name: 'Gare du Nord 2', protocol: 'OCPP_1_6' };
const TRIGGER = 'Asset Service Station Trigger';

/** An incident as the trigger reports it. */
const incident = (more: Json = {}): Json => ({
	...{ id: 'inc_1.opened', incident: 'inc_1', state: 'opened', minutes: 5, until: null },
	...{ since: '2026-10-25T00:30:00.000Z', connector: null, together: 1, station: STATION, ...more },
});

function mailOf(file: string, name: string, incidents: readonly Json[]) {
	const { subject, text } = parametersOf(file, name);
	return {
		subject: evaluate(String(subject), incidents),
		lines: String(evaluate(String(text), incidents)).split('\n'),
	};
}

describe('the mails of the offline alarm', () => {
	const lost = incident({ kind: 'stationOffline' });
	const other = { ...lost, station: { id: 'asset_2', name: 'asset_2' } };
	const until = '2026-10-25T01:30:00.000Z';

	it('name the station and the local time, across a change of the clocks', () => {
		expect(mailOf('offline-alarm.json', 'Send alarm', [lost])).toEqual({
			subject: 'Gare du Nord 2 is offline',
			lines: ['Gare du Nord 2, offline since 2026-10-25 02:30 GMT+2, asset asset_1'],
		});
		const back = { ...lost, state: 'resolved', until, minutes: 60 };
		expect(mailOf('offline-alarm.json', 'Send recovery notice', [back])).toEqual({
			subject: 'Gare du Nord 2 is back after 60 minutes',
			lines: [
				'Gare du Nord 2, offline since 2026-10-25 02:30 GMT+2, back since 2026-10-25 02:30 GMT+1, asset asset_1',
			],
		});
	});

	it('hold all stations of an execution', () => {
		const { subject, lines } = mailOf('offline-alarm.json', 'Send alarm', [lost, other]);
		expect(subject).toBe('2 stations are offline');
		expect(lines).toHaveLength(2);
		const back = [lost, other].map((each) => ({ ...each, until }));
		expect(mailOf('offline-alarm.json', 'Send recovery notice', back).subject).toBe(
			'2 stations are back',
		);
		for (const name of ['Send alarm', 'Send recovery notice']) {
			expect(parametersOf('offline-alarm.json', name)).toMatchObject({ emailFormat: 'text' });
		}
	});

	it('say of an outage that is reported late that it is over', () => {
		const { subject, lines } = mailOf('offline-alarm.json', 'Send alarm', [{ ...lost, until }]);
		expect(subject).toBe('Gare du Nord 2 was offline');
		expect(lines[0]).toContain('back since 2026-10-25 02:30 GMT+1');
	});
});

it.each([
	['OCPP 1.6', { connector: '1', status: 'Finishing' }],
	['OCPP 2.0.1', { connector: '1/2', status: 'Reserved' }],
])('the mail of a stuck status names connector and status of %s', (_version, where) => {
	const stuck = incident({ kind: 'connectorStatus', minutes: 121, ...where });
	const { subject, lines } = mailOf('stuck-status.json', 'Send notice', [stuck]);
	expect(subject).toBe(
		`Gare du Nord 2, connector ${where.connector}: ${where.status} for 121 minutes`,
	);
	expect(lines).toEqual([
		`Gare du Nord 2, connector ${where.connector}: ${where.status} since 2026-10-25 02:30 GMT+2, asset asset_1`,
	]);
	expect(mailOf('stuck-status.json', 'Send notice', [stuck, stuck]).subject).toBe(
		'2 connectors are stuck',
	);
});

describe('the mails about the past', () => {
	const outage = {
		...{ station: STATION.name, stationId: STATION.id, cause: 'silent' },
		...{ from: '2026-10-25T00:30:00.000Z', to: null, minutes: 1350 },
	};

	it('name the outages of yesterday, also of stations that are dead', () => {
		const back = { ...outage, cause: 'offline', to: '2026-10-25T01:30:00.000Z', minutes: 60 };
		expect(mailOf('outages-of-yesterday.json', 'Send email', [outage, back])).toEqual({
			subject: 'Gare du Nord 2 was down yesterday',
			lines: [
				'Gare du Nord 2, silent from 2026-10-25 02:30 GMT+2, not back by midnight, 1350 minutes, asset asset_1',
				'Gare du Nord 2, offline from 2026-10-25 02:30 GMT+2, 60 minutes, asset asset_1',
			],
		});
	});
});

const fault = (connector: string, errorCode: string | null, vendorErrorCode: string | null) => ({
	...{ at: '2026-03-29T01:00:00Z', connector, errorCode, vendorErrorCode, info: null },
});
const GROUND = fault('1', 'GroundFailure', 'E-031');
const UNCODED = fault('2/1', null, null);

it('the mail of repeated faults lists them, with their codes if there are any', () => {
	const many = incident({ kind: 'connectorFault', count: 2, faults: [GROUND, UNCODED] });
	expect(mailOf('repeated-faults.json', 'Send notice', [many])).toEqual({
		subject: 'Gare du Nord 2: 2 faults',
		lines: [
			'2026-03-29 03:00 GMT+2, connector 1, GroundFailure, E-031',
			'2026-03-29 03:00 GMT+2, connector 2/1, no code',
			'Asset: asset_1',
		],
	});
});

const faulted = ({ at: _at, connector: _connector, ...codes }: typeof GROUND, more: Json = {}) =>
	incident({
		...{ kind: 'connectorFault', since: new Date().toISOString(), count: 1, ...codes },
		...{ faults: [{ ...codes, connector: _connector, at: _at }], ...more },
	});

describe.each(['fault-to-reset.json', 'command-confirmed.json'])('the filter of %s', (file) => {
	it.each<[string, typeof GROUND, boolean]>([
		['a code that a reset can cure', fault('1', 'InternalError', null), true],
		['no code, in OCPP 2.0.1', UNCODED, true],
		['NoError', fault('1', 'NoError', null), false],
		['a code that needs a person', GROUND, false],
	])('judges a fault with %s', (_what, one, isCurable) => {
		expect(chooses(file, 'Can a reset help?', faulted(one))).toBe(isCurable);
	});

	it('keeps out an incident that a test in the editor shows', () => {
		expect(chooses(file, 'Can a reset help?', faulted(UNCODED, { test: true }))).toBe(false);
	});

	it('keeps out a fault of more than an hour ago', () => {
		const since = new Date(Date.now() - 61 * 60_000).toISOString();
		expect(chooses(file, 'Can a reset help?', faulted(UNCODED, { since }))).toBe(false);
	});
});

describe('the mail and the command of fault to reset', () => {
	it('name the connector, and the code if there is one', () => {
		const subjectOf = (one: typeof GROUND) =>
			mailOf('fault-to-reset.json', 'Send notice', [faulted(one)]).subject;
		expect(subjectOf(GROUND)).toBe('Gare du Nord 2, connector 1: GroundFailure');
		expect(subjectOf(fault('2', 'NoError', null))).toBe('Gare du Nord 2, connector 2: Faulted');
		expect(subjectOf(UNCODED)).toBe('Gare du Nord 2, connector 2/1: Faulted');
	});

	it.each([
		['OCPP 1.6', fault('1', 'OtherError', null), 'Soft'],
		['OCPP 2.0.1', UNCODED, 'OnIdle'],
	])('reset a station by the type that %s has', (_version, one, type) => {
		const { jsonBody } = parametersOf('fault-to-reset.json', 'Send reset');
		expect(JSON.parse(String(evaluate(String(jsonBody), [faulted(one)])))).toEqual({
			...{ action: 'Reset', assetId: 'asset_1', payload: { type }, requestId: 'inc_1.opened' },
		});
	});
});

describe('the command of command confirmed', () => {
	const FILE = 'command-confirmed.json';
	const commandOf = (json: Json) => assigned(FILE, 'Command', json);

	it.each([
		['OCPP 1.6', fault('1', 'OtherError', null), 'Soft'],
		['OCPP 2.0.1', UNCODED, 'OnIdle'],
	])('is a reset for a fault of %s', (_version, one, type) => {
		expect(commandOf(faulted(one))).toEqual({
			...{ requestId: 'inc_1.opened', assetId: 'asset_1', station: 'Gare du Nord 2' },
			...{ action: 'Reset', payload: { type } },
		});
	});

	it('is that of another workflow, with an ID that is short enough for OCPP', () => {
		const given = { assetId: 'asset_2', action: 'TriggerMessage', payload: { a: 1 } };
		expect(commandOf({ ...given, requestId: 'r'.repeat(36) })).toEqual({
			...{ ...given, station: 'asset_2', requestId: 'r'.repeat(36) },
		});
		expect(commandOf({ ...given, requestId: 'r'.repeat(37) })['requestId']).toMatch(
			/^[0-9a-f]{32}$/,
		);
	});

	const command = { requestId: 'inc_1.opened', assetId: 'asset_1', station: 'x', action: 'Reset' };
	const station = (response: Json) => ({ statusCode: 200, body: { data: { response } } });
	const result = (status: string) => station({ messageType: 'CALL_RESULT', payload: { status } });

	it.each<[outcome: string, detail: string, Json]>([
		['accepted', 'Accepted', result('Accepted')],
		['accepted', 'Scheduled', result('Scheduled')],
		['rejected', 'Rejected', result('Rejected')],
		['rejected', 'NotSupported', result('NotSupported')],
		[
			...(['rejected', 'InternalError'] as const),
			station({ messageType: 'CALL_ERROR', errorCode: 'InternalError' }),
		],
		['unconfirmed', 'HTTP 200 ', { statusCode: 200, body: { status: 'Success', async: true } }],
		['unconfirmed', 'HTTP 200 ', { statusCode: 200, body: '' }],
		['failed', 'HTTP 400 assetId: wrong', { statusCode: 400, body: { message: 'assetId: wrong' } }],
		['failed', 'HTTP 401 ', { statusCode: 401, body: {} }],
		['failed', 'HTTP 429 ', { statusCode: 429 }],
		['unconfirmed', 'HTTP 408 ', { statusCode: 408 }],
		['unconfirmed', 'HTTP 504 ', { statusCode: 504, body: 'Bad gateway' }],
		['unconfirmed', 'timeout', { error: { message: 'timeout' } }],
		['failed', 'Send command is deactivated', command],
	])('is %s with the detail %j after %j', (outcome, detail, response) => {
		expect(assigned(FILE, 'Check response', response, { Command: command })).toEqual({
			...{ ...command, outcome, detail },
		});
	});
});

it.each([
	['OCPP 1.6', { connector: '1', transactionId: '100001' }],
	['OCPP 2.0.1', { connector: '1/1', transactionId: '7c1f0b1e-5d0e-4f5c-9d43-2f6a1f0c9b11' }],
])('a row of the sessions table has the whole session of %s, once', (_version, where) => {
	const session = {
		...{ id: 'ses_1', kind: 'sessionEnded', ...where, startedAt: '2026-01-24T17:34:01.308Z' },
		...{ stoppedAt: '2026-01-24T19:36:06.308Z', minutes: 122, meterStartWh: 711112 },
		...{ meterStopWh: 722404, energyKwh: 11.292, reason: 'Local', startFoundBy: 'order' },
		...{ energyFrom: 'start to stop', receivedAt: '2026-01-24T19:36:06.900Z', station: STATION },
	};
	const { columns, filters } = parametersOf('sessions-to-table.json', 'Write row');
	const texts = (columns as { value: Record<string, string> }).value;
	const row = Object.fromEntries(
		Object.entries(texts).map(([name, text]) => [
			name,
			evaluate(text, [{ id: 'table_1' }], { [TRIGGER]: session }),
		]),
	);
	const { id, kind: _kind, station: _station, ...fields } = session;
	expect(row).toEqual({ ...fields, session: id, station: STATION.name, assetId: STATION.id });
	const [{ keyName, keyValue }] = (filters as { conditions: [Record<string, string>] }).conditions;
	expect(keyName).toBe('=session');
	expect(evaluate(String(keyValue), [{}], { [TRIGGER]: session })).toBe(id);
	const table = parametersOf('sessions-to-table.json', 'Sessions table')['columns'];
	const names = (table as { column: { name: string }[] }).column.map(({ name }) => name);
	expect(names.sort()).toEqual(Object.keys(row).sort());
});

describe('the mail of the firmware drift', () => {
	const group = (model: string, firmwareVersion: string | null, names: readonly string[]) => ({
		...{ make: 'Nordstrom Laden', model, firmwareVersion },
		...{ count_id: names.length, appended_name: names },
	});
	const usual = group('NL-22 Duo', '3.2.4', ['a', 'b', 'c']);

	it('has the stations whose version is not the most frequent one of their model', () => {
		const groups = [
			...[usual, group('NL-22 Duo', '3.1.0', ['d']), group('NL-22 Duo', null, ['e', 'f'])],
			...[group('KP-50', 'R5', ['g'])],
		];
		expect(mailOf('firmware-drift.json', 'Send email', groups)).toEqual({
			subject: '3 of 7 stations run another firmware than most of their model',
			lines: [
				'Nordstrom Laden NL-22 Duo, firmware 3.1.0: d',
				'Nordstrom Laden NL-22 Duo, firmware unknown: e, f',
			],
		});
	});

	it('says that there are none', () => {
		expect(mailOf('firmware-drift.json', 'Send email', [usual])).toEqual({
			subject: '0 of 3 stations run another firmware than most of their model',
			lines: [''],
		});
	});
});

describe('the pages', () => {
	const pageOf = (file: string, rows: readonly Json[]) =>
		String(evaluate(String(parametersOf(file, 'Page')['html']), rows));
	const board = (assets: readonly Json[]) => pageOf('station-board.json', assets);
	const asset = (name: string, ...statuses: string[]) => ({
		...{ id: 'asset_1' },
		chargingStation: {
			...{ name, connectors: statuses.map((status, n) => ({ id: String(n + 1), status })) },
		},
	});

	it('show each connector under its status', () => {
		const page = board([asset('One', 'Available', 'Faulted'), asset('Two', 'Available')]);
		expect(page).toContain('2 stations');
		expect(page).toMatch(/http-equiv="refresh"/);
		expect(page).toContain(
			'<h2>Available: 2</h2><ul><li>One, 1</li><li>Two, 1</li></ul></section><section class="Faulted"><h2>Faulted: 1</h2><ul><li>One, 2</li></ul></section>',
		);
	});

	it('show what the list says as text, whatever it is', () => {
		const page = board([asset('<script>alert("x")</script> $& {{ 1 }}', '"><b>')]);
		expect(page).not.toContain('<script>');
		expect(page).not.toContain('<b>');
		expect(page).not.toContain('$&');
		expect(board([{}])).toContain('Station board');
		expect(board([{ id: 'asset_2', chargingStation: {} }])).not.toContain('<section class');
	});

	it('draw the energy of each of the last 30 days', () => {
		const today = new Date().toISOString();
		const dayAgo = new Date(Date.now() - 24 * 60 * 60_000).toISOString();
		const row = (stoppedAt: string, energyKwh: number | null) => ({ stoppedAt, energyKwh });
		const rows = [row(today, 10), row(today, null), row(dayAgo, 20), row(today, 5)];
		const page = pageOf('energy-chart.json', rows);
		const heights = [...page.matchAll(/<rect [^>]*height="(\d+)"/g)].map(([, px]) => Number(px));
		expect(heights).toHaveLength(30);
		expect(heights.slice(-3)).toEqual([0, 240, 180]);
		expect(page).toContain('35.0 kWh in the last 30 days');
		expect(page).not.toMatch(/<script|src=|href=/);
		expect(pageOf('energy-chart.json', [{}])).toContain('0.0 kWh');
	});
});
