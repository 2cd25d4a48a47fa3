/** Charging sessions as stations really send them: odd times, registers and transaction IDs. One row each, and no wrong number. */
import type { StationSettings } from '../../../lib/station';
import { shardIn } from '../../../lib/station/shards';
import { back, message, MINUTE, type StationEvent, stationWorld, time } from './stationWorld';

type Payload = Record<string, unknown>;
type Item = Record<string, unknown>;

const iso = (at: string) => new Date(time(at)).toISOString();
const of =
	(action: string) =>
	(at: string, payload: Payload, more: Payload = {}) =>
		message(at, 's1', [action, payload], more);

/** OCPP 1.6: connector 1 and the time of the event, unless the payload says otherwise. */
const start = (at: string, meterStart: number, payload: Payload = {}, messageId = `m ${at}`) =>
	of('StartTransaction')(
		at,
		{ connectorId: 1, idTag: 'TAG', meterStart, timestamp: iso(at), ...payload },
		{ messageId },
	);
const answered = (startedAt: string, transactionId: number, messageId = `m ${startedAt}`) =>
	of('')(startedAt, { transactionId }, { messageType: 'CALL_RESULT', messageId });
/** A start with its response. */
const begun = (at: string, transactionId: number, meterStart: number, payload: Payload = {}) => [
	start(at, meterStart, payload),
	answered(at, transactionId),
];
const stop = (at: string, transactionId: number, meterStop: number, payload: Payload = {}) =>
	of('StopTransaction')(at, { transactionId, meterStop, timestamp: iso(at), ...payload });
const metered = (at: string, value: number, payload: Payload = {}, sample: Payload = {}) =>
	of('MeterValues')(at, {
		connectorId: 1,
		meterValue: [
			{
				timestamp: iso(at),
				sampledValue: [
					{ value: '7', measurand: 'Power.Active.Import' },
					{ value: String(value), ...sample },
				],
			},
		],
		...payload,
	});

/** OCPP 2.0.1. */
type Sample = readonly [wh: number, context?: string];
const transaction =
	(eventType: string) =>
	(at: string, seqNo: number, samples: readonly Sample[] = [], payload: Payload = {}) =>
		of('TransactionEvent')(at, {
			...{ eventType, seqNo, timestamp: iso(at) },
			transactionInfo: { transactionId: 'A' },
			...(eventType === 'Started' && { evse: { id: 1, connectorId: 1 } }),
			...(samples.length > 0 && {
				meterValue: [
					{
						timestamp: iso(at),
						sampledValue: samples.map(([value, context]) => ({
							value,
							...(context !== undefined && { context }),
						})),
					},
				],
			}),
			...payload,
		});
const started = transaction('Started');
const updated = transaction('Updated');
const ended = transaction('Ended');
const tx = (transactionId: string, payload: Payload = {}) => ({
	transactionInfo: { transactionId },
	...payload,
});

const DAY = 1440 * MINUTE;

const EVSE_1 = { evse: { id: 1, connectorId: 1 } };
const EVSE_2 = { evse: { id: 2, connectorId: 1 } };

const SESSIONS = { settings: { kind: 'sessionEnded', forMs: 0, resolveAfterMs: 0 } } as const;

/** What is reported, whatever the order of the list and the polls. */
async function rowsOf(
	events: readonly StationEvent[],
	settings: Partial<StationSettings> = {},
): Promise<Item[]> {
	const lists = [
		{ every: 3, options: {} },
		{ every: 13, options: { isOldestFirst: true, copies: 2 } },
		{ every: 55, options: {} },
	];
	const rows: Item[][] = [];
	for (const { every, options } of lists) {
		const world = stationWorld({
			...options,
			workflowId: 'field',
			settings: { ...SESSIONS.settings, ...settings },
		});
		world.events = [...events];
		for (let at = time('08:50'); at <= time('11:00'); at += every * MINUTE) {
			world.now = at;
			await world.poll();
		}
		for (const last of ['11:01', '11:02']) {
			world.now = time(last);
			await world.poll();
		}
		expect(new Set(world.ids()).size).toBe(world.ids().length);
		rows.push(world.items().map(({ together: _together, ...item }) => item));
	}
	const [first = [], ...others] = rows.map((some) =>
		some.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1)),
	);
	for (const other of others) expect(other).toEqual(first);
	return (rows[0] ?? []).toSorted((a, b) =>
		String(a['receivedAt']).localeCompare(String(b['receivedAt'])),
	);
}

