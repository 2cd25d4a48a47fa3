/** Whether a station is connected: events of the service about it, and its own message after a start. */
import type { Connection, Reader } from './types';
import { text } from './values';

const DISCONNECTED: ReadonlySet<string> = new Set(['disconnected', 'offline']);

/** From the `data` of an `asset.connectivity` event; undefined if it has no status. */
export function readConnectivity(
	data: Readonly<Record<string, unknown>>,
): Connection[] | undefined {
	const status = text(data['status']);
	if (status === undefined) return undefined;
	return [{ about: 'connection', isConnected: !DISCONNECTED.has(status.toLowerCase()), status }];
}

/** A station that sends a BootNotification is connected, in every version of OCPP. */
export const readBoot: Reader = () => [
	{ about: 'connection', isConnected: true, status: 'CONNECTED' },
];
