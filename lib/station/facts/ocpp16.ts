/** What the messages of OCPP 1.6 say: StatusNotification, StartTransaction with its response, MeterValues and StopTransaction. */
import { numberOf, valueAt } from '../../shared/values';
import { STATION } from '../common/places';
import { readingsOf } from './readings';
import type { MessageReader } from './types';
import { elements, isTransaction, NO_TRANSACTION, ordinal, stationTime, text } from './values';

/** An absent reason means Local (OCPP 1.6, section 4.10). */
const DEFAULT_REASON = 'Local';
const ACCEPTED = 'accepted';
/** The main meter of a station is no connector (OCPP 1.6, section 4.7). */
const MAIN_METER = '0';

const readStart: MessageReader = ({ payload, messageId }) => {
	const connector = ordinal(payload['connectorId']);
	if (connector === undefined) return undefined;
	return [
		{
			about: 'start',
			connector,
			messageId,
			meterWh: numberOf(payload['meterStart']),
			stationTime: stationTime(payload['timestamp']),
			idTag: text(payload['idTag']),
		},
	];
};

/**
 * A response names no action: only that to a StartTransaction has a transaction ID. One that refuses may lack it, as that to
 * another request does.
 */
export const readResponse: MessageReader = ({ payload, messageId }) => {
	const status = text(valueAt(payload, 'idTagInfo.status'))?.toLowerCase() ?? ACCEPTED;
	const isRefused = status !== ACCEPTED;
	const transaction = text(payload['transactionId']) ?? (isRefused ? NO_TRANSACTION : undefined);
	if (transaction === undefined || messageId === undefined) return [];
	return [{ about: 'startResponse', messageId, transaction, ...(isRefused && { isRefused }) }];
};

/** Those of the main meter say nothing about sessions, nor do those without a session or a register. */
const readMeterValues: MessageReader = ({ payload }) => {
	const transaction = text(payload['transactionId']);
	const isNamed = transaction !== undefined && isTransaction(transaction);
	const connector = ordinal(payload['connectorId']);
	if (connector === undefined) return isNamed ? undefined : [];
	const readings = readingsOf(payload['meterValue']);
	if (connector === MAIN_METER || (!isNamed && readings.length === 0)) return [];
	const [first] = elements(payload['meterValue']);
	const time = stationTime(valueAt(first, 'timestamp'));
	return [
		{
			about: 'metered',
			connector,
			stationTime: time,
			readings,
			...(isNamed && { transaction }),
		},
	];
};

const readStop: MessageReader = ({ payload }) => {
	const transaction = text(payload['transactionId']) ?? NO_TRANSACTION;
	const meterWh = numberOf(payload['meterStop']);
	const time = stationTime(payload['timestamp']);
	if (transaction === NO_TRANSACTION && (meterWh ?? time) === undefined) return undefined;
	return [
		{
			about: 'stop',
			transaction,
			meterWh,
			stationTime: time,
			reason: text(payload['reason']) ?? DEFAULT_REASON,
			readings: readingsOf(payload['transactionData']),
		},
	];
};

const readStatus: MessageReader = ({ payload }) => {
	const connector = ordinal(payload['connectorId']);
	const status = text(payload['status']);
	if (connector === undefined || status === undefined) return undefined;
	return [
		{
			about: 'status',
			connector,
			...(connector === STATION && { is201: false }),
			status,
			errorCode: text(payload['errorCode']),
			vendorErrorCode: text(payload['vendorErrorCode']),
			info: text(payload['info']),
			stationTime: stationTime(payload['timestamp']),
		},
	];
};

export const READERS_16: ReadonlyMap<string, MessageReader> = new Map([
	['MeterValues', readMeterValues],
	['StartTransaction', readStart],
	['StatusNotification', readStatus],
	['StopTransaction', readStop],
]);
