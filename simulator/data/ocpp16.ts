/** The messages of an OCPP 1.6 station. */
import {
	type Dialect,
	type Message,
	type Payload,
	type Sample,
	securityEvent,
	type Session,
} from './ocppDialect';

function message(action: string, payload: (now: string) => Payload): Message {
	return { action, payload };
}

export const ocpp16: Dialect = {
	protocol: 'ocpp1.6',
	heartbeat: message('Heartbeat', () => ({})),
	boot: ({ chargingStation: { serialNumber, manufacturingInfo } }) =>
		message('BootNotification', () => ({
			...manufacturingInfo,
			chargePointSerialNumber: serialNumber,
		})),
	transactionId: ({ transactionId }) => transactionId,
	connectorName: String,
	statusName: (status) => status,
	status: (connector, status, fault) =>
		message('StatusNotification', (timestamp) => ({
			connectorId: connector,
			...(fault ?? { errorCode: 'NoError' }),
			status,
			timestamp,
		})),
	problem: () => undefined,
	security: securityEvent,
	session: (session) => ({
		// The transaction ID is in the back end's response.
		started: () =>
			message('StartTransaction', (timestamp) => ({
				connectorId: session.connector,
				idTag: session.idTag,
				meterStart: session.meterStartWh,
				timestamp,
			})),
		charging: () => undefined,
		measured: (sample) => meterValues(session, sample),
		ended: (meterStop, reason) =>
			message('StopTransaction', (timestamp) => ({
				transactionId: session.transactionId,
				idTag: session.idTag,
				meterStop,
				timestamp,
				reason,
			})),
	}),
};

function meterValues({ connector, transactionId }: Session, sample: Sample): Message {
	const sampledValue = [
		{ value: String(sample.registerWh), measurand: 'Energy.Active.Import.Register', unit: 'Wh' },
		{ value: sample.kilowatts.toFixed(1), measurand: 'Power.Active.Import', unit: 'kW' },
	];
	return message('MeterValues', (timestamp) => ({
		connectorId: connector,
		transactionId,
		meterValue: [{ timestamp, sampledValue }],
	}));
}
