/**
 * What is known of sessions that were told for longer than their messages are kept: a few characters of each. They show a start or
 * a stop that is sent again hours later, whatever came between, and whatever ID it has then.
 */
import { createHash } from 'node:crypto';
import { countBefore } from '../../shared/sorted';
import { MINUTE_MS, REPEATED_MS, STATION_AHEAD_MS } from '../common/settings';
import type { SessionStart, SessionStop, ToldSession } from '../common/state';

type SentStart = Pick<SessionStart, 't' | 'at' | 'connector' | 'wh' | 'tx'>;
type SentStop = Pick<SessionStop, 't' | 'at' | 'wh' | 'tx'>;

/** Of a start or a stop that is not known. */
const NO_MARK = '.....';

const markOf = (...values: readonly unknown[]): string =>
	createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, NO_MARK.length);

const startMark = ({ at, connector = '', wh, tx = '' }: SentStart): string =>
	markOf(at, connector, wh ?? null, tx);

/** The service gives a start that is sent again another ID, which its stop then has: of OCPP 1.6, the register counts. */
const stopMark = ({ at, wh = 0, tx }: SentStop): string =>
	markOf(at, wh, wh > 0 && /^-?\d*$/.test(tx) ? '' : tx);

/** `at`: by when it was told. */
export function remember(
	told: ToldSession[],
	at: number,
	{ start, stop }: { readonly start?: SentStart | undefined; readonly stop?: SentStop | undefined },
): void {
	const next = {
		t: at - (at % MINUTE_MS),
		start: start ? startMark(start) : NO_MARK,
		stop: stop ? stopMark(stop) : NO_MARK,
	};
	// The same in whatever order they are told.
	const isUpTo = (one: ToldSession) =>
		one.t < next.t || (one.t === next.t && textOf(one) <= textOf(next));
	told.splice(told.findLastIndex(isUpTo) + 1, 0, next);
}

const textOf = ({ start, stop }: ToldSession): string => start + stop;

/** Those before which the message was sent by its own time, over an hour ago: what is sent again before that is known from its session. */
function before(told: readonly ToldSession[], { t, at }: SentStart | SentStop): ToldSession[] {
	if (t - at <= REPEATED_MS - STATION_AHEAD_MS) return [];
	const toldBefore = (time: number) =>
		countBefore(told.length, (n) => (told[n]?.t ?? Infinity) < time);
	return told.slice(toldBefore(at - STATION_AHEAD_MS), toldBefore(t - REPEATED_MS));
}

export function isStartAgain(told: readonly ToldSession[], start: SentStart): boolean {
	const some = before(told, start);
	if (some.length === 0) return false;
	const mark = startMark(start);
	return some.some((one) => one.start === mark);
}

export function isStopAgain(told: readonly ToldSession[], stop: SentStop): boolean {
	const some = before(told, stop);
	if (some.length === 0) return false;
	const mark = stopMark(stop);
	return some.some((one) => one.stop === mark);
}