/** A row: minutes, kWh, what else counts. */
const CASES: readonly (readonly [string, readonly StationEvent[], readonly Item[]])[] = [
	[
		'T1: an offset of two digits',
		[
			start('09:00', 1_000, { timestamp: '2026-11-23T11:00:00+02' }),
			stop('09:30', 25, 6_000, { timestamp: '2026-11-23T11:30:00+02' }),
		],
		[{ startedAt: iso('09:00'), stoppedAt: iso('09:30'), minutes: 30, energyKwh: 5 }],
	],
	[
		'T2: times without a zone, sent later',
		[
			start('09:05', 1_000, { timestamp: '2026-11-23T09:00:00' }),
			stop('09:35', 25, 6_000, { timestamp: '2026-11-23 09:31:00' }),
		],
		[{ startedAt: iso('09:00'), stoppedAt: iso('09:31'), minutes: 31, energyKwh: 5 }],
	],
	[
		'C1: the clock is set during the session',
		[start('09:00', 1_000, { timestamp: '2023-01-01T00:00:20Z' }), stop('09:30', 25, 6_000)],
		[{ startedAt: iso('09:00'), stoppedAt: iso('09:30'), minutes: 30, energyKwh: 5 }],
	],
	[
		'C2: local time that is marked as UTC at the start',
		[start('09:05', 1_000, { timestamp: iso('11:05') }), stop('09:35', 25, 21_000)],
		[{ startedAt: iso('09:05'), minutes: 30, energyKwh: 20, connector: '1' }],
	],
	[
		'a clock that shows the same time after each boot, and a register that begins with 0 each time',
		[
			start('09:00', 0, { timestamp: '2023-01-01T00:00:20Z' }, '1'),
			answered('09:00', 25, '1'),
			stop('09:30', 25, 5_000),
			start('10:20', 0, { timestamp: '2023-01-01T00:00:20Z' }, '2'),
			answered('10:20', 26, '2'),
			stop('10:40', 26, 2_000),
		],
		[
			{ startedAt: iso('09:00'), stoppedAt: iso('09:30'), minutes: 30, energyKwh: 5 },
			{ startedAt: iso('10:20'), stoppedAt: iso('10:40'), minutes: 20, energyKwh: 2 },
		],
	],
	[
		'a clock that is set back during the session',
		[start('09:00', 1_000), stop('09:30', 25, 6_000, { timestamp: iso('07:30') })],
		[{ startedAt: iso('09:00'), stoppedAt: iso('09:30'), minutes: 30, energyKwh: 5 }],
	],
	[
		'C3: a start of three days ago may have been sent late',
		[start('09:00', 1_000, { timestamp: iso('11-20 09:00') }), stop('09:30', 25, 6_000)],
		[{ startedAt: iso('11-20 09:00'), stoppedAt: iso('09:30'), energyKwh: 5 }],
	],
	[
		'a clock that was never set',
		[
			start('09:00', 1_000, { timestamp: '1970-01-01T00:00:05Z' }),
			stop('09:30', 25, 6_000, { timestamp: '1970-01-01T00:30:05Z' }),
		],
		[{ startedAt: iso('09:00'), stoppedAt: iso('09:30'), minutes: 30, energyKwh: 5 }],
	],
	[
		'E1: a placeholder at the start',
		[started('09:00', 0, [[0]]), updated('09:10', 1, [[909_948]]), ended('09:40', 2, [[910_031]])],
		[{ minutes: 40, energyKwh: 0.083, energyFrom: 'first reading to stop' }],
	],
	[
		'a placeholder at the start, and nothing else before the end',
		[started('09:00', 0, [[0]]), ended('09:40', 2, [[910_031]])],
		[{ energyKwh: null, energyFrom: null, meterStartWh: null }],
	],
	[
		'a placeholder of 1 at the start',
		[
			started('09:00', 0, [[1]]),
			updated('09:05', 1, [[909_948]]),
			updated('09:10', 2, [[909_990]]),
			ended('09:40', 3, [[910_031]]),
		],
		[{ energyKwh: null }],
	],
	[
		'a 0 at the start that may be a placeholder',
		[started('09:00', 0, [[0]]), updated('09:20', 1, [[60_000]]), ended('09:50', 2, [[61_000]])],
		[{ energyKwh: null }],
	],
	[
		'a placeholder at the start, whose time is three days old',
		[
			started('09:00', 0, [[0, 'Transaction.Begin']], { timestamp: iso('11-20 09:00') }),
			updated('09:01', 1, [[77_980]]),
			updated('09:20', 2, [[81_000]]),
			ended('09:47', 3, [[84_492]]),
		],
		[{ energyKwh: null, startedAt: iso('11-20 09:00') }],
	],
	[
		'a register that counts each session from 0',
		[started('09:00', 0, [[0]]), updated('09:20', 1, [[20_000]]), ended('09:50', 2, [[31_000]])],
		[{ energyKwh: 31, meterStartWh: 0, energyFrom: 'start to stop' }],
	],
	[
		'a register that counts each session from 0, whose meter values repeat that 0',
		[
			...begun('09:00', 25, 0),
			...[1_110, 3_000].map((value, n) =>
				of('MeterValues')(`09:${String(n + 1)}0`, {
					...{ connectorId: 1, transactionId: 25 },
					meterValue: [
						{
							timestamp: iso(`09:${String(n + 1)}0`),
							sampledValue: [
								{ value: String(value), context: 'Sample.Periodic' },
								{ value: '0', context: 'Transaction.Begin' },
							],
						},
					],
				}),
			),
			stop('09:30', 25, 5_000),
		],
		[{ energyKwh: 5, meterStartWh: 0 }],
	],
	[
		'a session without energy whose stop never came, and the next one',
		[
			...begun('09:00', 24, 1_000),
			metered('09:05', 1_000, { transactionId: 24 }),
			...begun('10:00', 25, 1_000),
			metered('10:10', 2_000, { transactionId: 25 }),
			stop('10:30', 25, 3_000),
		],
		[
			{ startedAt: iso('09:00'), stoppedAt: null, reason: 'NotReported' },
			{ startedAt: iso('10:00'), minutes: 30, energyKwh: 2, energyFrom: 'start to stop' },
		],
	],
	[
		'a start that is sent again with another response, of one session',
		[
			...begun('09:00', 24, 1_000),
			...begun('09:02', 25, 1_000),
			metered('09:10', 2_000, { transactionId: 25 }),
			stop('09:30', 25, 3_000),
		],
		[{ startedAt: iso('09:00'), minutes: 30, energyKwh: 2 }],
	],
	[
		'a start that is sent again with another response, while a session of another connector runs',
		[
			...begun('09:00', 25, 1_000),
			...begun('09:00:20', 26, 1_000, { timestamp: iso('09:00') }),
			...begun('09:05', 27, 1_200, { connectorId: 2 }),
			stop('09:30', 26, 6_000),
			stop('09:40', 27, 8_000),
		],
		[
			{ transactionId: '26', connector: '1', energyKwh: 5, startFoundBy: 'response' },
			{ transactionId: '27', connector: '2', energyKwh: 6.8, startFoundBy: 'response' },
		],
	],
	[
		'a session whose messages are all sent again after a boot, and get another response',
		[
			...begun('09:00', 25, 1_000),
			stop('09:30', 25, 6_000),
			...begun('10:20', 26, 1_000, { timestamp: iso('09:00') }),
			stop('10:20:01', 26, 6_000, { timestamp: iso('09:30') }),
			...begun('10:30', 27, 6_000),
			stop('10:50', 27, 7_000),
		],
		[
			{ transactionId: '25', energyKwh: 5, minutes: 30 },
			{ transactionId: '27', energyKwh: 1, minutes: 20 },
		],
	],
	[
		'E3: both ends in one list, in any order',
		[
			started('09:00', 0),
			ended('09:30', 1, [
				[6_000, 'Transaction.End'],
				[1_000, 'Transaction.Begin'],
			]),
		],
		[{ energyKwh: 5, energyFrom: 'Transaction.Begin to Transaction.End' }],
	],
	[
		'E4: seqNo begins again after a power cut',
		[
			started('09:00', 0, [[1_000, 'Transaction.Begin']]),
			updated('09:03', 1, [[2_000]]),
			updated('09:05', 2, [[3_500]]),
			updated('09:20', 0, [], { triggerReason: 'TxResumed' }),
			ended('09:40', 1, [[9_000]]),
		],
		[{ minutes: 40, energyKwh: 8, energyFrom: 'Transaction.Begin to stop' }],
	],
	[
		'E8: all readings in the last message',
		[
			started('09:00', 0),
			ended('09:30', 1, [
				[1_000, 'Transaction.Begin'],
				[2_000, 'Sample.Periodic'],
				[4_500, 'Transaction.End'],
			]),
		],
		[{ energyKwh: 3.5 }],
	],
	[
		'an end without readings, and the last one in a message just after it',
		[
			started('09:00', 0, [[1_000, 'Transaction.Begin']]),
			updated('09:15', 1, [[3_000, 'Sample.Periodic']]),
			ended('09:30', 2),
			updated('09:30:05', 3, [[6_000, 'Transaction.End']]),
		],
		[
			{
				...{ energyKwh: 5, meterStopWh: 6_000, minutes: 30 },
				energyFrom: 'Transaction.Begin to Transaction.End',
			},
		],
	],
	[
		'an end without readings, and others just after it, without a context',
		[
			started('09:00', 0, [[1_000]]),
			updated('09:15', 1, [[3_000]]),
			ended('09:30', 2),
			updated('09:30:05', 3, [[6_000]]),
			updated('09:31:05', 4, [[6_500]]),
		],
		[{ energyKwh: 5, energyFrom: 'start to last reading', minutes: 30 }],
	],
	[
		'a Begin of 0 that a later message corrects',
		[
			started('09:00', 0, [[0, 'Transaction.Begin']]),
			ended('09:30', 1, [
				[1_000, 'Transaction.Begin'],
				[4_500, 'Transaction.End'],
			]),
		],
		[{ energyKwh: 3.5 }],
	],
	[
		'E9: the end of transactionData in place of meterStop -1',
		[
			start('09:00', 1_000),
			stop('09:30', 25, -1, {
				transactionData: [
					{
						timestamp: iso('09:30'),
						sampledValue: [{ value: '4000', context: 'Transaction.End' }],
					},
				],
			}),
		],
		[{ energyKwh: 3, meterStopWh: 4_000, energyFrom: 'start to Transaction.End' }],
	],
	[
		'a stop without a register, and the last one in meter values just after it',
		[
			...begun('09:00', 25, 1_000),
			metered('09:15', 3_000, { transactionId: 25 }),
			stop('09:30', 25, -1),
			metered('09:30:05', 6_000, { transactionId: 25 }, { context: 'Transaction.End' }),
			...begun('09:30:30', 26, 6_000),
			metered('09:30:40', 6_100, { transactionId: 26 }, { context: 'Transaction.Begin' }),
			stop('09:50', 26, 0, { meterStop: undefined }),
			metered('09:51', 8_100, {}, { context: 'Transaction.End' }),
			metered('09:50:30', 9_000),
			metered('09:51:30', 9_100, { transactionId: 26 }, { context: 'Transaction.End' }),
		],
		[
			{ energyKwh: 5, meterStopWh: 6_000, energyFrom: 'start to Transaction.End', minutes: 30 },
			{ energyKwh: 2, meterStopWh: 8_100, energyFrom: 'Transaction.Begin to Transaction.End' },
		],
	],
	[
		'a stop without a register, and meter values of another session just after it',
		[
			...begun('09:00', 25, 1_000),
			metered('09:15', 3_000, { transactionId: 25 }),
			stop('09:30', 25, -1),
			metered('09:30:50', 6_200, { transactionId: 26 }),
		],
		[{ energyKwh: 2, energyFrom: 'start to last reading' }],
	],
	[
		'meter values just after a stop that has a register',
		[
			...begun('09:00', 25, 1_000),
			stop('09:30', 25, 6_000),
			metered('09:30:05', 6_400, { transactionId: 25 }, { context: 'Transaction.End' }),
		],
		[{ energyKwh: 5, energyFrom: 'start to stop' }],
	],
	[
		'E10: meterStart and meterStop of 0, and meter values',
		[
			...begun('09:00', 25, 0),
			metered('09:10', 1_000, { transactionId: 25 }),
			metered('09:20', 2_000, { transactionId: 25 }),
			metered('09:29', 3_000, { transactionId: 25 }),
			stop('09:30', 25, 0),
		],
		[{ energyKwh: 3, energyFrom: 'start to last reading' }],
	],
	[
		'a meter that only ever says 0',
		[start('09:00', 0), stop('09:30', 25, 0)],
		[{ minutes: 30, energyKwh: null }],
	],
	[
		'a meterStop that is that of the start, and meter values without a transaction',
		[
			start('09:00', 1_000),
			metered('09:10', 2_000),
			metered('09:20', 3, { transactionId: -1 }, { unit: 'kWh' }),
			metered('09:29', 4_000),
			stop('09:30', 25, 1_000),
			metered('10:00', 9_000),
		],
		[{ energyKwh: 3, energyFrom: 'start to last reading' }],
	],
	[
		'a register that rises faster than 4 MW allow',
		[
			start('09:00', 1_000),
			metered('09:10', 2_000),
			metered('09:11', 900_000_000),
			stop('09:30', 25, 4_000),
		],
		[{ energyKwh: 3, energyFrom: 'start to stop' }],
	],
	[
		'a stop that is higher than 4 MW allow',
		[...begun('09:00', 25, 1_000), metered('09:20', 2_000), stop('09:30', 25, 900_000_000)],
		[{ energyKwh: 1, energyFrom: 'start to last reading' }],
	],
	[
		'a stop that is lower than the start, and no other reading',
		[start('09:00', 5_000), stop('09:30', 25, 400)],
		[{ energyKwh: null, energyFrom: null }],
	],
	[
		'values that contradict each other',
		[start('09:00', 1_000), metered('09:20', 9_000), stop('09:30', 25, 5_000)],
		[{ energyKwh: null }],
	],
	[
		'a register that begins again with a boot',
		[
			...begun('09:00', 25, 50_000),
			metered('09:10', 52_000, { transactionId: 25 }),
			metered('09:20', 500, { transactionId: 25 }),
			stop('09:30', 25, 1_500),
		],
		[{ minutes: 30, energyKwh: null, meterStartWh: 50_000, meterStopWh: null }],
	],
	[
		'two readings that are too low',
		[
			...begun('09:00', 25, 50_000),
			metered('09:10', 51_000, { transactionId: 25 }),
			metered('09:15', 5, { transactionId: 25 }),
			metered('09:16', 6, { transactionId: 25 }),
			metered('09:20', 54_000, { transactionId: 25 }),
			stop('09:30', 25, 55_000),
		],
		[{ energyKwh: 5, energyFrom: 'start to stop' }],
	],
	[
		'parts per phase',
		[
			started('09:00', 0),
			ended('09:30', 1, [], {
				meterValue: (
					[
						['09:00', 'Transaction.Begin', 100],
						['09:30', 'Transaction.End', 1_100],
					] as const
				).map(([at, context, value]) => ({
					timestamp: iso(at),
					sampledValue: ['L1', 'L2', 'L3', 'L1-L2'].map((phase) => ({ value, context, phase })),
				})),
			}),
		],
		[{ energyKwh: 3, meterStartWh: 300 }],
	],
	[
		'parts of fewer phases at the end',
		[
			started('09:00', 0),
			ended('09:30', 1, [], {
				meterValue: (
					[
						['09:00', 'Transaction.Begin', 100, ['L1', 'L2', 'L3']],
						['09:30', 'Transaction.End', 1_100, ['L1', 'L2']],
					] as const
				).map(([at, context, value, phases]) => ({
					timestamp: iso(at),
					sampledValue: phases.map((phase) => ({ value, context, phase })),
				})),
			}),
		],
		[{ energyKwh: null, minutes: 30 }],
	],
	[
		'parts per phase, and a total that cannot be read',
		[
			...begun('09:00', 25, -1),
			...(
				[
					['09:01', 100],
					['09:29', 1_100],
				] as const
			).map(([at, value]) =>
				of('MeterValues')(at, {
					...{ connectorId: 1, transactionId: 25 },
					meterValue: [
						{
							timestamp: iso(at),
							sampledValue: [
								{ value: '' },
								...['L1', 'L2', 'L3'].map((phase) => ({ value: String(value), phase })),
							],
						},
					],
				}),
			),
			stop('09:30', 25, -1),
		],
		[{ energyKwh: 3, meterStartWh: 300, energyFrom: 'first reading to last reading' }],
	],
	[
		'a register of one phase',
		[
			started('09:00', 0, [], {
				meterValue: [{ timestamp: iso('09:00'), sampledValue: [{ value: 1_000, phase: 'L1' }] }],
			}),
			ended('09:30', 1, [], {
				meterValue: [{ timestamp: iso('09:30'), sampledValue: [{ value: 6_000, phase: 'L1' }] }],
			}),
		],
		[{ energyKwh: 5, energyFrom: 'start to stop' }],
	],
	[
		'a placeholder at the beginning, and readings only in the last message',
		[
			started('09:00', 0),
			ended('09:30', 1, [
				[0, 'Transaction.Begin'],
				[902_000, 'Sample.Periodic'],
				[904_500, 'Transaction.End'],
			]),
		],
		[{ energyKwh: 2.5, energyFrom: 'first reading to Transaction.End' }],
	],
	[
		'meter values of the EVSE, outside the transaction',
		[
			started('09:00', 0),
			of('MeterValues')('08:55', { evseId: 1, meterValue: samples('08:55', 900) }),
			of('MeterValues')('09:01', { evseId: 1, meterValue: samples('09:01', 1_000) }),
			of('MeterValues')('09:29', { evseId: 1, meterValue: samples('09:29', 4_000) }),
			ended('09:30', 1),
			of('MeterValues')('09:45', { evseId: 1, meterValue: samples('09:45', 8_000) }),
		],
		[{ energyKwh: 3, energyFrom: 'first reading to last reading' }],
	],
	[
		'meter values of an EVSE that its transaction names later',
		[
			started('09:00', 0, [], { evse: undefined }),
			of('MeterValues')('09:01', { evseId: 1, meterValue: samples('09:01', 1_000) }),
			updated('09:10', 1, [[2_000]], EVSE_1),
			ended('09:30', 2, [[5_000, 'Transaction.End']]),
		],
		[{ energyKwh: 4, energyFrom: 'first reading to Transaction.End' }],
	],
	[
		'meter values of the EVSE of a session that lasts for over an hour',
		[
			started('09:00', 0),
			of('MeterValues')('09:01', { evseId: 1, meterValue: samples('09:01', 1_000) }),
			updated('10:20', 1, [[4_000]]),
			ended('10:40', 2, [[6_000, 'Transaction.End']]),
		],
		[{ energyKwh: 5, energyFrom: 'first reading to Transaction.End' }],
	],
	[
		'no register but a signed one, one of the grid, and one in an unknown unit',
		[
			start('09:00', -1),
			metered('09:10', 1_000, {}, { format: 'SignedData' }),
			metered('09:11', 2_000, {}, { unit: 'Percent' }),
			metered('09:12', 2_000, {}, { measurand: 'Energy.Active.Export.Register' }),
			stop('09:30', 25, -1),
		],
		[{ energyKwh: null, meterStartWh: null, meterStopWh: null }],
	],
	[
		'I13: the station stops with -1, although the start was answered',
		[start('09:00', 1_000), answered('09:00', 25), stop('09:30', -1, 6_000)],
		[{ energyKwh: 5, startFoundBy: 'order', connector: '1' }],
	],
	[
		'I13: the station stops with a number of its own',
		[start('09:00', 1_000), answered('09:00', 25), stop('09:30', 7, 6_000)],
		[{ energyKwh: 5, startFoundBy: 'order' }],
	],
	[
		'a stop of a session that began long ago takes no other start',
		[
			...begun('09:00', 26, 1_000, { connectorId: 2 }),
			metered('09:05', 1_100, { connectorId: 2, transactionId: 26 }),
			stop('09:10', 25, 90_000),
			stop('09:30', 26, 6_000),
		],
		[
			{ transactionId: '25', startFoundBy: 'not found', energyKwh: null, minutes: null },
			{ transactionId: '26', startFoundBy: 'response', energyKwh: 5 },
		],
	],
	[
		'a stop that has its register twice, and no start',
		[
			stop('09:30', 25, 6_000, {
				transactionData: [
					{
						timestamp: iso('09:30'),
						sampledValue: [{ value: '6000', context: 'Transaction.End' }],
					},
				],
			}),
		],
		[{ startFoundBy: 'not found', energyKwh: null, meterStartWh: null, meterStopWh: 6_000 }],
	],
	[
		'an end that has its register twice, and no start',
		[ended('09:30', 1, [[6_000], [6_000, 'Transaction.End']])],
		[{ startFoundBy: 'not found', energyKwh: null, meterStartWh: null, meterStopWh: 6_000 }],
	],
	[
		'an end without a start that is sent again by a clock that is not set',
		[
			ended('09:30', 1, [[6_000]], { timestamp: undefined }),
			ended('09:31', 1, [[6_000]], { timestamp: undefined }),
		],
		[{ startFoundBy: 'not found', energyKwh: null, meterStopWh: 6_000 }],
	],
	[
		'a session that uses nothing and has no stop, before another one that ends soon',
		[
			...begun('09:00', 24, 1_000),
			metered('09:05', 1_000, { transactionId: 24 }),
			...begun('09:20', 25, 1_000),
			metered('09:23', 1_500, { transactionId: 25 }),
			stop('09:26', 25, 2_000),
		],
		[
			{ transactionId: '24', reason: 'NotReported', energyKwh: 0 },
			{ transactionId: '25', reason: 'Local', energyKwh: 1 },
		],
	],
	...([0, 50_000] as const).map((register): (typeof CASES)[number] => [
		`the stop of a session two days ago, sent after a boot while another one runs that began at ${register}`,
		[
			...begun('09:00', 26, register),
			stop('09:10', 13, register + 4_200, { timestamp: iso('11-21 18:00') }),
			stop('09:40', 26, register + 6_000),
		],
		[
			{ transactionId: '13', startFoundBy: 'not found', energyKwh: null, minutes: null },
			{ transactionId: '26', startFoundBy: 'response', energyKwh: 6, minutes: 40 },
		],
	]),
	[
		'I2: the same ID on two connectors; the second stop decides the first one',
		[
			...begun('09:00', 1, 80_000),
			...begun('09:02', 1, 50_000, { connectorId: 2 }),
			stop('09:30', 1, 84_000),
			stop('09:35', 1, 57_000),
		],
		[
			{ connector: '1', energyKwh: 4 },
			{ connector: '2', energyKwh: 7 },
		],
	],
	[
		'I2: the same ID on two connectors; the second stop comes late',
		[
			...begun('09:00', 1, 80_000),
			...begun('09:02', 1, 50_000, { connectorId: 2 }),
			stop('09:30', 1, 84_000),
			stop('09:50', 1, 57_000),
			start('10:00', 84_000),
			start('10:01', 57_000, { connectorId: 2 }),
		],
		[
			{ connector: null, energyKwh: null, startFoundBy: 'not found' },
			{ connector: '2', energyKwh: 7 },
		],
	],
	[
		'I3: the same ID a third time, while the end of the second one waits, and the EVSE of the first one again',
		[
			started('08:55', 0, [], tx('1', { evse: undefined })),
			updated('08:56', 1, [], tx('1', EVSE_1)),
			ended('09:10', 2, [], tx('1')),
			started('09:20', 0, [], tx('1', { evse: undefined })),
			updated('09:25', 1, [], tx('1', EVSE_2)),
			ended('10:43:31', 2, [], tx('1', { timestamp: iso('09:40') })),
			started('10:43:32', 0, [], tx('1', { evse: undefined, timestamp: iso('10:03') })),
			updated('10:43:33', 1, [], tx('1', { ...EVSE_1, timestamp: iso('10:05') })),
			ended('10:43:34', 2, [], tx('1', { timestamp: iso('10:40') })),
		],
		[{ connector: '1/1' }, { connector: '2/1' }, { connector: '1/1' }],
	],
	[
		'I3: the same ID again after a boot',
		[
			started('09:00', 0, [[1_000]], tx('1')),
			ended('09:10', 1, [[2_000]], tx('1')),
			started('09:30', 0, [[2_000]], tx('1')),
			updated('09:40', 1, [[5_000]], tx('1')),
			ended('09:50', 2, [[6_000]], tx('1')),
		],
		[
			{ minutes: 10, energyKwh: 1 },
			{ minutes: 20, energyKwh: 4, connector: '1/1' },
		],
	],
	...(['09:30', '10:40'] as const).map((second): (typeof CASES)[number] => {
		const clock = (hour: string, minutes: number) =>
			new Date(time(hour) + minutes * MINUTE).toISOString().slice(11, 19);
		const session = (at: string, [begin, middle, end]: readonly [number, number, number]) => [
			started(`${at}:00.600`, 0, [], tx('1', { timestamp: iso(clock(at, 60)), ...EVSE_1 })),
			ended(clock(at, 10), 1, [], {
				...tx('1'),
				meterValue: [
					[clock(at, 0), 'Transaction.Begin', begin] as const,
					[clock(at, 5), 'Sample.Periodic', middle] as const,
					[clock(at, 10), 'Transaction.End', end] as const,
				].map(([sampled, context, value]) => ({
					timestamp: iso(sampled).replace('.000Z', ''),
					sampledValue: [{ value, context }],
				})),
			}),
		];
		return [
			`I3: the same ID again at ${second}, the first readings a fraction of a second before the start`,
			[...session('09:00', [1_000, 1_500, 2_000]), ...session(second, [5_000, 7_000, 8_000])],
			[
				{ energyKwh: 1, energyFrom: 'Transaction.Begin to Transaction.End' },
				{ energyKwh: 3, energyFrom: 'Transaction.Begin to Transaction.End' },
			],
		];
	}),
	[
		'I3: the same ID again, OCPP 1.6',
		[
			...begun('09:00', 1, 1_000),
			stop('09:10', 1, 2_000),
			...begun('09:30', 1, 2_000),
			stop('09:50', 1, 6_000),
		],
		[
			{ minutes: 10, energyKwh: 1 },
			{ minutes: 20, energyKwh: 4 },
		],
	],
	...(
		[
			['one after the other', '09:40', 2_000, 6_000],
			['both at once', '09:20', 1_500, 2_500],
		] as const
	).map(([name, second, from, to]): (typeof CASES)[number] => [
		`message IDs that begin again with a boot, the sessions ${name}`,
		[
			start('09:00', 1_000, {}, '1000005'),
			answered('09:00', 25, '1000005'),
			...(name === 'both at once' ? [] : [stop('09:30', 25, 2_000)]),
			start(second, from, { connectorId: name === 'both at once' ? 2 : 1 }, '1000005'),
			answered(second, 26, '1000005'),
			stop('10:00', 26, to),
			...(name === 'both at once' ? [stop('10:10', 25, 6_000)] : []),
		],
		name === 'both at once'
			? [
					{ transactionId: '26', connector: '2', energyKwh: 1, startFoundBy: 'response' },
					{ transactionId: '25', connector: '1', energyKwh: 5, startFoundBy: 'response' },
				]
			: [
					{ transactionId: '25', energyKwh: 1, startFoundBy: 'response' },
					{ transactionId: '26', energyKwh: 4, startFoundBy: 'response' },
				],
	]),
	[
		'message IDs and transaction IDs that begin again with a boot',
		[
			start('09:00', 1_000, {}, '5'),
			answered('09:00', 1, '5'),
			stop('09:30', 1, 2_000),
			start('09:40', 2_000, {}, '5'),
			answered('09:40', 1, '5'),
			stop('10:00', 1, 6_000),
		],
		[
			{ energyKwh: 1, startFoundBy: 'response' },
			{ energyKwh: 4, startFoundBy: 'response', minutes: 20 },
		],
	],
	...([{}, { transactionId: 25 }] as const).map((named): (typeof CASES)[number] => [
		`the register at the start, a fraction of a second before it, in MeterValues with ${JSON.stringify(named)}`,
		[
			start('09:00', 0, { timestamp: iso('09:00').replace('.000', '.600') }),
			answered('09:00', 25),
			metered('09:00:02', 0, {
				...named,
				meterValue: [
					{
						timestamp: iso('09:00'),
						sampledValue: [{ value: '1000', context: 'Transaction.Begin' }],
					},
				],
			}),
			stop('09:30', 25, 6_000),
		],
		[{ meterStartWh: 1_000, energyKwh: 5, energyFrom: 'Transaction.Begin to stop' }],
	]),
	[
		'the register at the start, in MeterValues that were created just before it',
		[
			of('MeterValues')('08:59:59', {
				connectorId: 1,
				meterValue: [
					{
						timestamp: iso('09:00'),
						sampledValue: [{ value: '1000', context: 'Transaction.Begin' }],
					},
				],
			}),
			...begun('09:00', 25, 0),
			stop('09:30', 25, 6_000),
		],
		[{ meterStartWh: 1_000, energyKwh: 5, energyFrom: 'Transaction.Begin to stop' }],
	],
	...([{}, { transactionId: 26 }] as const).flatMap((named) =>
		[true, false].map((isAnswered): (typeof CASES)[number] => [
			`the register at the start of the next session, a fraction of a second before it, with ${JSON.stringify(named)} ${isAnswered}`,
			[
				start('09:00', 1_000),
				metered('09:10', 2_000, { transactionId: 25 }),
				metered('09:20', 0, {
					...named,
					meterValue: [
						{
							timestamp: iso('09:20'),
							sampledValue: [{ value: '2500', context: 'Transaction.Begin' }],
						},
					],
				}),
				start('09:20:01', 0, { timestamp: iso('09:20').replace('.000', '.600') }),
				...(isAnswered ? [answered('09:00', 25), answered('09:20:01', 26)] : []),
				stop('09:40', 26, 6_000),
			],
			[
				{ transactionId: '25', reason: 'NotReported', meterStartWh: 1_000, energyKwh: 1 },
				{ transactionId: '26', connector: '1', meterStartWh: 2_500, energyKwh: 3.5 },
			],
		]),
	),
	...(['Updated', 'Ended'] as const).map((names): (typeof CASES)[number] => [
		`only ${names} names the connector of the EVSE`,
		[
			started('09:00', 0, [[1_000]], { evse: { id: 1 } }),
			updated('09:01', 1, [], names === 'Updated' ? EVSE_1 : {}),
			ended('09:30', 2, [[6_000]], names === 'Ended' ? EVSE_1 : {}),
		],
		[{ connector: '1/1', minutes: 30, energyKwh: 5 }],
	]),
	...(
		[
			[{ id: 1, connectorId: 0 }, {}, '1'],
			[{ id: 1, connectorId: 0 }, EVSE_1, '1/1'],
			[{ id: 0, connectorId: 0 }, EVSE_1, '1/1'],
			[{ id: 0 }, {}, null],
		] as const
	).map(([evse, later, connector]): (typeof CASES)[number] => [
		`a start at ${JSON.stringify(evse)}, and ${JSON.stringify(later)} later`,
		[
			started('09:00', 0, [[1_000]], { evse }),
			updated('09:01', 1, [], later),
			ended('09:30', 2, [[6_000]]),
		],
		[{ connector, minutes: 30, energyKwh: 5 }],
	]),
	[
		'connector 0 of an EVSE, no end, and another session of its connector 1',
		[
			started('09:00', 0, [[1_000]], { evse: { id: 1, connectorId: 0 } }),
			updated('09:10', 1, [[2_500]]),
			started('09:30', 0, [[2_600]], tx('B', EVSE_1)),
			ended('09:50', 1, [[6_600]], tx('B')),
		],
		[
			{ transactionId: 'A', connector: '1', energyKwh: 1.5, reason: 'NotReported' },
			{ transactionId: 'B', connector: '1/1', energyKwh: 4 },
		],
	],
	[
		'only Updated names the connector of the EVSE, and another session begins on its other connector',
		[
			started('09:00', 0, [[1_000]], { evse: { id: 1 } }),
			updated('09:01', 1, [], { evse: { id: 1, connectorId: 2 } }),
			started('09:30', 0, [[2_500]], tx('B', EVSE_1)),
			ended('09:50', 1, [[4_500]], tx('B')),
			ended('10:00', 2, [[7_000]]),
		],
		[
			{ transactionId: 'B', connector: '1/1', energyKwh: 2 },
			{ transactionId: 'A', connector: '1/2', energyKwh: 6, minutes: 60, reason: 'Local' },
		],
	],
	[
		'the same ID on two EVSEs at the same time, OCPP 2.0.1',
		[
			started('09:00', 0, [[80_000]], tx('1', EVSE_1)),
			started('09:02', 0, [[50_000]], tx('1', EVSE_2)),
			ended('09:30', 1, [[84_000]], tx('1', EVSE_1)),
			ended('09:40', 1, [[57_000]], tx('1', EVSE_2)),
		],
		[
			{ connector: '1/1', minutes: 30, energyKwh: null },
			{ connector: '2/1', minutes: 38, energyKwh: null },
		],
	],
	[
		'the same ID on two EVSEs, whose ends name none, OCPP 2.0.1',
		[
			started('09:00', 0, [[80_000]], tx('1', EVSE_1)),
			started('09:02', 0, [[50_000]], tx('1', EVSE_2)),
			ended('09:30', 1, [[84_000]], tx('1')),
			ended('09:40', 1, [[57_000]], tx('1')),
			started('10:00', 0, [[84_000]], tx('2', EVSE_1)),
			started('10:02', 0, [[57_000]], tx('3', EVSE_2)),
		],
		[
			{ connector: '1/1', minutes: null, energyKwh: null, reason: 'NotReported' },
			{ connector: '2/1', minutes: null, energyKwh: null, reason: 'NotReported' },
		],
	],
	[
		'the same ID on two EVSEs one after the other, OCPP 2.0.1',
		[
			started('09:00', 0, [[80_000]], tx('1', EVSE_1)),
			ended('09:30', 1, [[84_000]], tx('1')),
			started('09:40', 0, [[50_000]], tx('1', EVSE_2)),
			ended('09:50', 1, [[52_000]], tx('1')),
		],
		[
			{ connector: '1/1', minutes: 30, energyKwh: 4 },
			{ connector: '2/1', minutes: 10, energyKwh: 2 },
		],
	],
	[
		'I11: no stop, and another session of the connector',
		[
			...begun('09:00', 1, 1_000),
			metered('09:10', 1_500, { transactionId: 1 }),
			metered('09:12', 2_000, { transactionId: 1 }),
			metered('09:14', 2_500, { transactionId: 1 }),
			...begun('09:30', 2, 2_600),
			stop('09:50', 2, 6_600),
		],
		[
			{
				...{ transactionId: '1', connector: '1', startedAt: iso('09:00'), stoppedAt: null },
				...{ minutes: null, energyKwh: 1.5, energyFrom: 'start to last reading' },
				...{ reason: 'NotReported', startFoundBy: null, receivedAt: iso('09:30') },
			},
			{ transactionId: '2', minutes: 20, energyKwh: 4 },
		],
	],
	[
		'I11: the same, OCPP 2.0.1',
		[
			started('09:00', 0, [[1_000]]),
			updated('09:10', 1, [[2_500]]),
			started('09:30', 0, [[2_600]], tx('B')),
			ended('09:50', 1, [[6_600]], tx('B')),
		],
		[
			{
				...{ transactionId: 'A', connector: '1/1', startedAt: iso('09:00'), stoppedAt: null },
				...{ minutes: null, energyKwh: 1.5, reason: 'NotReported' },
			},
			{ transactionId: 'B', minutes: 20, energyKwh: 4 },
		],
	],
	[
		'I11: the stop comes long after the next start',
		[
			...begun('09:00', 1, 1_000),
			...begun('09:30', 2, 2_600),
			stop('10:00', 1, 2_600, { timestamp: iso('09:20') }),
			stop('10:10', 2, 6_600),
		],
		[
			{ transactionId: '1', reason: 'NotReported', energyKwh: null },
			{ transactionId: '2', minutes: 40, energyKwh: 4 },
		],
	],
	[
		'I11: the end comes long after the next start, OCPP 2.0.1',
		[
			started('09:00', 0, [[1_000]]),
			started('09:30', 0, [[2_600]], tx('B')),
			ended('10:00', 1, [[2_600]], { timestamp: iso('09:20') }),
			ended('10:10', 1, [[6_600]], tx('B')),
		],
		[
			{ transactionId: 'A', reason: 'NotReported' },
			{ transactionId: 'B', energyKwh: 4 },
		],
	],
	[
		'a stop that is a second after the next start by both clocks still ends its session',
		[
			...begun('09:00', 25, 1_000),
			...begun('09:30', 26, 6_000),
			stop('09:30:01', 25, 6_000),
			stop('09:50', 26, 9_000),
		],
		[
			{ transactionId: '25', minutes: 30, energyKwh: 5, reason: 'Local' },
			{ transactionId: '26', minutes: 20, energyKwh: 3 },
		],
	],
	[
		'a stop soon after the next start still ends its session',
		[
			...begun('09:00', 1, 1_000),
			...begun('09:30', 2, 2_600),
			stop('09:35', 1, 2_600, { timestamp: iso('09:20') }),
			stop('10:10', 2, 6_600),
		],
		[
			{ transactionId: '1', minutes: 20, energyKwh: 1.6 },
			{ transactionId: '2', minutes: 40, energyKwh: 4 },
		],
	],
	[
		'I12: the same stop again, with another time',
		[
			...begun('09:00', 25, 1_000),
			stop('09:30', 25, 6_000),
			start('09:40', 1_000, { connectorId: 2 }),
			stop('09:45', 25, 6_000),
		],
		[{ minutes: 30, energyKwh: 5 }],
	],
	[
		'I12: the same stop again, with another time and no ID',
		[
			start('09:00', 1_000),
			start('09:05', 500, { connectorId: 2 }),
			metered('09:10', 700, { connectorId: 2, transactionId: 26 }),
			stop('09:30', 26, 6_000, { timestamp: iso('09:30') }),
			stop('09:31', -1, 7_000),
			stop('09:45', -1, 7_000),
		],
		[
			{ connector: '2', energyKwh: 5.5 },
			{ connector: '1', energyKwh: 6 },
		],
	],
	[
		'I12: the same stop again, with another time and another ID',
		[...begun('09:00', 25, 1_000), stop('09:30', 25, 6_000), stop('09:45', -1, 6_000)],
		[{ transactionId: '25', minutes: 30, energyKwh: 5 }],
	],
	[
		'I12: the same end again, with another time, OCPP 2.0.1',
		[started('09:00', 0, [[1_000]]), ended('09:30', 1, [[6_000]]), ended('09:45', 2, [[6_000]])],
		[{ minutes: 30, energyKwh: 5 }],
	],
	[
		'the same start again, after the session, OCPP 2.0.1',
		[
			started('09:00', 0, [[1_000]]),
			ended('09:30', 1, [[6_000]]),
			started('09:40', 0, [[1_000]], { timestamp: iso('09:00') }),
			started('10:00', 0, [[6_000]], tx('B', EVSE_1)),
			ended('10:30', 1, [[8_000]], tx('B')),
		],
		[
			{ transactionId: 'A', minutes: 30, energyKwh: 5 },
			{ transactionId: 'B', minutes: 30, energyKwh: 2 },
		],
	],
	[
		'the same ID again, whose start names no EVSE',
		[
			started('09:00', 0, [[1_000]], tx('1', { evse: undefined })),
			updated('09:01', 1, [], tx('1', EVSE_1)),
			ended('09:20', 2, [[2_000]], tx('1')),
			started('09:40', 0, [[2_000]], tx('1', { evse: undefined })),
			updated('09:41', 1, [], tx('1', EVSE_2)),
			ended('10:00', 2, [[5_000]], tx('1')),
		],
		[
			{ connector: '1/1', minutes: 20, energyKwh: 1 },
			{ connector: '2/1', minutes: 20, energyKwh: 3 },
		],
	],
	[
		'the same start again, with another time, OCPP 2.0.1',
		[started('09:00', 0, [[1_000]]), started('09:02', 0, [[1_000]]), ended('09:30', 1, [[6_000]])],
		[{ startedAt: iso('09:00'), minutes: 30, energyKwh: 5 }],
	],
	[
		'a clock that is set back between two sessions',
		[
			...begun('09:00', 25, 1_000, { timestamp: iso('09:08') }),
			stop('09:05', 25, 1_500, { timestamp: iso('09:13') }),
			...begun('09:06', 26, 1_500),
			stop('09:30', 26, 4_500),
		],
		[
			{ transactionId: '25', minutes: 5, energyKwh: 0.5 },
			{ transactionId: '26', startedAt: iso('09:06'), minutes: 24, energyKwh: 3 },
		],
	],
	[
		'a clock that is set back between two sessions, OCPP 2.0.1',
		[
			started('09:00', 0, [[1_000]], { timestamp: iso('09:08') }),
			ended('09:05', 1, [[1_500]], { timestamp: iso('09:13') }),
			started('09:06', 0, [[1_500]], tx('B')),
			ended('09:30', 1, [[4_500]], tx('B')),
		],
		[
			{ transactionId: 'A', minutes: 5, energyKwh: 0.5 },
			{ transactionId: 'B', startedAt: iso('09:06'), minutes: 24, energyKwh: 3 },
		],
	],
	[
		'a clock that is set back between two sessions, of which the second ends without an ID',
		[
			...begun('09:00', 25, 1_000, { timestamp: iso('09:08') }),
			stop('09:05', 25, 1_500),
			start('09:06', 1_500),
			...begun('09:07', 27, 50_000, { connectorId: 2 }),
			stop('09:30', -1, 0),
			stop('09:40', 27, 53_000),
		],
		[
			{ transactionId: '25', minutes: 5, energyKwh: 0.5 },
			{ transactionId: '-1', connector: null, startFoundBy: 'not found' },
			{ transactionId: '27', connector: '2', energyKwh: 3 },
		],
	],
	[
		'a stop without an ID that is decided after the next session has begun',
		[
			...begun('09:00', 24, 33_000),
			start('09:07', 37_000, { connectorId: 2 }),
			metered('09:07:01', 37_000, { connectorId: 2, transactionId: 25 }),
			of('StopTransaction')('09:15', { meterStop: 37_700, timestamp: iso('09:15') }),
			stop('09:15:07', 24, 33_500),
			start('09:23', 47_000, { connectorId: 2, timestamp: iso('09:31') }),
			metered('09:23:01', 47_000, { connectorId: 2, transactionId: 26 }),
			stop('09:31', 26, 47_500),
		],
		[
			{ transactionId: null, connector: '2', energyKwh: 0.7 },
			{ transactionId: '24', connector: '1', energyKwh: 0.5 },
			{ transactionId: '26', connector: '2', energyKwh: 0.5 },
		],
	],
	[
		'a stop without an ID, and later one with the ID that only meter values named',
		[
			start('09:00', 1_000),
			metered('09:05', 1_000, { transactionId: 25 }),
			stop('09:30', -1, 0),
			stop('09:33', 25, 6_000),
		],
		[{ transactionId: '-1', connector: '1', minutes: 30 }],
	],
	[
		'a session whose start is missing, after another one of its connector',
		[
			...begun('09:00', 25, 1_000),
			metered('09:05', 1_100, { transactionId: 25 }),
			stop('09:20', 25, 2_000),
			metered('09:40', 3_000, { transactionId: 26 }),
			stop('09:50', 26, 4_000),
		],
		[
			{ transactionId: '25', energyKwh: 1, startFoundBy: 'response' },
			{ transactionId: '26', connector: '1', energyKwh: null, startFoundBy: 'not found' },
		],
	],
	[
		'the same start again, with another time and message ID',
		[
			start('09:00', 1_000, { timestamp: '2023-01-01T00:00:20Z' }),
			...begun('09:02', 25, 1_000),
			stop('09:30', 25, 6_000),
			start('10:00', 6_000),
		],
		[{ startedAt: iso('09:00'), minutes: 30, energyKwh: 5 }],
	],
	[
		'a stop that names no transaction',
		[
			...begun('09:00', 25, 1_000),
			of('StopTransaction')('09:30', { meterStop: 6_000, timestamp: iso('09:30') }),
		],
		[{ minutes: 30, energyKwh: 5, startFoundBy: 'order', transactionId: null }],
	],
	[
		'I12: the same stop again, with another time and no ID, while the next session runs',
		[
			...begun('09:00', 25, 1_000),
			stop('09:30', -1, 6_000),
			...begun('09:40', 26, 6_000),
			stop('09:45', -1, 6_000),
			stop('10:20', 26, 9_000),
		],
		[
			{ minutes: 30, energyKwh: 5 },
			{ transactionId: '26', minutes: 40, energyKwh: 3 },
		],
	],
	[
		"I12: the same stop again, with another time and the station's own ID, while the next session runs",
		[
			...begun('09:00', 25, 1_000),
			stop('09:30', 7, 6_000),
			...begun('09:40', 26, 6_000),
			stop('09:45', 7, 6_000),
			stop('10:20', 26, 9_000),
		],
		[
			{ minutes: 30, energyKwh: 5 },
			{ transactionId: '26', minutes: 40, energyKwh: 3 },
		],
	],
	[
		'two sessions whose stops name the ID of each other',
		[
			...begun('09:00', 25, 1_000),
			...begun('09:02', 26, 50_000, { connectorId: 2 }),
			stop('09:30', 26, 6_000),
			stop('09:35', 25, 57_000),
		],
		[
			{ transactionId: '26', energyKwh: null, startFoundBy: 'not found' },
			{ transactionId: '25', energyKwh: null, startFoundBy: 'not found' },
		],
	],
	[
		'two sessions whose stops name the ID of each other; the second one long after the first',
		[
			...begun('09:00', 25, 1_000),
			...begun('09:02', 26, 50_000, { connectorId: 2 }),
			stop('09:20', 26, 6_000),
			stop('10:35', 25, 57_000),
		],
		[
			{ transactionId: '26', energyKwh: null, startFoundBy: 'not found' },
			{ transactionId: '25', energyKwh: null, startFoundBy: 'not found' },
		],
	],
	[
		'two sessions whose stops name the ID of each other, the one with the higher register first',
		[
			...begun('09:00', 25, 1_000),
			...begun('09:02', 26, 50_000, { connectorId: 2 }),
			stop('09:30', 25, 57_000),
			stop('09:35', 26, 6_000),
		],
		[
			{ transactionId: '25', energyKwh: null, startFoundBy: 'not found' },
			{ transactionId: '26', energyKwh: null, startFoundBy: 'not found' },
		],
	],
	[
		'the same, of which the second has no ID',
		[
			...begun('09:00', 25, 1_000),
			...begun('09:02', 26, 50_000, { connectorId: 2 }),
			stop('09:30', 25, 57_000),
			stop('09:35', -1, 6_000),
		],
		[
			{ transactionId: '25', energyKwh: null, startFoundBy: 'not found' },
			{ transactionId: '-1', connector: '1', energyKwh: 5 },
		],
	],
	[
		'a stop whose register is nearer to that of a session of another connector',
		[
			...begun('09:00', 25, 50_000),
			...begun('09:02', 26, 52_000, { connectorId: 2 }),
			stop('09:30', 25, 57_000),
			stop('09:35', 26, 60_000),
		],
		[
			{ transactionId: '25', connector: '1', energyKwh: 7, startFoundBy: 'response' },
			{ transactionId: '26', connector: '2', energyKwh: 8, startFoundBy: 'response' },
		],
	],
	[
		'times in milliseconds since the epoch',
		[
			start('09:05', 1_000, { timestamp: time('09:00') }),
			stop('09:35', 25, 6_000, { timestamp: String(time('09:31')) }),
		],
		[{ startedAt: iso('09:00'), stoppedAt: iso('09:31'), minutes: 31, energyKwh: 5 }],
	],
	...['no', '-1'].map((kind): (typeof CASES)[number] => {
		const unnamed = (at: string, meterStop: number) => {
			const id = kind === 'no' ? {} : { transactionId: -1 };
			return of('StopTransaction')(at, { ...id, meterStop, timestamp: iso('09:30') });
		};
		return [
			`two stops at the same time, with ${kind} ID`,
			[
				...begun('09:00', 25, 1_000),
				...begun('09:02', 26, 50_000, { connectorId: 2 }),
				unnamed('09:30', 6_000),
				unnamed('09:30:01', 57_000),
			],
			[
				{ connector: '1', minutes: 30, energyKwh: 5 },
				{ connector: '2', minutes: 28, energyKwh: 7 },
			],
		];
	}),
	[
		'a register that begins again, while a session of another connector runs that fits it',
		[
			...begun('09:00', 25, 100),
			...begun('09:02', 26, 50_000, { connectorId: 2 }),
			stop('09:30', 26, 400),
			stop('09:35', 25, 5_100),
		],
		[
			{ transactionId: '26', energyKwh: null },
			{ transactionId: '25', energyKwh: 5, startFoundBy: 'response' },
		],
	],
	[
		'a register that is rounded in two ways, and nothing charged',
		[...begun('09:00', 25, 1_000), stop('09:30', 25, 999)],
		[{ energyKwh: 0, meterStartWh: 1_000, meterStopWh: 999 }],
	],
	[
		'a register that rises as fast as 4 MW allow',
		[...begun('09:00', 25, 1_000), stop('09:30', 25, 2_001_000)],
		[{ energyKwh: 2_000 }],
	],
	[
		'a Transaction.End that is too low, and another register of the stop',
		[
			...begun('09:00', 25, 1_000),
			stop('09:30', 25, 6_000, {
				transactionData: [
					{ timestamp: iso('09:30'), sampledValue: [{ value: '500', context: 'Transaction.End' }] },
				],
			}),
		],
		[{ energyKwh: 5, energyFrom: 'start to stop' }],
	],
	[
		'a Transaction.End next to another register of the stop',
		[
			...begun('09:00', 25, 1_000),
			stop('09:30', 25, 6_000, {
				transactionData: [
					{
						timestamp: iso('09:30'),
						sampledValue: [{ value: '5900', context: 'Transaction.End' }],
					},
				],
			}),
		],
		[{ energyKwh: 4.9, energyFrom: 'start to Transaction.End' }],
	],
	[
		'a reading that is too low and a stop that is too high',
		[
			...begun('09:00', 25, 1_000),
			metered('09:10', 3_000),
			metered('09:20', 50),
			stop('09:30', 25, 99_000_000),
		],
		[{ energyKwh: 2, energyFrom: 'start to last reading' }],
	],
	[
		'three readings that are too low',
		[
			...begun('09:00', 25, 1_000),
			...[200, 210, 220].map((value, n) => metered(`09:1${n}`, value)),
			stop('09:30', 25, 6_000),
		],
		[{ energyKwh: 5, energyFrom: 'start to stop' }],
	],
	[
		'a wrong register at the start, and a Transaction.Begin that is right',
		[
			started('09:00', 0, [[7_000]]),
			ended('09:30', 1, [
				[1_000, 'Transaction.Begin'],
				[6_000, 'Transaction.End'],
			]),
		],
		[{ energyKwh: 5, energyFrom: 'Transaction.Begin to Transaction.End' }],
	],
	[
		'readings and an end, without a start',
		[updated('09:10', 1, [[2_000]]), ended('09:30', 2, [[6_000, 'Transaction.End']])],
		[{ energyKwh: null, meterStartWh: null, meterStopWh: 6_000 }],
	],
	[
		'readings and an end of 0, without a start',
		[updated('09:10', 1, [[2_000]]), ended('09:30', 2, [[0, 'Transaction.End']])],
		[{ energyKwh: null, meterStartWh: null, meterStopWh: null }],
	],
	[
		'a 0 at the start, and more soon after it than a car takes in that time',
		[
			started('09:00', 0, [[0]]),
			updated('09:03', 1, [[30_000]]),
			updated('09:10', 2, [[30_500]]),
			ended('09:40', 3, [[31_000]]),
		],
		[{ energyKwh: 1, energyFrom: 'first reading to stop' }],
	],
	[
		'a register at the inlet, of which only one value is known',
		[
			...begun('09:00', 25, 1_000),
			metered('09:10', 50_000, {}, { location: 'Inlet' }),
			stop('09:30', 25, -1),
		],
		[{ energyKwh: null, meterStartWh: 1_000 }],
	],
	[
		'two starts of one register, and a stop of another session with that register in between',
		[
			...begun('08:55', 77, 500, { connectorId: 2 }),
			...begun('09:00', 24, 1_000),
			stop('09:30', 77, 1_000),
			...begun('10:00', 25, 1_000),
		],
		[
			{ transactionId: '77', energyKwh: 0.5 },
			{ transactionId: '24', reason: 'NotReported', stoppedAt: null },
		],
	],
	[
		'a start that is sent again, and a stop of another session in between',
		[
			...begun('08:55', 77, 500, { connectorId: 2 }),
			...begun('09:00', 25, 1_000),
			stop('09:01', 77, 900),
			...begun('09:02', 26, 1_000),
			stop('09:30', 26, 6_000),
		],
		[
			{ transactionId: '77', energyKwh: 0.4 },
			{ transactionId: '26', startedAt: iso('09:00'), energyKwh: 5 },
		],
	],
	[
		'a stop that can be of two sessions, while the one with a register that excludes it is over',
		[
			...begun('08:55', 77, 50_000, { connectorId: 2 }),
			...begun('09:00', 25, 1_000),
			...begun('09:05', 78, 2_000, { connectorId: 3 }),
			stop('09:20', 77, 60_000),
			stop('09:25', -1, 3_000),
			stop('09:30', 25, 6_000),
		],
		[
			{ transactionId: '77', energyKwh: 10 },
			{ transactionId: '-1', startFoundBy: 'not found' },
			{ transactionId: '25', startFoundBy: 'response', energyKwh: 5 },
		],
	],
	[
		'a stop without start and register that is sent again with another time',
		[stop('09:20', 25, 0), stop('09:25', 25, 0)],
		[{ transactionId: '25', stoppedAt: iso('09:20') }],
	],
	[
		'the same, after a session has begun that it can end',
		[stop('09:20', 25, 0), start('09:22', 1_000), stop('09:40', 25, 0)],
		[
			{ stoppedAt: iso('09:20'), startFoundBy: 'not found' },
			{ stoppedAt: iso('09:40'), startFoundBy: 'order', minutes: 18 },
		],
	],
	[
		'the same ID on another EVSE, after a session that never ended',
		[
			started('09:00', 0, [[1_000]], EVSE_1),
			started('09:20', 0, [[1_500]], tx('B', EVSE_1)),
			started('09:40', 0, [[2_000]], EVSE_2),
			ended('10:10', 1, [[5_000]], EVSE_2),
		],
		[
			{ transactionId: 'A', reason: 'NotReported', connector: '1/1' },
			{ transactionId: 'A', energyKwh: 3, minutes: 30, connector: '2/1' },
		],
	],
	[
		'the same ID again after a session that never ended, both from a register of 0',
		[started('09:00', 0, [[0]]), started('09:40', 0, [[0]]), ended('10:10', 1, [[5_000]])],
		[
			{ startedAt: iso('09:00'), reason: 'NotReported' },
			{ startedAt: iso('09:40'), energyKwh: 5, minutes: 30 },
		],
	],
	[
		'a reading just after an end that has a register',
		[
			started('09:00', 0, [[1_000]]),
			ended('09:30', 1, [[6_000]]),
			updated('09:30:20', 2, [[6_500]]),
		],
		[{ energyKwh: 5, meterStopWh: 6_000 }],
	],
	[
		'two sessions that name no EVSE: nothing shows that the first one is over',
		[
			started('09:00', 0, [[1_000]], { evse: undefined }),
			started('09:40', 0, [[2_000]], tx('B', { evse: undefined })),
		],
		[],
	],
	[
		'meter values of another EVSE, outside its transaction',
		[
			started('09:00', 0, [[1_000]]),
			started('09:05', 0, [[3_000]], tx('B', EVSE_2)),
			of('MeterValues')('09:10', { evseId: 2, meterValue: samples('09:10', 4_000) }),
			ended('09:30', 1),
			ended('09:40', 1, [[5_000]], tx('B')),
		],
		[
			{ transactionId: 'A', energyKwh: null, meterStopWh: null },
			{ transactionId: 'B', energyKwh: 2 },
		],
	],
	[
		'a reading without a start, and an end without a register',
		[updated('09:10', 1, [[2_000]]), ended('09:30', 2)],
		[{ energyKwh: null, meterStartWh: null, meterStopWh: null, startFoundBy: 'not found' }],
	],
	[
		'an end without a register, and the same ID again just after it',
		[
			started('09:00', 0, [[1_000]]),
			updated('09:20', 1, [[3_000]]),
			ended('09:30', 2),
			started('09:30:20', 0, [[9_000]]),
			ended('09:50', 1, [[9_500]]),
		],
		[
			{ startedAt: iso('09:00'), energyKwh: 2, energyFrom: 'start to last reading' },
			{ startedAt: iso('09:30:20'), energyKwh: 0.5, startFoundBy: 'transaction ID' },
		],
	],
	[
		'an end without its start, and a later session of the same ID',
		[ended('09:30', 1, [[6_000]], EVSE_1), started('09:45', 0, [[6_000]])],
		[{ startFoundBy: 'not found', minutes: null, meterStopWh: 6_000 }],
	],
	[
		'three sessions, of which the first stop fits the last one, too',
		[
			...begun('08:55', 78, 50_000, { connectorId: 2 }),
			...begun('08:56', 79, 2_000, { connectorId: 3 }),
			...begun('09:00', 25, 1_000),
			stop('09:20', 79, 3_000),
			stop('09:30', 25, 6_000),
		],
		[
			{ transactionId: '79', connector: '3', energyKwh: 1 },
			{ transactionId: '25', connector: '1', energyKwh: 5 },
		],
	],
	[
		'a clock that shows the same time after each boot, and a register that keeps counting',
		[
			start('09:00', 1_000, { timestamp: '2023-01-01T00:00:20Z' }, '1'),
			answered('09:00', 25, '1'),
			stop('09:30', 25, 6_000),
			start('09:50', 6_000, { timestamp: '2023-01-01T00:00:20Z' }, '2'),
			answered('09:50', 26, '2'),
			stop('10:10', 26, 8_000),
		],
		[
			{ startedAt: iso('09:00'), minutes: 30, energyKwh: 5 },
			{ startedAt: iso('09:50'), minutes: 20, energyKwh: 2 },
		],
	],
	[
		'two sessions that end at the same time',
		[
			...begun('09:00', 25, 1_000),
			...begun('09:00:10', 26, 50_000, { connectorId: 2 }),
			stop('09:30', 25, 6_000),
			stop('09:30:10', 26, 57_000, { timestamp: iso('09:30') }),
		],
		[
			{ transactionId: '25', energyKwh: 5 },
			{ transactionId: '26', energyKwh: 7 },
		],
	],
	[
		'meter values without an ID of two connectors, whose stops have no register',
		[
			...begun('09:00', 25, 1_000),
			...begun('09:05', 26, 50_000, { connectorId: 2 }),
			metered('09:10', 2_000),
			metered('09:11', 52_000, { connectorId: 2 }),
			stop('09:30', 25, -1),
			stop('09:40', 26, -1),
		],
		[
			{ transactionId: '25', energyKwh: 1, energyFrom: 'start to last reading' },
			{ transactionId: '26', energyKwh: 2, energyFrom: 'start to last reading' },
		],
	],
	[
		'meter values without an ID, after a later session of another connector is over',
		[
			...begun('09:00', 25, 1_000),
			...begun('09:05', 26, 50_000, { connectorId: 2 }),
			stop('09:10', 26, 51_000),
			metered('09:40', 3_000),
			stop('10:10', 25, -1),
		],
		[
			{ transactionId: '26', energyKwh: 1 },
			{ transactionId: '25', energyKwh: 2, energyFrom: 'start to last reading' },
		],
	],
	[
		'two readings in the first message, and two in the last one',
		[
			started('09:01', 0, [], {
				timestamp: iso('09:00'),
				meterValue: [...samples('09:00', 1_000), ...samples('09:01', 1_100)],
			}),
			ended('09:30', 1, [], {
				meterValue: [...samples('09:29', 5_900), ...samples('09:30', 6_000)],
			}),
		],
		[{ energyKwh: 5, energyFrom: 'start to stop', startFoundBy: 'transaction ID' }],
	],
	[
		'a stop without a start, before a session whose stop never came',
		[stop('08:57', 24, 900), ...begun('09:00', 25, 1_000), ...begun('10:00', 26, 2_000)],
		[
			{ transactionId: '24', startFoundBy: 'not found' },
			{ transactionId: '25', reason: 'NotReported', stoppedAt: null },
		],
	],
	[
		'a response that a boot put after the start of another connector, and meter values that say whose it is',
		[
			start('09:00', 1_000, {}, '1'),
			start('09:05', 50_000, { connectorId: 2 }, '1'),
			answered('09:05:01', 25, '1'),
			metered('09:10', 2_000, { transactionId: 25 }),
			stop('09:30', 25, 6_000),
		],
		[{ transactionId: '25', connector: '1', energyKwh: 5, startFoundBy: 'meter values' }],
	],
];

