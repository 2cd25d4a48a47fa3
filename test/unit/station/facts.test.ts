/** What the messages of both OCPP versions say about a station, and how tolerant the readers are. */
import { eventFromList } from '../../../lib/event';
import { KnownIds } from '../../../lib/shared/knownIds';
import {
	connectionSettings,
	DEFAULT_CONNECTION,
	type Fact,
	readFacts,
	type Reading,
} from '../../../lib/station/facts';
import { OCPP_SAMPLES, type OcppSample } from '../../support/ocppSamples';

const CREATED_AT = '2026-01-24T12:00:00.000Z';
const NOW = Date.parse(CREATED_AT) + 1_000;
const TX = '7c1f0b1e-5d0e-4f5c-9d43-2f6a1f0c9b11';

type Message = Pick<OcppSample, 'action' | 'messageType' | 'payload'>;

function readRecord(
	record: Record<string, unknown>,
	watched?: Parameters<typeof readFacts>[2],
): Reading {
	const { id = 'whevt_1' } = record;
	const event = eventFromList({ id, createdAt: CREATED_AT, ...record }, String(id));
	return readFacts(event, NOW, watched);
}

function read({ action, messageType, payload }: Message): Reading {
	// A response names no action.
	const call = messageType === 'CALL' && { action };
	const data = { asset: { id: 's1' }, messageType, messageId: 'm1', ...call, payload };
	return readRecord({ eventType: 'ocpp.message', payload: data });
}

/** Undefined for a message that says nothing about a station. */
function factsOf(reading: Reading): readonly Fact[] | undefined {
	if (typeof reading === 'string') throw new Error(`The message is ${reading}`);
	if (reading !== undefined && 'unknownWord' in reading) throw new Error(reading.unknownWord);
	return reading?.facts;
}

function sampleOf(protocol: OcppSample['protocol'], name: string): OcppSample {
	const found = OCPP_SAMPLES.find((each) => each.protocol === protocol && each.name === name);
	if (!found) throw new Error(`There is no sample ${name}`);
	return found;
}

const at = (time: string) => Date.parse(`2026-01-24T${time}Z`);
const connected: Fact = { about: 'connection', isConnected: true, status: 'CONNECTED' };
const booted: Fact = { about: 'boot', messageId: 'm1', hasReason: true };
const status16 = (connector: string, status: string, time?: string, more: object = {}) => ({
	...{ about: 'status', connector, status, errorCode: 'NoError' },
	...(connector === '0' && { is201: false }),
	...(time !== undefined && { stationTime: at(time) }),
	...more,
});
const status201 = (connector: string, status: string, time: string) => ({
	...{ about: 'status', connector, status, stationTime: at(time) },
});
const TECH = { techCode: 'E-031', errorCode: 'E-031', info: 'Residual current 32 mA' };
const problem = (connector: string, name: string, time: string, more: object = {}) => ({
	...{ about: 'problem', connector, component: name.toLowerCase(), name, isActive: true },
	...{ errorCode: name, stationTime: at(time) },
	...more,
});
const transaction = (phase: string, seqNo: number, time: string, more: object = {}) => ({
	...{ about: 'transaction', transaction: TX, phase, seqNo, stationTime: at(time), readings: [] },
	...more,
});
const reading = (time: string, wh: number, context?: 'begin' | 'end') => ({
	...{ wh, stationTime: at(time) },
	...(context !== undefined && { context }),
});
const metered = (time: string, wh: number, step?: number) => ({
	...{ about: 'metered', transaction: '100731', connector: '1', stationTime: at(time) },
	readings: [{ ...reading(time, wh), ...(step !== undefined && { step }) }],
});

