/** The same stories of stations in both versions of OCPP. */
import { message, type StationEvent } from './stationWorld';

interface SessionStory {
	readonly assetId?: string;
	/** When the service created the events. */
	readonly start: string;
	readonly meter?: string;
	readonly stop: string;
	/** How far the station's clock is ahead, in milliseconds. */
	readonly clockMs?: number;
	readonly fromWh: number;
	readonly toWh: number;
}

export interface Version {
	readonly name: string;
	/** How a connector is named in items. */
	readonly connector: string;
	status(at: string, status: string, more?: StatusOptions): StationEvent;
	/** Start, meter values and end. */
	session(story: SessionStory): StationEvent[];
}

interface StatusOptions {
	readonly assetId?: string;
	readonly clockMs?: number;
	/** The station's time, in place of that of the event. */
	readonly stationTime?: string;
	readonly listedAt?: string;
	readonly error?: Record<string, unknown>;
	/** By NotifyEvent. */
	readonly isNotified?: boolean;
}

const stamp = (event: StationEvent, clockMs = 0) =>
	new Date(Date.parse(event.createdAt) + clockMs).toISOString();

function payloadOf(event: StationEvent): Record<string, unknown> {
	return (event.record['payload'] as { payload: Record<string, unknown> }).payload;
}

/** The message, with its time by the station's clock. */
function stamped(event: StationEvent, clockMs = 0, stationTime?: string): StationEvent {
	payloadOf(event)['timestamp'] = stationTime ?? stamp(event, clockMs);
	return event;
}

let transactions = 100_000;

export const OCPP16: Version = {
	name: 'OCPP 1.6',
	connector: '1',
	status: (at, status, { assetId = 's1', clockMs, stationTime, listedAt, error } = {}) => {
		const payload = { connectorId: 1, errorCode: 'NoError', status, ...error };
		const more = listedAt === undefined ? {} : { listedAt };
		return stamped(
			message(at, assetId, ['StatusNotification', payload], more),
			clockMs,
			stationTime,
		);
	},
	session: ({ assetId = 's1', start, meter = start, stop, clockMs, fromWh, toWh }) => {
		const transactionId = ++transactions;
		const values = {
			connectorId: 1,
			transactionId,
			meterValue: [{ sampledValue: [{ value: String(fromWh) }] }],
		};
		return [
			stamped(
				message(start, assetId, [
					'StartTransaction',
					{ connectorId: 1, idTag: 'TAG', meterStart: fromWh },
				]),
				clockMs,
			),
			message(meter, assetId, ['MeterValues', values]),
			stamped(
				message(stop, assetId, ['StopTransaction', { transactionId, meterStop: toWh }]),
				clockMs,
			),
		].map((event, n) => {
			if (n !== 1) return event;
			const [value] = payloadOf(event)['meterValue'] as Record<string, unknown>[];
			if (value) value['timestamp'] = stamp(event, clockMs);
			return event;
		});
	},
};

const energy = (value: number, context: string) => [
	{ sampledValue: [{ value: value / 1000, context, unitOfMeasure: { unit: 'kWh' } }] },
];

export const OCPP201: Version = {
	name: 'OCPP 2.0.1',
	connector: '1/2',
	status: (at, status, { assetId = 's1', clockMs, stationTime, listedAt, isNotified } = {}) => {
		const more = listedAt === undefined ? {} : { listedAt };
		if (isNotified) {
			const component = { name: 'Connector', evse: { id: 1, connectorId: 2 } };
			const data = { component, variable: { name: 'AvailabilityState' }, actualValue: status };
			return message(at, assetId, ['NotifyEvent', { seqNo: 0, eventData: [data] }], more);
		}
		const payload = { evseId: 1, connectorId: 2, connectorStatus: status };
		return stamped(
			message(at, assetId, ['StatusNotification', payload], more),
			clockMs,
			stationTime,
		);
	},
	session: ({ assetId = 's1', start, meter = start, stop, clockMs, fromWh, toWh }) => {
		const transactionInfo = { transactionId: `tx-${++transactions}` };
		const of = (at: string, seqNo: number, eventType: string, more: Record<string, unknown>) =>
			stamped(
				message(at, assetId, ['TransactionEvent', { eventType, seqNo, transactionInfo, ...more }]),
				clockMs,
			);
		return [
			of(start, 0, 'Started', {
				evse: { id: 1, connectorId: 2 },
				meterValue: energy(fromWh, 'Transaction.Begin'),
			}),
			of(meter, 3, 'Updated', {}),
			of(stop, 5, 'Ended', { meterValue: energy(toWh, 'Transaction.End') }),
		];
	},
};

export const VERSIONS = [OCPP16, OCPP201].map((version) => [version.name, version] as const);