function samples(at: string, value: number): Payload[] {
	return [{ timestamp: iso(at), sampledValue: [{ value }] }];
}

describe('a session of the field', () => {
	it.each(CASES)('%s', async (_name, events, rows) => {
		const found = await rowsOf(events);
		expect(found).toEqual(rows.map((row) => expect.objectContaining(row) as Item));
	});

	it('has its start, though that is hours before the publication and read by a later poll', async () => {
		const world = stationWorld({ settings: { kind: 'sessionEnded', catchUpMs: 1440 * MINUTE } });
		world.events = [
			...begun('05:30', 25, 25_000),
			...begun('08:20', 26, 26_000, { connectorId: 2 }),
			stop('09:10', 25, 30_000),
		];
		for (let at = time('05:31'); at < time('08:30'); at += MINUTE / 10) {
			world.events.push(message(at, 's2', ['Heartbeat', {}]));
		}
		await world.pollFrom('08:30', '09:30', { budgetMs: 0 });
		const expected = { energyKwh: 5, minutes: 220, connector: '1', startFoundBy: 'response' };
		expect(world.items()).toMatchObject([expected]);
	});

	it('is reported once, though a look back reads on from there to before the publication', async () => {
		const world = stationWorld({ settings: { kind: 'sessionEnded', catchUpMs: 1440 * MINUTE } });
		world.events = [
			...begun('08:29:30', 25, 25_000),
			stop('08:50', 25, 30_000),
			...begun('08:55', 26, 30_000),
			// The shard is written, and forgets the first start.
			start('09:32', 40_000, { connectorId: 2 }),
		];
		for (let at = time('08:25'); at < time('10:00'); at += MINUTE / 10) {
			world.events.push(message(at, 's2', ['Heartbeat', {}]));
		}
		await world.pollFrom('08:30', '10:00', { budgetMs: 0 });
		expect(world.items()).toMatchObject([{ energyKwh: 5, transactionId: '25', reason: 'Local' }]);
	});

	it('Z1: is reported if the events themselves have times without a zone', async () => {
		const events = [start('09:00', 1_000), stop('09:30', 25, 6_000)].map((event) => {
			const createdAt = event.createdAt.replace('Z', '');
			return { ...event, record: { ...event.record, createdAt } };
		});
		expect(await rowsOf(events)).toEqual([
			expect.objectContaining({ minutes: 30, energyKwh: 5, receivedAt: iso('09:30') }),
		]);
	});
});