const SAYS: readonly (readonly [OcppSample['protocol'], string, readonly object[]])[] = [
	['ocpp1.6', 'Boot', [connected, { about: 'boot', messageId: 'm1' }]],
	[
		'ocpp1.6',
		'Main controller faulted (connector 0)',
		[
			status16('0', 'Faulted', '05:41:10', {
				...{ errorCode: 'OtherError', vendorErrorCode: '210', info: 'Load management lost' },
			}),
		],
	],
	['ocpp1.6', 'Main controller available (connector 0)', [status16('0', 'Available', '06:00:03')]],
	['ocpp1.6', 'Connector available', [status16('1', 'Available', '06:00:03')]],
	['ocpp1.6', 'Connector status without a timestamp', [status16('2', 'Preparing')]],
	['ocpp1.6', 'Connector charging', [status16('1', 'Charging', '08:00:06')]],
	['ocpp1.6', 'Connector suspended by the vehicle', [status16('1', 'SuspendedEV', '09:10:00')]],
	[
		'ocpp1.6',
		'Warning: error code while charging continues',
		[
			status16('1', 'Charging', '08:40:00', {
				...{ errorCode: 'HighTemperature', vendorErrorCode: 'T-17', info: 'Derated to 16 A' },
			}),
		],
	],
	[
		'ocpp1.6',
		'Fault',
		[
			status16('1', 'Faulted', '11:02:44', {
				...{ errorCode: 'GroundFailure', vendorErrorCode: 'E-031' },
			}),
		],
	],
	['ocpp1.6', 'Fault with NoError', [status16('1', 'Faulted', '11:03:00')]],
	['ocpp1.6', 'Connector out of service', [status16('2', 'Unavailable', '11:05:00')]],
	[
		'ocpp1.6',
		'Session start',
		[
			{
				...{ about: 'start', connector: '1', messageId: 'm1', meterWh: 711_112 },
				...{ stationTime: at('08:00:01'), idTag: 'TAG1017' },
			},
		],
	],
	[
		'ocpp1.6',
		'Session start: response with the transaction ID',
		[{ about: 'startResponse', messageId: 'm1', transaction: '100731' }],
	],
	['ocpp1.6', 'Meter values of a session', [metered('08:15:01', 713_870, 10)]],
	[
		'ocpp1.6',
		'Meter value with defaults only (Wh, imported energy register)',
		[metered('08:30:01', 716_620)],
	],
	[
		'ocpp1.6',
		'Session end',
		[
			{
				...{ about: 'stop', transaction: '100731', meterWh: 722_404, reason: 'EVDisconnected' },
				stationTime: at('09:41:06'),
				readings: [reading('08:00:01', 711_112, 'begin'), reading('09:41:06', 722_404, 'end')],
			},
		],
	],
	[
		'ocpp1.6',
		'Session end whose start was never acknowledged',
		[
			{
				...{ about: 'stop', transaction: '-1', meterWh: 725_030, reason: 'PowerLoss' },
				...{ stationTime: at('02:10:00'), readings: [] },
			},
		],
	],
	['ocpp2.0.1', 'Boot after a watchdog reset', [connected, booted]],
	['ocpp2.0.1', 'Connector available', [status201('1/1', 'Available', '06:00:03')]],
	['ocpp2.0.1', 'Connector occupied', [status201('1/1', 'Occupied', '07:59:30')]],
	['ocpp2.0.1', 'Fault', [status201('2/1', 'Faulted', '11:02:44')]],
	['ocpp2.0.1', 'Connector out of service', [status201('2/2', 'Unavailable', '11:05:00')]],
	[
		'ocpp2.0.1',
		'Connector status as an event, in place of StatusNotification',
		[status201('1/1', 'Occupied', '07:59:30')],
	],
	[
		'ocpp2.0.1',
		'Problem of a component',
		[problem('2/0', 'ElectricalFeed', '11:02:43', { ...TECH, isMonitored: true })],
	],
	[
		'ocpp2.0.1',
		'Problem of a component cleared',
		[
			problem('2/0', 'ElectricalFeed', '11:20:00', {
				...{ techCode: 'E-031', errorCode: 'E-031', isActive: false },
			}),
		],
	],
	[
		'ocpp2.0.1',
		'Connector lock failed',
		[problem('1/1', 'ConnectorPlugRetentionLock', '12:00:00')],
	],
	[
		'ocpp2.0.1',
		'Session start',
		[
			transaction('started', 0, '07:59:31', {
				connector: '1/1',
				readings: [{ ...reading('07:59:31', 8_801_250, 'begin'), step: 10 }],
			}),
		],
	],
	[
		'ocpp2.0.1',
		'Session authorized',
		[transaction('updated', 1, '08:00:05', { idTag: 'TAG1017' })],
	],
	['ocpp2.0.1', 'Session charging', [transaction('updated', 2, '08:00:20')]],
	[
		'ocpp2.0.1',
		'Session meter value',
		[transaction('updated', 3, '08:15:00', { readings: [reading('08:15:00', 8_815_940)] })],
	],
	[
		'ocpp2.0.1',
		'Session suspended by the vehicle while offline',
		[transaction('updated', 5, '08:41:00')],
	],
	[
		'ocpp2.0.1',
		'Session end, sent late',
		[
			transaction('ended', 6, '08:52:10', {
				readings: [{ ...reading('08:52:10', 8_840_310, 'end'), step: 10 }],
				reason: 'EVDisconnected',
			}),
		],
	],
	[
		'ocpp2.0.1',
		'Session ended by a fault, without meter values',
		[transaction('ended', 4, '11:02:44', { transaction: 'b0a7c5f2-0001', reason: 'GroundFault' })],
	],
	['ocpp2.1', 'Boot', [connected, booted]],
	['ocpp2.1', 'Connector status (deprecated message)', [status201('1/1', 'Available', '06:00:03')]],
	['ocpp2.1', 'Connector status as an event', [status201('1/1', 'Occupied', '07:59:30')]],
	[
		'ocpp2.1',
		'Problem with its severity',
		[
			problem('2/0', 'ElectricalFeed', '11:02:43', {
				...{ techCode: 'E-031', errorCode: 'E-031', isMonitored: true },
			}),
		],
	],
	[
		'ocpp2.1',
		'Session start',
		[
			transaction('started', 0, '08:00:05', {
				...{ connector: '1/1', idTag: 'TAG1017' },
				readings: [reading('08:00:05', 120_000, 'begin')],
			}),
		],
	],
	['ocpp2.1', 'Session continued after a restart', [transaction('updated', 1, '08:20:00')]],
	[
		'ocpp2.1',
		'Meter value outside a session',
		[
			{
				...{ about: 'metered', connector: '1', stationTime: undefined },
				readings: [reading('08:15:00', 120_000)],
			},
		],
	],
	[
		'ocpp2.1',
		'Session end',
		[
			transaction('ended', 2, '08:52:10', {
				readings: [reading('08:52:10', 139_060, 'end')],
				reason: 'Local',
			}),
		],
	],
];

