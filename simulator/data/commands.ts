/** Actions that the command path accepts: those of OCPP 1.6 and 2.0.1 that its public documentation lists. */

export const COMMAND_ACTIONS = [
	...['CancelReservation', 'ChangeAvailability', 'ChangeConfiguration', 'ClearCache'],
	...['ClearChargingProfile', 'DataTransfer', 'GetCompositeSchedule', 'GetConfiguration'],
	...['GetDiagnostics', 'GetLocalListVersion', 'RemoteStartTransaction', 'RemoteStopTransaction'],
	...['ReserveNow', 'Reset', 'SendLocalList', 'SetChargingProfile', 'TriggerMessage'],
	...['UnlockConnector', 'UpdateFirmware', 'CertificateSigned', 'ClearDisplayMessage'],
	...['ClearVariableMonitoring', 'CostUpdated', 'CustomerInformation', 'DeleteCertificate'],
	...['GetBaseReport', 'GetChargingProfiles', 'GetDisplayMessages', 'GetInstalledCertificateIds'],
	...['GetLog', 'GetMonitoringReport', 'GetReport', 'GetTransactionStatus', 'GetVariables'],
	...['InstallCertificate', 'PublishFirmware', 'RequestStartTransaction', 'RequestStopTransaction'],
	...['SetDisplayMessage', 'SetMonitoringBase', 'SetMonitoringLevel', 'SetNetworkProfile'],
	...['SetVariableMonitoring', 'SetVariables', 'UnpublishFirmware'],
] as const;