describe('the RFID tag of a session', () => {
	const events = [
		start('09:00', 1_000, { idTag: 'TAG1017' }),
		stop('09:30', 25, 6_000, { idTag: 'OTHER' }),
		started('09:10', 0, [[1_000]]),
		updated('09:11', 1, [], { idToken: { idToken: 'TAG2017', type: 'ISO14443' } }),
		ended('09:40', 2, [[6_000]], { idToken: { idToken: 'OTHER', type: 'ISO14443' } }),
	];

	it('is in the row, if it is wanted', async () => {
		const rows = await rowsOf(events, { includeIdTag: true });
		expect(rows.map(({ idTag }) => idTag)).toEqual(['TAG1017', 'TAG2017']);
	});

	it('is that of each session, if their transactions have the same ID', async () => {
		const idToken = (tag: string) => ({ idToken: { idToken: tag, type: 'ISO14443' } });
		const rows = await rowsOf(
			[
				started('09:00', 0, [[1_000]], tx('1', { ...EVSE_1, ...idToken('TAG1') })),
				ended('09:20', 1, [[2_000]], tx('1', idToken('TAG1'))),
				started('09:40', 0, [[2_000]], tx('1', { ...EVSE_1, ...idToken('TAG2') })),
				ended('10:00', 1, [[5_000]], tx('1', idToken('TAG1'))),
			],
			{ includeIdTag: true },
		);
		expect(rows.map(({ idTag }) => idTag)).toEqual(['TAG1', 'TAG2']);
	});

	it('is neither in the row nor in the state otherwise', async () => {
		const world = stationWorld(SESSIONS);
		world.events = [...events];
		const texts: string[] = [];
		const swap = world.ledger.swapRecord.bind(world.ledger);
		world.ledger.swapRecord = async (key, expected, next, keepMs) => {
			texts.push(next ?? '');
			return await swap(key, expected, next, keepMs);
		};
		await world.pollFrom('09:05', '09:05');
		await world.pollFrom('09:25', '09:45');
		expect(world.items()).toHaveLength(2);
		for (const item of world.items()) expect(item).not.toHaveProperty('idTag');
		expect(texts.join()).toContain('ses_');
		expect(texts.join()).not.toMatch(/TAG|OTHER/);
	});
});

