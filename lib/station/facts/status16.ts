/** StatusNotification of OCPP 1.6. */
import type { MessageReader } from './types';
import { ordinal, stationTime, text } from './values';

export const readStatus16: MessageReader = ({ payload }) => {
	const connector = ordinal(payload['connectorId']);
	const status = text(payload['status']);
	if (connector === undefined || status === undefined) return undefined;
	return [
		{
			about: 'status',
			connector,
			status,
			errorCode: text(payload['errorCode']),
			vendorErrorCode: text(payload['vendorErrorCode']),
			info: text(payload['info']),
			stationTime: stationTime(payload['timestamp']),
		},
	];
};
