/**
 * What the messages of OCPP 2.0.1 say: the status of a connector, an EVSE or a station (StatusNotification, or NotifyEvent
 * about its AvailabilityState), the Problem of a component (NotifyEvent), TransactionEvent, and MeterValues of an EVSE, which
 * name no transaction.
 */
import { isRecord, numberOf, valueAt } from '../../shared/values';
import { addressOf, STATION } from '../common/places';
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

/** Whether the vehicle that a transaction is about is charging. */
export const readUse: MessageReader = ({ payload }) => {
	const transaction = text(valueAt(payload, 'transactionInfo.transactionId'));
	const phase = PHASES[text(payload['eventType'])?.toLowerCase() ?? ''];
	if (transaction === undefined || phase === undefined) return [];
	const [evse, number] = [
		ordinal(valueAt(payload, 'evse.id')),
		ordinal(valueAt(payload, 'evse.connectorId')),
	];
	const connector =
		evse === undefined || evse === STATION ? undefined : addressOf('other', evse, number);
	const state = text(valueAt(payload, 'transactionInfo.chargingState'))?.toLowerCase();
	const isCharging = phase === 'ended' ? false : state && state === 'charging';
	if (connector === undefined && isCharging === undefined) return [];
	return [
		{
			about: 'use',
			transaction,
			connector,
			isCharging: isCharging === '' ? undefined : isCharging,
		},
	];
};

const readStatus: MessageReader = ({ payload }) => {
	const [evse, number] = [ordinal(payload['evseId']), ordinal(payload['connectorId'])];
	const status = text(payload['connectorStatus']);
	if (evse === undefined || status === undefined) return undefined;
	const connector = addressOf('connector', evse, number);
	return [statusOf(connector, status, stationTime(payload['timestamp']))];
};

function statusOf(connector: string, status: string, time: number | undefined): ConnectorStatus {
	const version = connector === STATION && { is201: true };
	return { about: 'status', connector, ...version, status, stationTime: time };
}

/** The last status of each connector, and the last word on each problem: one message can report several. */
const readNotifyEvent: MessageReader = ({ payload }) => {
	const { eventData } = payload;
	if (!Array.isArray(eventData) && !isRecord(eventData)) return undefined;
	const last = new Map<string, ConnectorStatus | Problem>();
	for (const event of elements(eventData)) {
		const fact = factOf(event);
		if (fact === undefined) continue;
		const isAfter = (other: Pick<Problem, 'stationTime'>) =>
			(fact.stationTime ?? Infinity) >= (other.stationTime ?? -Infinity);
		for (const [key, other] of last) {
			if (isEndedBy(other, fact) && isAfter(other)) last.delete(key);
		}
		const key = keyOf(fact);
		const before = last.get(key);
		if (before === undefined || isAfter(before)) last.set(key, fact);
	}
	return [...last.values()];
};

/** Whether the component has no such problem any more, though nothing names its code. */
function isEndedBy(one: ConnectorStatus | Problem, said: ConnectorStatus | Problem): boolean {
	if (one.about !== 'problem' || said.about !== 'problem' || said.isActive) return false;
	const isOfSame = one.connector === said.connector && one.component === said.component;
	return isOfSame && (said.techCode === undefined || (one.isActive && one.techCode === undefined));
}

function keyOf(fact: ConnectorStatus | Problem): string {
	if (fact.about === 'status') return fact.connector;
	const { connector, component, techCode, isActive } = fact;
	// A problem without a code is one of its own; that there is none, of all.
	return [connector, component, techCode ?? (isActive ? '-' : '*'), techCode !== undefined].join(
		'|',
	);
}

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
	if (component === undefined) return undefined;
	const kind = KINDS[component.toLowerCase()] ?? 'other';
	const value = text(valueAt(event, 'actualValue'));
	const time = stationTime(valueAt(event, 'timestamp'));
	const connector = addressOf(
		kind,
		ordinal(valueAt(event, 'component.evse.id')),
		ordinal(valueAt(event, 'component.evse.connectorId')),
	);
	switch (text(valueAt(event, 'variable.name'))?.toLowerCase()) {
		case 'availabilitystate': {
			if (kind === 'other' || value === undefined) return undefined;
			return statusOf(connector, value, time);
		}
		case 'problem': {
			const isCleared = truthOf(text(valueAt(event, 'cleared'))) === true;
			const isTrue = truthOf(value);
			const isActive = isTrue === true && !isCleared;
			const monitor = numberOf(valueAt(event, 'variableMonitoringId'));
			if (!isCleared && isTrue === undefined) return undefined;
			const techCode = text(valueAt(event, 'techCode'));
			const instances = INSTANCES.map((path) => text(valueAt(event, path)));
			const name = [component, ...instances].filter((one) => one !== undefined).join('/');
			return {
				about: 'problem',
				connector,
				component: name.toLowerCase(),
				name,
				isActive,
				...(techCode !== undefined && { techCode }),
				errorCode: techCode ?? component,
				info: text(valueAt(event, 'techInfo')),
				...(isActive && monitor !== undefined && { isMonitored: true }),
				stationTime: time,
			};
		}
		default:
			return undefined;
	}
}

const KINDS: Readonly<Record<string, 'station' | 'evse' | 'connector'>> = {
	chargingstation: 'station',
	evse: 'evse',
	connector: 'connector',
};

export const READERS_201: ReadonlyMap<string, MessageReader> = new Map([
	['MeterValues', readMeterValues],
	['NotifyEvent', readNotifyEvent],
	['StatusNotification', readStatus],
	['TransactionEvent', readTransactionEvent],
]);