describe('a message that the schemas accept', () => {
	it.each(SAYS)('says in %s: %s', (protocol, name, facts) => {
		expect(factsOf(read(sampleOf(protocol, name)))).toEqual(facts);
	});

	const said = new Set(SAYS.map(([protocol, name]) => `${protocol} ${name}`));
	const others = OCPP_SAMPLES.filter(({ protocol, name }) => !said.has(`${protocol} ${name}`));

	it.each(others.map((each) => [each.protocol, each.name, each] as const))(
		'says nothing about incidents in %s: %s',
		(_protocol, _name, message) => {
			expect(read(message)).toBeUndefined();
		},
	);
});

type Path = readonly (string | number)[];

/** The paths to all values of a payload, the outer ones first. */
function pathsOf(value: unknown, path: Path = []): Path[] {
	const fields: [string | number, unknown][] = Array.isArray(value)
		? value.map((each, n) => [n, each])
		: typeof value === 'object' && value !== null
			? Object.entries(value)
			: [];
	return fields.flatMap(([name, each]) => [[...path, name], ...pathsOf(each, [...path, name])]);
}

function valueAt(payload: unknown, path: Path): unknown {
	return path.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], payload);
}

/** A copy of the message with another value there; without the field for undefined. */
function changed<T extends Message>(message: T, path: Path, value: unknown): T {
	const payload = structuredClone(message.payload);
	const owner = valueAt(payload, path.slice(0, -1)) as Record<string, unknown>;
	const name = String(path.at(-1));
	if (value === undefined) Reflect.deleteProperty(owner, name);
	else owner[name] = value;
	return { ...message, payload };
}

