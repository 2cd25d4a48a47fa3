/** Whether a station is connected: events of the service about it, and the station's own message after a start. */
import { SERVICE_INTERFACE } from '../../service';
import { asTexts, valueAt } from '../../shared/values';
import type { StationSettings } from '../common/settings';
import type { Connection, MessageReader, UnknownWord } from './types';
import { text } from './values';

export type ConnectionSettings = Pick<
	StationSettings,
	'connectedWords' | 'disconnectedWords' | 'connectionPath'
>;

const LONGEST_WORD = 40;

/** `CONNECTION_LOST` and `Connection lost` are the same word. */
const plain = (word: string): string => word.toLowerCase().replace(/[\s_-]+/g, '');

/** From the fields of the credential's Service Interface. */
export function connectionSettings({
	connectedWords,
	disconnectedWords,
	connectionPath,
}: Readonly<Record<keyof ConnectionSettings, string>>): ConnectionSettings {
	return {
		connectedWords: asTexts(connectedWords).map(plain),
		disconnectedWords: asTexts(disconnectedWords).map(plain),
		connectionPath,
	};
}

export const DEFAULT_CONNECTION = connectionSettings(SERVICE_INTERFACE);

/** From the `data` of an `asset.connectivity` event; undefined if it has no status. */
export function readConnectivity(
	data: Readonly<Record<string, unknown>>,
	{ connectedWords, disconnectedWords, connectionPath }: ConnectionSettings,
): Connection[] | UnknownWord | undefined {
	const status = text(valueAt(data, connectionPath));
	if (status === undefined) return undefined;
	const isConnected = connectedWords.includes(plain(status));
	if (!isConnected && !disconnectedWords.includes(plain(status))) {
		return { unknownWord: status.slice(0, LONGEST_WORD) };
	}
	return [{ about: 'connection', isConnected, status }];
}

/** A station that sends a BootNotification is connected, in every version of OCPP. One that the service asked for says nothing else. */
export const readBoot: MessageReader = ({ payload, messageId }) => {
	const connected = { about: 'connection', isConnected: true, status: 'CONNECTED' } as const;
	const reason = text(payload['reason']);
	if (reason?.toLowerCase() === 'triggered') return [connected];
	return [
		connected,
		{ about: 'boot', messageId, ...(reason !== undefined && { hasReason: true }) },
	];
};

/** A service's message that asks for a BootNotification. */
export const readTrigger: MessageReader = ({ payload }) =>
	text(payload['requestedMessage'])?.toLowerCase() === 'bootnotification'
		? [{ about: 'bootAsked' }]
		: [];

const NOT_ACCEPTED: ReadonlySet<string | undefined> = new Set(['pending', 'rejected']);

/** A response names no action: only that to a BootNotification has an interval or the service's time. */
export const readBootResponse: MessageReader = ({ payload, messageId }) => {
	const isOfBoot = (payload['interval'] ?? payload['currentTime']) !== undefined;
	if (!isOfBoot || messageId === undefined) return [];
	return NOT_ACCEPTED.has(text(payload['status'])?.toLowerCase())
		? [{ about: 'bootRefused', messageId }]
		: [];
};
