/** The messages of an OCPP 2.0.1 station. Each connector of the asset list is an EVSE with one connector. */
import { createHash } from 'node:crypto';
import {
	type Dialect,
	type Message,
	type Payload,
	type Sample,
	securityEvent,
	type Session,
	type SessionWords,
} from './ocppDialect';

/** OCPP 2.0.1 has no status for what happens between plugging in and leaving; TransactionEvent says that. */
const OCCUPIED = ['Preparing', 'Charging', 'SuspendedEV', 'SuspendedEVSE', 'Finishing'];
const CONNECTOR = 1;

function message(action: string, payload: (now: string) => Payload): Message {
	return { action, payload };
}

const statusName = (status: string): string => (OCCUPIED.includes(status) ? 'Occupied' : status);

export const ocpp201: Dialect = {
	protocol: 'ocpp2.0.1',
	heartbeat: message('Heartbeat', () => ({})),
	boot: ({ chargingStation: { serialNumber, manufacturingInfo } }) =>
		message('BootNotification', () => ({
			reason: 'PowerUp',
			chargingStation: {
				model: manufacturingInfo.chargePointModel,
				vendorName: manufacturingInfo.chargePointVendor,
				firmwareVersion: manufacturingInfo.firmwareVersion,
				serialNumber,
			},
		})),
	transactionId,
	connectorName: (evse) => `${evse}/${CONNECTOR}`,
	statusName,
	status: (evseId, status) =>
		evseId === 0
			? undefined
			: message('StatusNotification', (timestamp) => ({
					timestamp,
					connectorStatus: statusName(status),
					evseId,
					connectorId: CONNECTOR,
				})),
	problem: (evse, { errorCode, vendorErrorCode }, isOver) =>
		notifyEvent({
			trigger: 'Alerting',
			actualValue: String(!isOver),
			techCode: vendorErrorCode,
			cleared: isOver,
			eventNotificationType: 'HardWiredMonitor',
			component: { name: errorCode === 'ConnectorLockFailure' ? LOCK : 'EVSE', evse: { id: evse } },
			variable: { name: 'Problem' },
		}),
	security: securityEvent,
	session: sessionWords,
};

/** Some stations report the status of a connector as an event; OCPP 2.0.1 leaves the choice to them. */
export const ocpp201WithEvents: Dialect = {
	...ocpp201,
	status: (evse, status) =>
		evse === 0
			? undefined
			: notifyEvent({
					trigger: 'Delta',
					actualValue: statusName(status),
					eventNotificationType: 'HardWiredNotification',
					component: { name: 'Connector', evse: { id: evse, connectorId: CONNECTOR } },
					variable: { name: 'AvailabilityState' },
				}),
};

const LOCK = 'ConnectorPlugRetentionLock';

export function notifyEvent(event: Payload): Message {
	return message('NotifyEvent', (now) => ({
		generatedAt: now,
		seqNo: 0,
		// Unique as long as a station sends one report per millisecond.
		eventData: [{ eventId: Date.parse(now) % 2 ** 31, timestamp: now, ...event }],
	}));
}

/** Stations of this version choose the ID themselves: a UUID. */
function transactionId({ transactionId: number, connector }: Session): string {
	const hex = createHash('sha256').update(`${number} ${connector}`).digest('hex');
	return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`]
		.concat(hex.slice(20, 32))
		.join('-');
}

function sessionWords(session: Session): SessionWords {
	let sent = 0;
	const event = (eventType: string, triggerReason: string, more: More): Message => {
		const seqNo = sent++;
		const { info, samples, ...fields } = more;
		return message('TransactionEvent', (timestamp) => ({
			eventType,
			timestamp,
			triggerReason,
			seqNo,
			transactionInfo: { transactionId: transactionId(session), ...info },
			...fields,
			...(samples && { meterValue: [{ timestamp, sampledValue: samples }] }),
		}));
	};
	const idToken = { idToken: session.idTag, type: 'ISO14443' };
	return {
		started: () =>
			event('Started', 'Authorized', {
				info: { chargingState: 'EVConnected' },
				evse: { id: session.connector, connectorId: CONNECTOR },
				idToken,
				samples: [register(session.meterStartWh, 'Transaction.Begin')],
			}),
		charging: () =>
			event('Updated', 'ChargingStateChanged', { info: { chargingState: 'Charging' } }),
		measured: ({ registerWh, kilowatts }: Sample) =>
			event('Updated', 'MeterValuePeriodic', {
				info: { chargingState: 'Charging' },
				samples: [
					register(registerWh, 'Sample.Periodic'),
					{
						value: Number(kilowatts.toFixed(1)),
						measurand: 'Power.Active.Import',
						unitOfMeasure: { unit: 'kW' },
					},
				],
			}),
		ended: (meterStopWh, stoppedReason) =>
			event('Ended', stoppedReason === 'EVDisconnected' ? 'EVDeparted' : 'StopAuthorized', {
				info: { chargingState: 'Idle', stoppedReason },
				samples: [register(meterStopWh, 'Transaction.End')],
			}),
	};
}

interface More {
	readonly info: Payload;
	readonly samples?: readonly Payload[];
	readonly evse?: Payload;
	readonly idToken?: Payload;
}

export function register(value: number, context: string): Payload {
	return {
		value,
		context,
		measurand: 'Energy.Active.Import.Register',
		unitOfMeasure: { unit: 'Wh' },
	};
}