const withoutTimes = (facts: readonly Fact[] | undefined) =>
	facts?.map((fact) => ({
		...{ ...fact, stationTime: undefined },
		...('readings' in fact && {
			readings: fact.readings.map(({ stationTime: _, ...rest }) => rest),
		}),
	}));

describe.each(OCPP_SAMPLES.map((each) => [each.protocol, each.name, each] as const))(
	'%s: %s',
	(_protocol, _name, message) => {
		const paths = pathsOf(message.payload);
		const facts = factsOf(read(message));

		it('is read whatever a field holds', () => {
			const values = [undefined, null, '', ' ', 'x'.repeat(5_000), -1, 1e300, true, [], {}, [[]]];
			const readings = paths.flatMap((path) =>
				values.map((value) => read(changed(message, path, value))),
			);
			// One comparison of all: each call of `expect` takes longer than a reading.
			const used = readings.filter((each) => each !== undefined && each !== 'unreadable');
			expect(used).toMatchObject(used.map(() => ({ assetId: 's1', eventId: 'whevt_1' })));
			expect(used.filter((each) => JSON.stringify(each).length >= 2_000)).toEqual([]);
			expect(readings).not.toContain('undated');
		});

		it('says the same with numbers as text, and with text in spaces', () => {
			for (const path of paths) {
				const value = valueAt(message.payload, path);
				if (typeof value === 'number') {
					expect(factsOf(read(changed(message, path, String(value))))).toEqual(facts);
				}
				if (typeof value === 'string') {
					expect(factsOf(read(changed(message, path, ` ${value} `)))).toEqual(facts);
				}
			}
		});

		it('says the same but for the time if a time is missing, wrong or absurd', () => {
			const times = paths.filter((path) => path.at(-1) === 'timestamp');
			for (const path of times) {
				for (const value of [undefined, null, '', 'yesterday', 17, '1970-01-01T00:00:00Z', {}]) {
					const reading = factsOf(read(changed(message, path, value)));
					expect(withoutTimes(reading)).toEqual(withoutTimes(facts));
					for (const fact of reading ?? []) {
						if (path.length === 1 && 'stationTime' in fact) {
							expect(fact.stationTime).toBeUndefined();
						}
					}
				}
			}
		});
	},
);

describe('a value that the schemas do not know', () => {
	it('is text like any other', () => {
		const fault = sampleOf('ocpp1.6', 'Fault');
		const unknown = {
			...fault,
			payload: { ...fault.payload, status: 'Sulking', errorCode: 'E42' },
		};
		expect(factsOf(read(unknown))).toMatchObject([{ status: 'Sulking', errorCode: 'E42' }]);
		const newer = sampleOf('ocpp2.0.1', 'Fault');
		expect(factsOf(read(changed(newer, ['connectorStatus'], 'Sulking')))).toMatchObject([
			{ status: 'Sulking' },
		]);
		const end = sampleOf('ocpp2.0.1', 'Session end, sent late');
		const path = ['transactionInfo', 'stoppedReason'];
		expect(factsOf(read(changed(end, path, 'Boredom')))).toMatchObject([{ reason: 'Boredom' }]);
		expect(factsOf(read(changed(end, path, undefined)))).toMatchObject([{ reason: 'Local' }]);
	});

	it('is cut if it is long', () => {
		const fault = changed(sampleOf('ocpp1.6', 'Fault'), ['info'], 'x'.repeat(1_000));
		expect(factsOf(read(fault))).toMatchObject([{ info: 'x'.repeat(100) }]);
	});
});