describe('meter values of a station that does not charge', () => {
	it('change nothing', async () => {
		const world = stationWorld(SESSIONS);
		await world.pollFrom('08:58', '08:59');
		const keys: string[] = [];
		const swap = world.ledger.swapRecord.bind(world.ledger);
		world.ledger.swapRecord = async (key, expected, next, keepMs) => {
			keys.push(key);
			return await swap(key, expected, next, keepMs);
		};
		world.events = [
			metered('09:00:10', 1_000),
			metered('09:00:20', 1_000, { transactionId: 0 }),
			metered('09:00:30', 1_000, { connectorId: 0, transactionId: 25 }),
			of('MeterValues')('09:00:40', { evseId: 1, meterValue: samples('09:00', 1_000) }),
		];
		await world.pollFrom('09:01', '09:03');
		expect(keys.length).toBeGreaterThan(0);
		expect(keys.every((key) => key.endsWith(':head'))).toBe(true);
	});
});

it('gives no energy to a session whose stop has no register, and is listed when the readings around it are left out', async () => {
	const world = stationWorld(SESSIONS);
	const readings = Array.from({ length: 80 }, (_unused, n) =>
		message(time('09:01') + n * MINUTE, 's1', [
			'MeterValues',
			{ connectorId: 1, meterValue: [{ sampledValue: [{ value: String(1_010 + 10 * n) }] }] },
		]),
	);
	const ends = { ...stop('09:40', 25, -1), listedAt: time('10:35') };
	world.events = [...begun('09:00', 25, 1_000), ...readings, ends];
	await world.pollFrom('08:50', '10:40');
	expect(world.items()).toMatchObject([
		{ energyKwh: null, meterStartWh: 1_000, meterStopWh: null, minutes: 40 },
	]);
});

