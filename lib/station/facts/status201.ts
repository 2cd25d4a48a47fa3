/** The status of a connector in OCPP 2.0.1: StatusNotification, or NotifyEvent about its AvailabilityState. */
import type { ConnectorStatus, Reader } from './types';
import { at, connectorOf, elements, stationTime, text } from './values';

export const readStatus201: Reader = ({ payload }) => {
	const connector = connectorOf(payload['evseId'], payload['connectorId']);
	const status = text(payload['connectorStatus']);
	if (connector === undefined || status === undefined) return undefined;
	const time = stationTime(payload['timestamp']);
	return [{ about: 'status', connector, status, stationTime: time }];
};

/** Names of components and variables ignore case (OCPP 2.0.1, part 2, chapter 4). */
const isNamed = (element: unknown, path: string, name: string) =>
	text(at(element, path))?.toLowerCase() === name;

/** The last status of each connector in the message: one message can report several. */
export const readNotifyEvent: Reader = ({ payload }) => {
	if (!Array.isArray(payload['eventData'])) return undefined;
	const last = new Map<string, ConnectorStatus>();
	for (const event of elements(payload['eventData'])) {
		const isStatus =
			isNamed(event, 'component.name', 'connector') &&
			isNamed(event, 'variable.name', 'availabilitystate');
		const connector = connectorOf(
			at(event, 'component.evse.id'),
			at(event, 'component.evse.connectorId'),
		);
		const status = text(at(event, 'actualValue'));
		if (!isStatus || connector === undefined || status === undefined) continue;
		const time = stationTime(at(event, 'timestamp'));
		const before = last.get(connector)?.stationTime ?? -Infinity;
		if ((time ?? Infinity) < before) continue;
		last.set(connector, { about: 'status', connector, status, stationTime: time });
	}
	return [...last.values()];
};
