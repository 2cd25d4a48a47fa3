/** Reads fields of OCPP messages: tolerant of wrong types, of numbers as text, and of times that are missing or absurd. */
import { timeOf } from '../../shared/time';
import { numberOf, textOf } from '../../shared/values';

/** Longer texts are cut: the state of a station is small. */
const LONGEST_TEXT = 100;
/** Before that, no station spoke OCPP: its clock was not set. */
const EARLIEST = Date.UTC(2010, 0, 1);

/** Trimmed, and cut after 100 characters; undefined for no text, and for an empty one. */
export function text(value: unknown): string | undefined {
	const found = textOf(value)?.trim().slice(0, LONGEST_TEXT);
	return found === '' ? undefined : found;
}

/** A time of the station in Unix milliseconds; undefined if there is none, or if its clock was not set. */
export function stationTime(value: unknown): number | undefined {
	const at = timeOf(value);
	return at === undefined || at < EARLIEST ? undefined : at;
}

/** A station that got no response to its start uses -1 (errata of OCPP 1.6, 3.18), 0 or a negative number: these name no transaction. */
export const isTransaction = (id: string): boolean => !/^(0|-\d+)?$/.test(id);
/**
 * The ID of a transaction of OCPP 2.0.1, as it is kept: that is the station's own text, and never names a session of OCPP 1.6,
 * whose ID is a number from the service. In quotes if it looks like one.
 */
export const ownId = (id: string): string =>
	isTransaction(id) && /^\d+$/.test(id) ? `"${id}"` : id;
/** As its messages name it. */
export const sentId = (id: string): string => id.replace(/^"(\d+)"$/, '$1');
/** The ID of a stop that has none. */
export const NO_TRANSACTION = '';

/** The text of a whole number that is not negative, such as a connector. */
export function ordinal(value: unknown): string | undefined {
	const number = numberOf(value);
	return number !== undefined && Number.isSafeInteger(number) && number >= 0
		? String(number)
		: undefined;
}

/** A connector of OCPP 2.0.1, such as `1/2` for EVSE 1 and connector 2; `1` if only the EVSE is known. */
export function connectorOf(evse: unknown, connector: unknown): string | undefined {
	const [of, number] = [ordinal(evse), ordinal(connector)];
	if (of === undefined) return undefined;
	return number === undefined ? of : `${of}/${number}`;
}

/** The EVSE of a connector of OCPP 2.0.1. */
export const evseOf = (connector: string): string => connector.split('/')[0] ?? connector;

/** The elements of a list; a single object counts as a list of it. */
export function elements(value: unknown): readonly unknown[] {
	if (Array.isArray(value)) return value;
	return typeof value === 'object' && value !== null ? [value] : [];
}