it('writes nothing when it only reads the messages of a session again', async () => {
	const world = stationWorld(SESSIONS);
	world.events = [
		...begun('09:00', 25, 1_000),
		metered('09:10', 2_000),
		metered('09:11', 2_100, { transactionId: 25 }),
		started('09:00', 0, [[1_000]], tx('A', EVSE_2)),
		updated('09:10', 1, [[2_000]], tx('A', EVSE_2)),
		of('MeterValues')('09:11', { evseId: 2, meterValue: samples('09:11', 2_100) }),
	];
	await world.pollFrom('08:50', '09:15');
	const keys: string[] = [];
	const swap = world.ledger.swapRecord.bind(world.ledger);
	world.ledger.swapRecord = async (key, expected, next, keepMs) => {
		keys.push(key);
		return await swap(key, expected, next, keepMs);
	};
	world.events.push(back('09:16', 's2'));
	await world.pollFrom('09:16', '09:20');
	expect(keys.length).toBeGreaterThan(0);
	expect(keys.every((key) => key.endsWith(':head'))).toBe(true);
});

it.each([24, -1])(
	'reports a session once whose stop (%s) is listed after it was reported as over',
	async (id) => {
		const world = stationWorld(SESSIONS);
		world.events = [
			...begun('09:00', 24, 1_000),
			metered('09:05', 1_500, { transactionId: 24 }),
			{ ...stop('09:30', id, 6_000), listedAt: time('10:05') },
			...begun('09:40', 25, 6_000),
		];
		await world.pollFrom('08:50', '10:30');
		expect(world.items().map(({ transactionId, reason }) => [transactionId, reason])).toEqual([
			['24', 'NotReported'],
		]);
	},
);