describe('a message without what it is about', () => {
	it.each([
		['ocpp1.6', 'Fault', ['connectorId']],
		['ocpp1.6', 'Fault', ['status']],
		['ocpp1.6', 'Session start', ['connectorId']],
		['ocpp2.0.1', 'Fault', ['connectorStatus']],
		['ocpp2.0.1', 'Fault', ['evseId']],
		['ocpp2.0.1', 'Session start', ['eventType']],
		['ocpp2.0.1', 'Session start', ['transactionInfo']],
	] as const)('cannot be read: %s, %s without %s', (protocol, name, path) => {
		expect(read(changed(sampleOf(protocol, name), path, undefined))).toBe('unreadable');
	});

	it('is a stop of an unknown transaction if it has no ID, unless it says nothing else', () => {
		const stop = changed(sampleOf('ocpp1.6', 'Session end'), ['transactionId'], undefined);
		expect(factsOf(read(stop))).toMatchObject([{ about: 'stop', transaction: '' }]);
		const empty = changed(changed(stop, ['meterStop'], undefined), ['timestamp'], undefined);
		expect(read(empty)).toBe('unreadable');
	});

	it('cannot be read without an asset, or without a payload', () => {
		const { action, messageType, payload } = sampleOf('ocpp1.6', 'Fault');
		const data = { action, messageType, payload };
		const type = { eventType: 'ocpp.message' };
		expect(readRecord({ ...type, payload: data })).toBe('unreadable');
		const asset = { asset: { id: 's1' } };
		expect(readRecord({ ...type, payload: { ...data, ...asset, payload: [] } })).toBe('unreadable');
		expect(readRecord({ ...type, payload: { ...data, assetId: 's1' } })).toMatchObject({
			assetId: 's1',
		});
	});

	it('of OCPP 1.6 says the same with null for each field that only OCPP 2.0.1 has', () => {
		const fault = sampleOf('ocpp1.6', 'Fault');
		const nulls = { ...fault.payload, evseId: null, connectorStatus: null };
		expect(factsOf(read({ ...fault, payload: nulls }))).toEqual(factsOf(read(fault)));
	});

	it('leaves the connector unknown where OCPP 2.0.1 allows it', () => {
		const start = sampleOf('ocpp2.0.1', 'Session start');
		const without = factsOf(read(changed(start, ['evse', 'connectorId'], undefined)));
		expect(without).toMatchObject([{ connector: '1' }]);
		expect(factsOf(read(changed(start, ['evse'], undefined)))).toEqual([
			expect.objectContaining({ connector: undefined }),
		]);
	});
});

