/** The session messages of OCPP 1.6: StartTransaction with its response, MeterValues and StopTransaction. */
import { numberOf } from '../../shared/values';
import type { Reader } from './types';
import { elements, at, ordinal, stationTime, text } from './values';

/** An absent reason means Local (OCPP 1.6, section 4.10). */
const DEFAULT_REASON = 'Local';

export const readStart: Reader = ({ payload, messageId }) => {
	const connector = ordinal(payload['connectorId']);
	if (connector === undefined) return undefined;
	return [
		{
			about: 'start',
			connector,
			messageId,
			meterWh: numberOf(payload['meterStart']),
			stationTime: stationTime(payload['timestamp']),
		},
	];
};

/** A response names no action: only that to a StartTransaction has a transaction ID. */
export const readResponse: Reader = ({ payload, messageId }) => {
	const transaction = text(payload['transactionId']);
	if (transaction === undefined || messageId === undefined) return [];
	return [{ about: 'startResponse', messageId, transaction }];
};

/** Meter values outside a session, as those of the main meter, say nothing about sessions. */
export const readMeterValues: Reader = ({ payload }) => {
	const transaction = text(payload['transactionId']);
	if (transaction === undefined) return [];
	const connector = ordinal(payload['connectorId']);
	if (connector === undefined) return undefined;
	const [first] = elements(payload['meterValue']);
	return [
		{ about: 'metered', transaction, connector, stationTime: stationTime(at(first, 'timestamp')) },
	];
};

export const readStop: Reader = ({ payload }) => {
	const transaction = text(payload['transactionId']);
	if (transaction === undefined) return undefined;
	return [
		{
			about: 'stop',
			transaction,
			meterWh: numberOf(payload['meterStop']),
			reason: text(payload['reason']) ?? DEFAULT_REASON,
			stationTime: stationTime(payload['timestamp']),
		},
	];
};
