/**
 * What the messages of OCPP 2.0.1 say: the status of a connector, an EVSE or a station (StatusNotification, or NotifyEvent
 * about its AvailabilityState), the Problem of a component (NotifyEvent), TransactionEvent, and MeterValues of an EVSE, which
 * name no transaction.
 */
import { isRecord, numberOf, valueAt } from '../../shared/values';
import { readingsOf } from './readings';
import type { ConnectorStatus, MessageReader, Problem, Transaction } from './types';
import { connectorOf, elements, ordinal, stationTime, text } from './values';

const PHASES: Readonly<Record<string, Transaction['phase']>> = {
	started: 'started',
	updated: 'updated',
	ended: 'ended',
};
/** An absent reason means Local (OCPP 2.0.1, part 2, E06.FR.09). */
const DEFAULT_REASON = 'Local';
/** EVSE 0 is the whole station, and connector 0 the whole EVSE, though OCPP 2.0.1 has no connector 0. */
const STATION = '0';

const readTransactionEvent: MessageReader = ({ payload }) => {
	const transaction = text(valueAt(payload, 'transactionInfo.transactionId'));
	const phase = PHASES[text(payload['eventType'])?.toLowerCase() ?? ''];
	if (transaction === undefined || phase === undefined) return undefined;
	const reason = text(valueAt(payload, 'transactionInfo.stoppedReason')) ?? DEFAULT_REASON;
	const place = placeOf(valueAt(payload, 'evse.id'), valueAt(payload, 'evse.connectorId'));
	return [
		{
			about: 'transaction',
			transaction,
			phase,
			seqNo: numberOf(payload['seqNo']),
			// The whole station is no place of a session: it is not known yet.
			connector: place === STATION ? undefined : place,
			readings: readingsOf(payload['meterValue']),
			reason: phase === 'ended' ? reason : undefined,
			stationTime: stationTime(payload['timestamp']),
			idTag: text(valueAt(payload, 'idToken.idToken')),
		},
	];
};

const readMeterValues: MessageReader = ({ payload }) => {
	const connector = ordinal(payload['evseId']);
	const readings = readingsOf(payload['meterValue']);
	if (connector === undefined || connector === STATION || readings.length === 0) return [];
	return [{ about: 'metered', connector, stationTime: undefined, readings }];
};

function placeOf(evse: unknown, connector: unknown): string | undefined {
	const place = connectorOf(evse, connector)?.replace(/\/0$/, '');
	return place?.startsWith('0/') ? STATION : place;
}

const isEvse = (place: string) => place !== STATION && !place.includes('/');

const readStatus: MessageReader = ({ payload }) => {
	const connector = placeOf(payload['evseId'], payload['connectorId']);
	const status = text(payload['connectorStatus']);
	if (connector === undefined || status === undefined) return undefined;
	const time = stationTime(payload['timestamp']);
	const isOnly = ordinal(payload['connectorId']) === undefined && isEvse(connector);
	return [{ about: 'status', connector, status, stationTime: time, ...(isOnly && { isOnly }) }];
};

/** The last status of each connector and component in the message: one message can report several. */
const readNotifyEvent: MessageReader = ({ payload }) => {
	const { eventData } = payload;
	if (!Array.isArray(eventData) && !isRecord(eventData)) return undefined;
	const last = new Map<string, ConnectorStatus | Problem>();
	for (const event of elements(eventData)) {
		const fact = factOf(event);
		if (fact === undefined) continue;
		const key = [fact.about, fact.connector, fact.about === 'problem' && fact.component].join();
		const before = last.get(key)?.stationTime ?? -Infinity;
		if ((fact.stationTime ?? Infinity) >= before) last.set(key, fact);
	}
	return [...last.values()];
};

const INSTANCES = ['component.instance', 'variable.instance'] as const;

/** Of a boolean, which can be written as a number. */
function truthOf(value: string | undefined): boolean | undefined {
	const word = value?.toLowerCase();
	if (word === 'true' || word === '1') return true;
	return word === 'false' || word === '0' ? false : undefined;
}

/** Names of components and variables ignore case (OCPP 2.0.1, part 2, chapter 4). */
function factOf(event: unknown): ConnectorStatus | Problem | undefined {
	const component = text(valueAt(event, 'component.name'));
	const value = text(valueAt(event, 'actualValue'));
	const time = stationTime(valueAt(event, 'timestamp'));
	const place = placeOf(
		valueAt(event, 'component.evse.id'),
		valueAt(event, 'component.evse.connectorId'),
	);
	if (component === undefined) return undefined;
	switch (text(valueAt(event, 'variable.name'))?.toLowerCase()) {
		case 'availabilitystate': {
			const connector = availableOf(component.toLowerCase(), place);
			if (connector === undefined || value === undefined) return undefined;
			const isOnly = component.toLowerCase() === 'connector' && isEvse(connector);
			const status = { connector, status: value, stationTime: time };
			return { about: 'status', ...status, ...(isOnly && { isOnly }) };
		}
		case 'problem': {
			const isCleared = truthOf(text(valueAt(event, 'cleared'))) === true;
			const isTrue = truthOf(value);
			if (!isCleared && isTrue === undefined) return undefined;
			const names = [
				component.toLowerCase(),
				...INSTANCES.map((path) => text(valueAt(event, path))),
			];
			return {
				about: 'problem',
				connector: place ?? STATION,
				component: names.filter((name) => name !== undefined).join('/'),
				isActive: isTrue === true && !isCleared,
				errorCode: text(valueAt(event, 'techCode')) ?? component,
				info: text(valueAt(event, 'techInfo')),
				stationTime: time,
			};
		}
		default:
			return undefined;
	}
}

/** Undefined for a component that is neither a connector nor above one, and for one that does not say which it is. */
function availableOf(component: string, place: string | undefined): string | undefined {
	if (component === 'chargingstation') return STATION;
	if (component === 'evse') return place?.split('/')[0];
	return component === 'connector' ? place : undefined;
}

export const READERS_201: ReadonlyMap<string, MessageReader> = new Map([
	['MeterValues', readMeterValues],
	['NotifyEvent', readNotifyEvent],
	['StatusNotification', readStatus],
	['TransactionEvent', readTransactionEvent],
]);
