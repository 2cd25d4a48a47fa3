/** The session messages of OCPP 2.0.1: TransactionEvent, and MeterValues of an EVSE, which name no transaction. */
import { numberOf } from '../../shared/values';
import { readingsOf } from './readings';
import type { MessageReader, Transaction } from './types';
import { at, connectorOf, ordinal, stationTime, text } from './values';

const PHASES: Readonly<Record<string, Transaction['phase']>> = {
	started: 'started',
	updated: 'updated',
	ended: 'ended',
};
/** An absent reason means Local (OCPP 2.0.1, part 2, E06.FR.09). */
const DEFAULT_REASON = 'Local';
/** The main meter of a station is no EVSE. */
const MAIN_METER = '0';

export const readTransactionEvent: MessageReader = ({ payload }) => {
	const transaction = text(at(payload, 'transactionInfo.transactionId'));
	const phase = PHASES[text(payload['eventType'])?.toLowerCase() ?? ''];
	if (transaction === undefined || phase === undefined) return undefined;
	const reason = text(at(payload, 'transactionInfo.stoppedReason')) ?? DEFAULT_REASON;
	return [
		{
			about: 'transaction',
			transaction,
			phase,
			seqNo: numberOf(payload['seqNo']),
			connector: connectorOf(at(payload, 'evse.id'), at(payload, 'evse.connectorId')),
			readings: readingsOf(payload['meterValue']),
			reason: phase === 'ended' ? reason : undefined,
			stationTime: stationTime(payload['timestamp']),
			idTag: text(at(payload, 'idToken.idToken')),
		},
	];
};

export const readMeterValues201: MessageReader = ({ payload }) => {
	const connector = ordinal(payload['evseId']);
	const readings = readingsOf(payload['meterValue']);
	if (connector === undefined || connector === MAIN_METER || readings.length === 0) return [];
	return [{ about: 'metered', connector, stationTime: undefined, readings }];
};
