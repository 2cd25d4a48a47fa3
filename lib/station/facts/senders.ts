/**
 * Who sent an OCPP message: an event names no sender, so it follows from the action. An action of no list could be anybody's.
 * A response usually names no action either: its sender follows from the call.
 */
import type { Sent } from './types';
import { text } from './values';

/** Calls of a station, in OCPP 1.6 with its security extensions, 2.0.1 and 2.1. */
const OF_STATION: ReadonlySet<string> = new Set([
	'Authorize',
	'BatterySwap',
	'BootNotification',
	'ClearedChargingLimit',
	'ClosePeriodicEventStream',
	'DiagnosticsStatusNotification',
	'FirmwareStatusNotification',
	'Get15118EVCertificate',
	'GetCertificateChainStatus',
	'GetCertificateStatus',
	'Heartbeat',
	'LogStatusNotification',
	'MeterValues',
	'NotifyChargingLimit',
	'NotifyCustomerInformation',
	'NotifyDERAlarm',
	'NotifyDERStartStop',
	'NotifyDisplayMessages',
	'NotifyEVChargingNeeds',
	'NotifyEVChargingSchedule',
	'NotifyEvent',
	'NotifyMonitoringReport',
	'NotifyPriorityCharging',
	'NotifyPeriodicEventStream',
	'NotifyReport',
	'NotifySettlement',
	'OpenPeriodicEventStream',
	'PublishFirmwareStatusNotification',
	'PullDynamicScheduleUpdate',
	'ReportChargingProfiles',
	'ReportDERControl',
	'ReservationStatusUpdate',
	'SecurityEventNotification',
	'SignCertificate',
	'SignedFirmwareStatusNotification',
	'StartTransaction',
	'StatusNotification',
	'StopTransaction',
	'TransactionEvent',
	'VatNumberValidation',
]);

/** Calls of the service, in the same versions. */
const OF_SERVICE: ReadonlySet<string> = new Set([
	'AFRRSignal',
	'AdjustPeriodicEventStream',
	'CancelReservation',
	'CertificateSigned',
	'ChangeAvailability',
	'ChangeConfiguration',
	'ChangeTransactionTariff',
	'ClearCache',
	'ClearChargingProfile',
	'ClearDERControl',
	'ClearDisplayMessage',
	'ClearTariffs',
	'ClearVariableMonitoring',
	'CostUpdated',
	'CustomerInformation',
	// Stations send it, too. Whichever side sent it, a response shows that the station is connected.
	'DataTransfer',
	'DeleteCertificate',
	'ExtendedTriggerMessage',
	'GetBaseReport',
	'GetChargingProfiles',
	'GetCompositeSchedule',
	'GetConfiguration',
	'GetDERControl',
	'GetDiagnostics',
	'GetDisplayMessages',
	'GetInstalledCertificateIds',
	'GetLocalListVersion',
	'GetLog',
	'GetMonitoringReport',
	'GetPeriodicEventStream',
	'GetReport',
	'GetTariffs',
	'GetTransactionStatus',
	'GetVariables',
	'InstallCertificate',
	'NotifyAllowedEnergyTransfer',
	'NotifyWebPaymentStarted',
	'PublishFirmware',
	'RemoteStartTransaction',
	'RemoteStopTransaction',
	'RequestBatterySwap',
	'RequestStartTransaction',
	'RequestStopTransaction',
	'ReserveNow',
	'Reset',
	'SendLocalList',
	'SetChargingProfile',
	'SetDERControl',
	'SetDefaultTariff',
	'SetDisplayMessage',
	'SetMonitoringBase',
	'SetMonitoringLevel',
	'SetNetworkProfile',
	'SetVariableMonitoring',
	'SetVariables',
	'SignedUpdateFirmware',
	'TriggerMessage',
	'UnlockConnector',
	'UnpublishFirmware',
	'UpdateDynamicSchedule',
	'UpdateFirmware',
	'UsePriorityCharging',
]);

const RESPONSES: ReadonlySet<string | undefined> = new Set(['CALL_RESULT', 'CALL_ERROR']);

/** An empty list if the message says nothing about whether its station is connected. */
export function readSender(data: Readonly<Record<string, unknown>>): Sent[] {
	const action = text(data['action']) ?? '';
	const messageId = text(data['messageId']);
	const isResponse = RESPONSES.has(text(data['messageType']));
	const isOfStation = OF_STATION.has(action);
	if (isOfStation || OF_SERVICE.has(action)) {
		return [
			{
				about: 'sent',
				by: isOfStation === isResponse ? 'service' : 'station',
				isResponse,
				messageId,
			},
		];
	}
	const isUnknown = isResponse && action === '' && messageId !== undefined;
	return isUnknown ? [{ about: 'sent', by: undefined, isResponse, messageId }] : [];
}