it('waits for a start that is listed after the end', async () => {
	const world = stationWorld(SESSIONS);
	world.events = [
		{ ...started('09:00', 0, [[1_000]]), listedAt: time('09:36') },
		ended('09:30', 1, [[6_000]]),
	];
	await world.pollFrom('08:50', '09:50');
	expect(world.items()).toMatchObject([{ minutes: 30, energyKwh: 5 }]);
});

it('reports a session once whose start is read after its end was reported', async () => {
	const world = stationWorld(SESSIONS);
	world.events = [
		{ ...started('09:00', 0, [[1_000]]), listedAt: time('09:55') },
		ended('09:30', 1, [[6_000]]),
		started('11:20', 0, [[6_000]], tx('B', { evse: { id: 1, connectorId: 1 } })),
	];
	await world.pollFrom('08:50', '12:10');
	expect(world.items().map(({ transactionId, reason }) => [transactionId, reason])).toHaveLength(1);
});

it.each([
	['once', [started('09:00', 0, [[1_000]])], [['A', 30]]],
	['without its start once', [], [['A', null]]],
] as const)(
	'reports a session %s, though its start is sent long after its end',
	async (_how, first, rows) => {
		const world = stationWorld(SESSIONS);
		world.events = [
			...first,
			ended('09:30', 1, [[6_000]]),
			started('10:20', 0, [[1_000]], { timestamp: iso('09:00') }),
			started('11:00', 0, [[6_000]], tx('B', EVSE_1)),
		];
		await world.pollFrom('08:50', '12:10');
		expect(world.items().map(({ transactionId, minutes }) => [transactionId, minutes])).toEqual(
			rows,
		);
	},
);

it('reports a session without its start once, though that is followed by another one hours later', async () => {
	const world = stationWorld(SESSIONS);
	world.events = [
		{ ...start('09:00', 2_000), listedAt: time('09:54') },
		answered('09:00', 26),
		stop('09:05', 26, 4_000),
		...begun('11:20', 27, 4_000),
	];
	await world.pollFrom('08:50', '12:10');
	expect(world.items().map(({ transactionId, reason }) => [transactionId, reason])).toEqual([
		['26', 'Local'],
	]);
});

it('reports a session without its start once, though that is listed after the next one has begun', async () => {
	const world = stationWorld(SESSIONS);
	world.events = [
		{ ...start('09:35', 2_000), listedAt: time('10:15') },
		answered('09:35', 26),
		metered('09:40', 3_000, { transactionId: 26 }),
		stop('09:50', 26, 4_000),
		...begun('10:05', 27, 4_000),
		stop('10:20', 27, 5_000),
		...begun('11:20', 28, 5_000),
	];
	await world.pollFrom('08:50', '12:10');
	expect(world.items().map(({ transactionId, reason }) => [transactionId, reason])).toEqual([
		['26', 'Local'],
		['27', 'Local'],
	]);
});

it('does not join a stop to an earlier start when a response ties its transaction to a start that is not listed yet', async () => {
	const world = stationWorld(SESSIONS);
	world.events = [
		...begun('09:00', 26, 2_000),
		metered('09:05', 3_000, { transactionId: 26 }),
		{ ...stop('09:20', 26, 4_000), listedAt: time('09:40') },
		{ ...start('09:21', 24_000), listedAt: time('10:05') },
		answered('09:21', 27),
		metered('09:25', 24_500, { transactionId: 27 }),
		stop('09:30', 27, 25_000),
		...begun('09:35', 28, 26_000),
	];
	await world.pollFrom('08:50', '10:50');
	expect(
		world.items().map(({ transactionId, reason, energyKwh }) => [transactionId, reason, energyKwh]),
	).toEqual([
		['26', 'Local', 2],
		['27', 'Local', null],
	]);
});

it('keeps nothing of a session that is long over, though its stop named no transaction', async () => {
	const world = stationWorld(SESSIONS);
	world.events = [
		...begun('09:00', 26, 2_000),
		stop('09:30', -1, 4_000),
		start('11:00', 50_000, { connectorId: 2 }),
	];
	await world.pollFrom('08:50', '09:50');
	await world.pollFrom('11:00', '11:05');
	expect(world.ids()).toHaveLength(1);
	const texts = [...world.store.records.values()].join();
	expect(texts).toContain('"wh":50000');
	expect(texts).not.toContain('"tx":"26"');
});

/** The parts of sessions in the record of a shard, one text each. Connector 9 charges meanwhile, so that each poll writes the record. */
async function keptAt(until: string, events: readonly StationEvent[]): Promise<string[]> {
	const world = stationWorld({ settings: { ...SESSIONS.settings, catchUpMs: 30 * DAY } });
	world.events = [...events];
	const often = time('12:00');
	for (let at = time('08:50'); ; at += at < often ? 10 * MINUTE : DAY / 2) {
		world.now = Math.min(at, time(until));
		const meterValue = [{ sampledValue: [{ value: String(at) }] }];
		const values = { connectorId: 9, transactionId: 999, meterValue };
		world.events.push(message(world.now - 2 * MINUTE, 's1', ['MeterValues', values]));
		expect(await world.poll()).toBeUndefined();
		if (at >= time(until)) break;
	}
	const [sessions] = [...world.store.records.values()].flatMap(
		(text) => shardIn(text)?.stations['s1']?.sessions ?? [],
	);
	if (sessions === undefined) throw new Error('no session is kept');
	const { starts, named, metered: values, stops, transactions } = sessions;
	const others = values.filter(({ connector }) => connector !== '9');
	return [
		...starts.map(({ connector, wh }) => `start ${connector} ${String(wh)}`),
		...named.map(({ tx: of }) => `response ${of}`),
		...others.map((one) => `${String(one.readings.length)} values ${one.tx ?? one.connector}`),
		...stops.map(({ tx: of, reason, readings }) =>
			['stop', of, reason, readings?.length].join(' ').trim(),
		),
		...transactions.map((one) => {
			const counts = [one.starts, one.ends, one.readings, one.where].map(({ length }) => length);
			const reasons = one.ends.flatMap(({ reason = [] }) => reason);
			return ['transaction', one.tx, ...counts, ...reasons].join(' ');
		}),
	];
}