describe('an event', () => {
	const fault = sampleOf('ocpp1.6', 'Fault');
	const data = { asset: { id: 's1' }, ...fault };

	it.each([
		['without a time', { createdAt: undefined }],
		['with a wrong time', { createdAt: 'yesterday' }],
		['of the future', { createdAt: new Date(NOW + 11 * 60_000).toISOString() }],
	])('%s is left out', (_what, time) => {
		expect(readRecord({ eventType: 'ocpp.message', payload: data, ...time })).toBe('undated');
	});

	it('about the connection counts with the words for both states, whatever their case and separators', () => {
		const connection = (status: unknown, watched?: Parameters<typeof readFacts>[2]) =>
			readRecord(
				{ eventType: 'asset.connectivity', payload: { asset: { id: 's1' }, status } },
				watched,
			);
		for (const [status, isConnected] of [
			...([
				['DISCONNECTED', false],
				['disconnect', false],
				['offline', false],
			] as const),
			...([
				['CONNECTION_LOST', false],
				['Connection lost', false],
				[' Unreachable ', false],
			] as const),
			...([
				['CONNECTED', true],
				['Online', true],
				['connection-established', true],
			] as const),
		] as const) {
			expect(factsOf(connection(status))).toMatchObject([{ isConnected, status: status.trim() }]);
		}
		expect(connection('Degraded')).toEqual({ unknownWord: 'Degraded' });
		expect(connection('x'.repeat(60))).toEqual({ unknownWord: 'x'.repeat(40) });
		expect(connection({})).toBe('unreadable');
		const own = connectionSettings({
			connectedWords: 'da, Hier',
			disconnectedWords: 'weg',
			connectionPath: 'link.state',
		});
		const said = (state: string) =>
			readRecord(
				{ eventType: 'asset.connectivity', payload: { asset: { id: 's1' }, link: { state } } },
				own,
			);
		expect(factsOf(said('HIER'))).toMatchObject([{ isConnected: true }]);
		expect(factsOf(said('Weg'))).toMatchObject([{ isConnected: false }]);
		expect(said('connected')).toEqual({ unknownWord: 'connected' });
	});

	it('says who sent it, where it can be known', () => {
		const watched = { ...DEFAULT_CONNECTION, kind: 'stationOffline' as const };
		const sender = (action: string | undefined, messageType = 'CALL') => {
			const payload = { asset: { id: 's1' }, messageType, messageId: 'm1', action };
			return factsOf(readRecord({ eventType: 'ocpp.message', payload }, watched));
		};
		const sent = (by: string | undefined, isResponse = false) => [
			{ about: 'sent', by, isResponse, messageId: 'm1' },
		];
		expect(sender('Heartbeat')).toEqual(sent('station'));
		expect(sender('StatusNotification')).toEqual(sent('station'));
		expect(sender('TriggerMessage')).toEqual(sent('service'));
		expect(sender('DataTransfer')).toEqual(sent('service'));
		expect(sender('Sulk')).toBeUndefined();
		expect(sender('TriggerMessage', 'CALL_RESULT')).toEqual(sent('station', true));
		expect(sender('Heartbeat', 'CALL_ERROR')).toEqual(sent('service', true));
		expect(sender(undefined, 'CALL_RESULT')).toEqual(sent(undefined, true));
		expect(sender('DataTransfer', 'CALL_RESULT')).toEqual(sent('station', true));
	});

	it('of a session is not read for states, except for whether a vehicle charges', () => {
		const saidFor = (
			kind: 'connectorFault' | 'pastStates',
			action: string,
			payload: Record<string, unknown>,
		) => {
			const data = { asset: { id: 's1' }, messageType: 'CALL', messageId: 'm1', action, payload };
			const watched = { ...DEFAULT_CONNECTION, kind };
			const read = readRecord({ eventType: 'ocpp.message', payload: data }, watched);
			if (typeof read === 'object' && 'facts' in read) expect(read.isUnreadable).toBeUndefined();
			return factsOf(read)?.map(({ about }) => about);
		};
		const update = {
			eventType: 'Updated',
			transactionInfo: { transactionId: TX, chargingState: 'Charging' },
			evse: { id: 1, connectorId: 1 },
		};
		for (const kind of ['connectorFault', 'pastStates'] as const) {
			expect(saidFor(kind, 'StartTransaction', {})).toEqual(['sent']);
			expect(saidFor(kind, 'StopTransaction', {})).toEqual(['sent']);
			expect(saidFor(kind, 'MeterValues', { transactionId: 7 })).toEqual(['sent']);
		}
		expect(saidFor('connectorFault', 'TransactionEvent', update)).toEqual(['sent']);
		expect(saidFor('pastStates', 'TransactionEvent', update)).toEqual(['use', 'sent']);
		expect(saidFor('pastStates', 'TransactionEvent', { ...update, eventType: 'Odd' })).toEqual([
			'sent',
		]);
	});

	it('that is an error of a call, or has an unknown action, says nothing', () => {
		expect(read({ ...fault, action: 'DataTransfer' })).toBeUndefined();
		expect(read({ ...fault, action: 'constructor' })).toBeUndefined();
		const error = { ...data, messageType: 'CALL_ERROR' };
		expect(readRecord({ eventType: 'ocpp.message', payload: error })).toBeUndefined();
	});

	it('with several statuses in one message says the last of each connector', () => {
		const { payload, ...notify } = sampleOf('ocpp2.1', 'Connector status as an event');
		const [first] = payload['eventData'] as Record<string, unknown>[];
		const eventData = [
			{ ...first, timestamp: '2026-01-24T08:10:00Z', actualValue: 'Available' },
			{ ...first, timestamp: '2026-01-24T08:00:00Z', actualValue: 'Faulted' },
			{ ...first, component: { name: 'CONNECTOR', evse: { id: 2 } } },
			{ ...first, component: { name: 'Connector' } },
			'?',
		];
		expect(factsOf(read({ ...notify, payload: { eventData } }))).toEqual([
			status201('1/1', 'Available', '08:10:00'),
			status201('2/?', 'Occupied', '07:59:30'),
			status201('?/?', 'Occupied', '07:59:30'),
		]);
	});
});

