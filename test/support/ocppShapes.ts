/**
 * The calls of stations as the schemas of OCPP 1.6 and 2.0.1 define them: names, types, lengths and values, and no other
 * fields. Only the fields and values that the simulator can use are named, so anything else is refused.
 */
import { z, type ZodType } from 'zod/v4';

const text = (most: number) => z.string().min(1).max(most);
const time = z.iso.datetime({ offset: true });
const id = z.int();

const CODES_16 = [
	...['ConnectorLockFailure', 'EVCommunicationError', 'GroundFailure', 'HighTemperature'],
	...['InternalError', 'LocalListConflict', 'NoError', 'OtherError', 'OverCurrentFailure'],
	...['OverVoltage', 'PowerMeterFailure', 'PowerSwitchFailure', 'ReaderFailure', 'ResetFailure'],
	...['UnderVoltage', 'WeakSignal'],
];
const STATUSES_16 = [
	...['Available', 'Preparing', 'Charging', 'SuspendedEVSE', 'SuspendedEV', 'Finishing'],
	...['Reserved', 'Unavailable', 'Faulted'],
];
const REASONS_16 = [
	...['EmergencyStop', 'EVDisconnected', 'HardReset', 'Local', 'Other', 'PowerLoss', 'Reboot'],
	...['Remote', 'SoftReset', 'UnlockCommand', 'DeAuthorized'],
];
const REASONS_201 = [
	...['DeAuthorized', 'EmergencyStop', 'EnergyLimitReached', 'EVDisconnected', 'GroundFault'],
	...['ImmediateReset', 'Local', 'LocalOutOfCredit', 'MasterPass', 'Other', 'OvercurrentFault'],
	...['PowerLoss', 'PowerQuality', 'Reboot', 'Remote', 'SOCLimitReached', 'StoppedByEV'],
	...['TimeLimitReached', 'Timeout'],
];
const BOOT_REASONS = [
	...['ApplicationReset', 'FirmwareUpdate', 'LocalReset', 'PowerUp', 'RemoteReset'],
	...['ScheduledReset', 'Triggered', 'Unknown', 'Watchdog'],
];
const TRIGGERS = [
	...['Authorized', 'CablePluggedIn', 'ChargingRateChanged', 'ChargingStateChanged'],
	...['EnergyLimitReached', 'EVCommunicationLost', 'EVConnectTimeout', 'MeterValueClock'],
	...['MeterValuePeriodic', 'TimeLimitReached', 'Trigger', 'UnlockCommand', 'StopAuthorized'],
	...['EVDeparted', 'EVDetected', 'RemoteStop', 'RemoteStart', 'AbnormalCondition'],
	...['SignedDataReceived', 'ResetCommand', 'Deauthorized'],
];
const CONTEXTS = [
	...['Interruption.Begin', 'Interruption.End', 'Other', 'Sample.Clock', 'Sample.Periodic'],
	...['Transaction.Begin', 'Transaction.End', 'Trigger'],
];
const NOTIFICATION_TYPES = [
	...['HardWiredNotification', 'HardWiredMonitor', 'PreconfiguredMonitor', 'CustomMonitor'],
];
const MEASURANDS = ['Energy.Active.Import.Register', 'Power.Active.Import', 'SoC'];

const evse = z.strictObject({ id, connectorId: id.optional() });
const samples = (sample: ZodType) =>
	z.array(z.strictObject({ timestamp: time, sampledValue: z.array(sample).min(1) })).min(1);

const sample16 = z.strictObject({
	value: z.string(),
	context: z.enum(CONTEXTS).optional(),
	measurand: z.enum(MEASURANDS).optional(),
	unit: z.enum(['Wh', 'kWh', 'W', 'kW', 'Percent']).optional(),
});
const sample201 = z.strictObject({
	value: z.number(),
	context: z.enum(CONTEXTS).optional(),
	measurand: z.enum(MEASURANDS).optional(),
	unitOfMeasure: z
		.strictObject({ unit: z.string().max(20).optional(), multiplier: z.int().optional() })
		.optional(),
});
const heartbeat = z.strictObject({});
const security = z.strictObject({
	type: text(50),
	timestamp: time,
	techInfo: z.string().max(255).optional(),
});

/** By protocol and action. */
export const OCPP_SHAPES: Readonly<Record<string, Readonly<Record<string, ZodType>>>> = {
	'ocpp1.6': {
		Heartbeat: heartbeat,
		SecurityEventNotification: security,
		BootNotification: z.strictObject({
			chargePointVendor: text(20),
			chargePointModel: text(20),
			chargePointSerialNumber: text(25).optional(),
			firmwareVersion: text(50).optional(),
		}),
		StatusNotification: z.strictObject({
			connectorId: id,
			errorCode: z.enum(CODES_16),
			status: z.enum(STATUSES_16),
			timestamp: time.optional(),
			info: z.string().max(50).optional(),
			vendorId: z.string().max(255).optional(),
			vendorErrorCode: z.string().max(50).optional(),
		}),
		StartTransaction: z.strictObject({
			connectorId: id,
			idTag: text(20),
			meterStart: id,
			timestamp: time,
		}),
		MeterValues: z.strictObject({
			connectorId: id,
			transactionId: id.optional(),
			meterValue: samples(sample16),
		}),
		StopTransaction: z.strictObject({
			transactionId: id,
			idTag: text(20).optional(),
			meterStop: id,
			timestamp: time,
			reason: z.enum(REASONS_16).optional(),
		}),
	},
	'ocpp2.0.1': {
		Heartbeat: heartbeat,
		SecurityEventNotification: security,
		BootNotification: z.strictObject({
			reason: z.enum(BOOT_REASONS),
			chargingStation: z.strictObject({
				model: text(20),
				vendorName: text(50),
				serialNumber: text(25).optional(),
				firmwareVersion: text(50).optional(),
			}),
		}),
		StatusNotification: z.strictObject({
			timestamp: time,
			connectorStatus: z.enum(['Available', 'Occupied', 'Reserved', 'Unavailable', 'Faulted']),
			evseId: id,
			connectorId: id,
		}),
		NotifyEvent: z.strictObject({
			generatedAt: time,
			seqNo: id,
			tbc: z.boolean().optional(),
			eventData: z
				.array(
					z.strictObject({
						eventId: id,
						timestamp: time,
						trigger: z.enum(['Alerting', 'Delta', 'Periodic']),
						actualValue: z.string().max(2500),
						techCode: z.string().max(50).optional(),
						techInfo: z.string().max(500).optional(),
						cleared: z.boolean().optional(),
						transactionId: z.string().max(36).optional(),
						variableMonitoringId: id.optional(),
						eventNotificationType: z.enum(NOTIFICATION_TYPES),
						component: z.strictObject({ name: text(50), evse: evse.optional() }),
						variable: z.strictObject({ name: text(50) }),
					}),
				)
				.min(1),
		}),
		TransactionEvent: z.strictObject({
			eventType: z.enum(['Started', 'Updated', 'Ended']),
			timestamp: time,
			triggerReason: z.enum(TRIGGERS),
			seqNo: id,
			offline: z.boolean().optional(),
			transactionInfo: z.strictObject({
				transactionId: text(36),
				chargingState: z
					.enum(['Charging', 'EVConnected', 'SuspendedEV', 'SuspendedEVSE', 'Idle'])
					.optional(),
				stoppedReason: z.enum(REASONS_201).optional(),
			}),
			evse: evse.optional(),
			idToken: z
				.strictObject({ idToken: text(36), type: z.enum(['ISO14443', 'Central']) })
				.optional(),
			meterValue: samples(sample201).optional(),
		}),
	},
};