describe('a session is kept as long as it matters', () => {
	const week = Array.from({ length: 7 }, (_unused, n) => `11-${24 + n}`);
	const whole = [
		...begun('09:00', 25, 1_000),
		metered('09:10', 2_000, { transactionId: 25 }),
		metered('09:20', 3_000),
		stop('09:30', 25, 4_000),
	];
	const whole201 = [
		started('09:00', 0, [[1_000]]),
		updated('09:10', 1, [[2_000]], EVSE_1),
		of('MeterValues')('09:15', { evseId: 1, meterValue: samples('09:15', 2_500) }),
		ended('09:30', 2, [[4_000]]),
	];
	const withoutStart = [
		answered('09:00', 25),
		metered('09:10', 2_000, { transactionId: 25 }),
		stop('09:30', 25, 4_000),
	];
	const unended = [...begun('09:00', 25, 1_000), ...begun('09:40', 26, 2_000)];
	const shared = [
		started('09:00', 0, [[1_000]], EVSE_1),
		started('09:05', 0, [[2_000]], EVSE_2),
		ended('09:30', 1, [[3_000]], EVSE_1),
	];
	const unended201 = [
		started('09:00', 0, [[1_000]]),
		started('09:40', 0, [[2_000]], tx('B', EVSE_1)),
	];
	const eachMinute = Array.from(
		{ length: 170 },
		(_unused, n) => new Date(time('09:01') + n * MINUTE),
	);
	const clockOf = (at: Date) => at.toISOString().slice(11, 16);

	it.each<readonly [string, readonly StationEvent[], string, readonly string[]]>([
		[
			'its stop for an hour, since it may be sent again',
			whole,
			'10:00',
			['start 1 1000', 'response 25', 'stop 25'],
		],
		['nothing after that', whole, '11:00', []],
		['its end for an hour, OCPP 2.0.1', whole201, '10:00', ['1 values 1', 'transaction A 1 1 0 1']],
		['nothing after that, OCPP 2.0.1', whole201, '11:00', []],
		[
			'a stop without its start for a day, with its response',
			withoutStart,
			'11-24 09:00',
			['response 25', 'stop 25'],
		],
		['nothing of it after a day', withoutStart, '11-24 22:00', []],
		[
			'the responses to starts that have no stop yet, also one with an ID that was used before',
			[
				...withoutStart,
				answered('11-24 10:00', 25),
				answered('09:00:01', 26),
				metered('09:00:02', 1_000, { transactionId: 26 }),
			],
			'11-24 22:00',
			['response 26', 'response 25', '1 values 26'],
		],
		[
			'its start for 30 days, if it has not ended',
			begun('09:00', 25, 1_000),
			'12-22 10:00',
			['start 1 1000', 'response 25'],
		],
		['nothing of it after that', begun('09:00', 25, 1_000), '12-24 10:00', []],
		[
			'meter values whose start and stop never came for 30 days',
			[metered('09:10', 2_000, { transactionId: 25 })],
			'12-22 10:00',
			['1 values 25'],
		],
		[
			'nothing of these after that',
			[metered('09:10', 2_000, { transactionId: 25 })],
			'12-24 10:00',
			[],
		],
		[
			'its start for a day, if the next one of its connector has begun',
			unended,
			'12:00',
			['start 1 1000', 'start 1 2000', 'response 25', 'response 26'],
		],
		['and then only the next one', unended, '11-24 22:00', ['start 1 2000', 'response 26']],
		[
			'the start of the next one, as long as its own is known',
			[...unended, stop('09:50', 26, 3_000)],
			'12:00',
			['start 1 1000', 'start 1 2000', 'response 25'],
		],
		['nothing of both after that', [...unended, stop('09:50', 26, 3_000)], '11-25 22:00', []],
		[
			'nothing of a session, though one of another connector lasts',
			[
				...begun('09:00', 25, 1_000, { connectorId: 2 }),
				...begun('09:40', 26, 2_000),
				stop('09:50', 26, 3_000),
			],
			'12:00',
			['start 2 1000', 'response 25'],
		],
		[
			'its start for 30 days, if it has not ended, OCPP 2.0.1',
			[started('09:00', 0, [[1_000]])],
			'12-22 10:00',
			['transaction A 1 0 1 0'],
		],
		['nothing of it after that, OCPP 2.0.1', [started('09:00', 0, [[1_000]])], '12-24 10:00', []],
		[
			'what it says for 30 days, if its start is missing, OCPP 2.0.1',
			[updated('09:00', 0, [[1_000]], EVSE_1)],
			'12-22 10:00',
			['transaction A 0 0 1 1'],
		],
		[
			'nothing of it after that, if its start is missing, OCPP 2.0.1',
			[updated('09:00', 0, [[1_000]], EVSE_1)],
			'12-24 10:00',
			[],
		],
		[
			'only its end, if its start is missing, OCPP 2.0.1',
			[updated('09:10', 0, [[1_000]], EVSE_1), ended('09:30', 1, [[2_000]])],
			'10:20',
			['transaction A 0 1 0 0'],
		],
		[
			'nothing an hour after an end without a start, OCPP 2.0.1',
			[updated('09:10', 0, [[1_000]], EVSE_1), ended('09:30', 1, [[2_000]])],
			'11:00',
			[],
		],
		[
			'its start for a day, if the next one of its connector has begun, OCPP 2.0.1',
			unended201,
			'12:00',
			['transaction A 1 0 0 0', 'transaction B 1 0 1 0'],
		],
		[
			'and then only the next one, OCPP 2.0.1',
			unended201,
			'11-24 22:00',
			['transaction B 1 0 1 0'],
		],
		[
			'only the next one, if that has the same ID, OCPP 2.0.1',
			[...whole201, started('09:40', 0, [[5_000]]), updated('09:45', 1, [[6_000]], EVSE_1)],
			'12:00',
			['transaction A 1 0 2 1'],
		],
		[
			'few of the meter values of one that lasts',
			[...begun('09:00', 25, 1_000), ...eachMinute.map((at, n) => metered(clockOf(at), 1_001 + n))],
			'11:59',
			['start 1 1000', 'response 25', '11 values 1'],
		],
		[
			'few of the meter values of one that lasts, OCPP 2.0.1',
			[
				started('09:00', 0, [[1_000]]),
				...eachMinute.map((at, n) => updated(clockOf(at), n + 1, [[1_001 + n]])),
			],
			'11:59',
			['transaction A 1 0 11 0'],
		],
		['its end longer than its start, OCPP 2.0.1', whole201, '10:20', ['transaction A 0 1 0 0']],
		[
			'its start and its end, as long as another EVSE has a session of the same ID that began before that end',
			shared,
			'12:00',
			['transaction A 2 1 2 0'],
		],
		[
			'its end for longer than a day, as long as another EVSE has a session of the same ID that began before that end',
			shared,
			'11-25 10:00',
			['transaction A 1 1 2 0'],
		],
		[
			'nothing of both, once the other one is over',
			[...shared, ended('12:10', 2, [[6_000]])],
			'11-23 18:00',
			[],
		],
		[
			'the meter values of the next session, though those of its own are not kept',
			[...whole, ...begun('09:40', 26, 4_000), metered('09:50', 5_000), metered('09:55', 5_500)],
			'11:30',
			['start 1 4000', 'response 26', '2 values 1'],
		],
		[
			'the meter values of the next session, though that has the same ID',
			[...whole, ...begun('09:40', 25, 4_000), metered('09:50', 5_000, { transactionId: 25 })],
			'11:30',
			['start 1 4000', 'response 25', '1 values 25'],
		],
		[
			'nothing of one whose start was sent again after its end, once the next one is over, OCPP 2.0.1',
			[
				...whole201,
				started('10:20', 0, [[1_000]], { timestamp: iso('09:00') }),
				started('11:00', 0, [[4_000]], tx('B', EVSE_1)),
				ended('11:20', 1, [[5_000]], tx('B')),
			],
			'11-25 10:00',
			[],
		],
		[
			'nothing of a week of sessions',
			week.flatMap((day, n) => [
				...begun(`${day} 10:00`, n, 1_000 * n),
				metered(`${day} 10:10`, 1_000 * n + 500),
				metered(`${day} 10:15`, 1_000 * n + 600, { transactionId: n }),
				stop(`${day} 10:20`, n, 1_000 * n + 1_000),
				started(`${day} 10:00`, 0, [[1_000 * n]], tx(String(n), EVSE_2)),
				updated(`${day} 10:10`, 1, [[1_000 * n + 500]], tx(String(n), EVSE_2)),
				ended(`${day} 10:20`, 2, [[1_000 * n + 1_000]], tx(String(n))),
			]),
			'12-01 22:00',
			[],
		],
	])('%s', async (_name, events, until, kept) => {
		expect(await keptAt(until, events)).toEqual(kept);
	});
});

describe('a message that is sent again as it was, long after the first time', () => {
	/** Another connector charges, so that the state is written at each poll. */
	const others = [
		...begun('08:00', 77, 100_000, { connectorId: 2 }),
		...Array.from({ length: 30 }, (_unused, n) => {
			const at = `${String(8 + Math.floor(n / 6)).padStart(2, '0')}:${String(n % 6)}5`;
			return metered(at, 100_000 + n, { connectorId: 2, transactionId: 77 });
		}),
	];
	const again = (at: string, messageId: string) => [
		start(at, 1_000, { timestamp: iso('08:10') }, messageId),
		answered(at, 25, messageId),
	];
	const next = [...begun('11:30', 26, 6_000), stop('11:50', 26, 8_000)];

	it.each([
		[
			'a start, while the session runs',
			[...begun('08:10', 25, 1_000), ...again('09:50', 'b'), stop('10:00', 25, 6_000), ...next],
			['25 Local 5', '26 Local 2'],
		],
		[
			'a start, after the session',
			[...begun('08:10', 25, 1_000), stop('08:40', 25, 6_000), ...again('08:50', 'b'), ...next],
			['25 Local 5', '26 Local 2'],
		],
		[
			'a stop without an ID, while the next session runs',
			[
				...[...begun('09:00', 25, 1_000), stop('09:30', -1, 6_000)],
				...begun('10:00', 26, 6_000),
				stop('10:10', -1, 6_000, { timestamp: iso('09:30') }),
				stop('11:30', 26, 9_000),
			],
			['-1 Local 5', '26 Local 3'],
		],
	] as const)('makes no session: %s', async (_name, events, rows) => {
		const world = stationWorld(SESSIONS);
		world.events = [...others, ...events];
		await world.pollFrom('07:50', '12:40');
		const found = world.items().map(({ transactionId, reason, energyKwh }) => {
			return [transactionId, reason, energyKwh].map(String).join(' ');
		});
		expect(found).toEqual(rows);
	});
});