describe('the imported register', () => {
	const stop = sampleOf('ocpp1.6', 'Session end');
	const readingsOf = (sampledValue: unknown[]) => {
		const transactionData = [{ timestamp: '2026-01-24T09:00:00Z', sampledValue }];
		const [fact] = factsOf(read({ ...stop, payload: { ...stop.payload, transactionData } })) ?? [];
		return fact?.about === 'stop' ? fact.readings : undefined;
	};
	const per = (phases: readonly string[], value = '100') =>
		phases.map((phase) => ({ value, phase }));
	const stationTime = at('09:00:00');

	it.each([
		['with the defaults', [{ value: '5' }], [{ wh: 5 }]],
		['in kWh, also in another case', [{ value: '1.005', unit: 'KWH' }], [{ wh: 1_005 }]],
		[
			'with the step of its last digit',
			[{ value: '6.00', unit: 'kWh' }],
			[{ wh: 6_000, step: 10 }],
		],
		['with a step of its exponent', [{ value: '6.0e3' }], [{ wh: 6_000, step: 100 }]],
		[
			'with a multiplier',
			[{ value: 2, unitOfMeasure: { multiplier: 3 } }],
			[{ wh: 2_000, step: 1_000 }],
		],
		['at the outlet first', [{ value: '9', location: 'Inlet' }, { value: '5' }], [{ wh: 5 }]],
		['elsewhere', [{ value: '9', location: 'Inlet' }], [{ wh: 9, location: 'inlet' }]],
		['as a total next to its parts', [...per(['L1', 'L2']), { value: '250' }], [{ wh: 250 }]],
		['as parts', per(['L1', 'L2', 'L3', 'L1-L2', 'N']), [{ wh: 300 }]],
		[
			'as parts that are rounded',
			per(['L1', 'L2', 'L3'], '0.10').map((part) => ({ ...part, unit: 'kWh' })),
			[{ wh: 300, step: 30 }],
		],
		[
			'as parts against neutral',
			per(['L1-N', 'L2-N']),
			[{ wh: 200, location: 'outlet l1-n+l2-n' }],
		],
		[
			'in several contexts',
			[
				{ value: '9', context: 'Transaction.End' },
				{ value: '5', context: ' transaction.begin ' },
				{ value: '7', context: 'Sample.Clock' },
			],
			[{ wh: 9, context: 'end' }, { wh: 5, context: 'begin' }, { wh: 7 }],
		],
		['not in an unknown unit', [{ value: '5', unit: 'Percent' }], []],
		['not of another measurand', [{ value: '5', measurand: 'Energy.Active.Import.Interval' }], []],
		['not signed', [{ value: 'AABB', format: 'SignedData' }, { value: '5' }], [{ wh: 5 }]],
		['not if a part is no number', [...per(['L1']), ...per(['L2'], '?')], []],
		['not without a number', [{ value: '5 kWh' }, { value: '' }, '?', null], []],
	])('is read %s', (_name, sampledValue, readings) => {
		expect(readingsOf(sampledValue)).toEqual(readings.map((one) => ({ ...one, stationTime })));
	});
});

it('knows the last 10,000 events that were left out, and forgets older ones', () => {
	const known = new KnownIds();
	const ids = Array.from({ length: 10_001 }, (_, n) => `whevt_${n}`);
	expect(ids.filter((id) => !known.add(id))).toEqual([]);
	expect(known.add('whevt_1')).toBe(false);
	expect(known.add('whevt_0')).toBe(true);
});
