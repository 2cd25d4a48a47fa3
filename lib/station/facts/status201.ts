/**
 * The status of a connector, an EVSE or a station in OCPP 2.0.1: StatusNotification, or NotifyEvent about its
 * AvailabilityState; and NotifyEvent about the Problem of a component.
 */
import type { ConnectorStatus, Problem, MessageReader } from './types';
import { at, connectorOf, elements, stationTime, text } from './values';

/** EVSE 0 is the whole station, and connector 0 the whole EVSE, though OCPP 2.0.1 has no connector 0. */
const STATION = '0';

function placeOf(evse: unknown, connector: unknown): string | undefined {
	const place = connectorOf(evse, connector)?.replace(/\/0$/, '');
	return place?.startsWith('0/') ? STATION : place;
}

export const readStatus201: MessageReader = ({ payload }) => {
	const connector = placeOf(payload['evseId'], payload['connectorId']);
	const status = text(payload['connectorStatus']);
	if (connector === undefined || status === undefined) return undefined;
	const time = stationTime(payload['timestamp']);
	return [{ about: 'status', connector, status, stationTime: time }];
};

/** The last status of each connector and component in the message: one message can report several. */
export const readNotifyEvent: MessageReader = ({ payload }) => {
	if (!Array.isArray(payload['eventData'])) return undefined;
	const last = new Map<string, ConnectorStatus | Problem>();
	for (const event of elements(payload['eventData'])) {
		const fact = factOf(event);
		if (fact === undefined) continue;
		const key = [fact.about, fact.connector, fact.about === 'problem' && fact.component].join();
		const before = last.get(key)?.stationTime ?? -Infinity;
		if ((fact.stationTime ?? Infinity) >= before) last.set(key, fact);
	}
	return [...last.values()];
};

const INSTANCES = ['component.instance', 'variable.instance'] as const;

/** Names of components and variables ignore case (OCPP 2.0.1, part 2, chapter 4). */
function factOf(event: unknown): ConnectorStatus | Problem | undefined {
	const component = text(at(event, 'component.name'));
	const value = text(at(event, 'actualValue'));
	const time = stationTime(at(event, 'timestamp'));
	const place = placeOf(at(event, 'component.evse.id'), at(event, 'component.evse.connectorId'));
	if (component === undefined) return undefined;
	switch (text(at(event, 'variable.name'))?.toLowerCase()) {
		case 'availabilitystate': {
			const connector = availableOf(component.toLowerCase(), place);
			if (connector === undefined || value === undefined) return undefined;
			return { about: 'status', connector, status: value, stationTime: time };
		}
		case 'problem': {
			const isCleared = text(at(event, 'cleared'))?.toLowerCase() === 'true';
			const isTrue = value?.toLowerCase() === 'true';
			if (!isCleared && !isTrue && value?.toLowerCase() !== 'false') return undefined;
			const names = [component.toLowerCase(), ...INSTANCES.map((path) => text(at(event, path)))];
			return {
				about: 'problem',
				connector: place ?? STATION,
				component: names.filter((name) => name !== undefined).join('/'),
				isActive: isTrue && !isCleared,
				errorCode: text(at(event, 'techCode')) ?? component,
				info: text(at(event, 'techInfo')),
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
