/** Durations, times in time zones, and the only place that reads a time of the service or a station: one without a zone is UTC everywhere. */
import { numberOf } from './values';

/** The service's `Date` header has whole seconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Of seconds from 1973 on, of milliseconds from 2001 to 2286: smaller numbers are years or counts, larger ones dates without separators. */
const SECONDS = { least: 1e8, below: 1e12 };
const MILLISECONDS = { least: 1e12, below: 1e13 };
/** In characters; no time is longer. */
const LONGEST = 64;
/**
 * ISO 8601 as it is sent: with or without separators, seconds, a fraction of any length after a point or comma, and an offset
 * of hours, with or without minutes. Each text matches in one way only.
 */
const ISO =
	/^(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))(?:(?:T|\s+)(\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?(?:\s*(Z|UTC|GMT|[+\-\u2212]\d\d(?::?\d\d)?))?)?$/i;
/** The three forms of an HTTP date begin with a weekday; one of them has no zone. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? /;
const MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const ZONE = /(?:[A-Z]|[+-]\d{4})$/i;

/**
 * Unix milliseconds of Unix seconds or milliseconds, of an ISO 8601 text, or of an HTTP date (open point: times are not
 * specified); otherwise undefined. `Date.parse` reads most of these texts too, but takes the host's zone where none is given.
 */
export function timeOf(value: unknown): number | undefined {
	const number = numberOf(value);
	if (number !== undefined) {
		if (number >= SECONDS.least && number < SECONDS.below) return Math.round(number * 1000);
		const isExact = number >= MILLISECONDS.least && number < MILLISECONDS.below;
		return isExact ? Math.round(number) : undefined;
	}
	if (typeof value !== 'string' || value.length > LONGEST) return undefined;
	const text = value.trim();
	const iso = ISO.exec(text);
	if (iso !== null) return isoTime(iso);
	if (!HTTP_DATE.test(text)) return undefined;
	const time = Date.parse(ZONE.test(text) ? text : `${text} GMT`);
	return Number.isNaN(time) ? undefined : time;
}

function isoTime(parts: RegExpExecArray): number | undefined {
	const number = (index: number) => Number(parts[index] ?? 0);
	const [year, month, day] = [number(1), number(2) || number(4), number(3) || number(5)];
	const [hour, minute, second] = [number(6), number(7), number(8)];
	// A leap second is the next minute; 24:00 is the next day.
	const isClock = hour * 60 + minute <= 24 * 60 && minute < 60 && second <= 60;
	// `Date.UTC` moves the 30th of February to March, and the years before 100 to the twentieth century.
	const isDate = year >= 100 && day >= 1 && day <= daysIn(year, month);
	const offset = offsetMinutes(parts[10] ?? 'Z');
	if (!isDate || !isClock || offset === undefined) return undefined;
	const milliseconds = Number((parts[9] ?? '').slice(0, 3).padEnd(3, '0'));
	const midnight = Date.UTC(year, month - 1, day);
	return midnight + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds;
}

/** None in a month that no year has. */
function daysIn(year: number, month: number): number {
	const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
	return month === 2 && isLeap ? 29 : (MONTHS[month - 1] ?? 0);
}

/** How far the zone is ahead of UTC. */
function offsetMinutes(zone: string): number | undefined {
	const [, sign, hours, minutes = '0'] = /^([+\-\u2212])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
	if (sign === undefined) return 0;
	const offset = Number(hours) * 60 + Number(minutes);
	if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
	return sign === '+' ? offset : -offset;
}

/**
 * A time that a user entered, in Unix milliseconds: an ISO 8601 text, a date, or an object whose value is milliseconds, such
 * as the dates of expressions. A text without an offset is in the given time zone. Undefined for everything else.
 */
export function enteredTime(value: unknown, timeZone: string): number | undefined {
	if (typeof value === 'object' && value !== null) {
		// JSON may have a field with this name.
		const time: unknown = typeof value.valueOf === 'function' ? value.valueOf() : undefined;
		return typeof time === 'number' && !Number.isNaN(time) ? time : undefined;
	}
	if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
	const time = timeOf(value);
	if (time === undefined || /[T ].*(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)\s*$/i.test(value)) return time;
	return inZone(time, timeZone);
}

/**
 * The instant at which clocks of the zone show this time, which is given as if it were UTC. Of a time that is left out when
 * clocks are set forward, as midnight is in some zones, the one as long after the change. In Unix milliseconds.
 */
export function inZone(shown: number, timeZone: string): number {
	// Twice, for the hours around a clock change.
	const near = shown - offsetMs(shown, timeZone);
	const found = shown - offsetMs(near, timeZone);
	const offset = offsetMs(found, timeZone);
	return found + offset < shown ? shown - offset : found;
}

/** How far the time zone is ahead of UTC at this time, in milliseconds. */
export function offsetMs(time: number, timeZone: string): number {
	const shown = new Date(time).toLocaleString('sv-SE', { timeZone });
	return Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(time / 1000) * 1000;
}
