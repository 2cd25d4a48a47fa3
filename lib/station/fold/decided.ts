/** What is said of sessions that are over: it is not kept, nor added again when it is read again. */
import { CLOSING_MS, MINUTE_MS, REPEATED_MS, RESPONSE_MS } from '../common/settings';
import type {
	NamedStart,
	Sessions,
	SessionMeter,
	SessionStart,
	SessionStop,
} from '../common/state';
import { evseOf, NO_TRANSACTION } from '../facts/values';
import type { Clock } from './registers';

/** Whether two places can be the same one: an EVSE without a connector is each of its connectors, and no place is any. */
export const mayBeSame = (a: string | undefined, b: string | undefined): boolean =>
	a === undefined || b === undefined || a === b || evseOf(a) === b || a === evseOf(b);

/** By both clocks, unless the first one was sent late: a clock that was set back does not make the session before a later one. */
export function isLater(one: Clock, than: Clock): boolean {
	const isSentLate = than.t - than.at > MINUTE_MS && one.at - one.t <= MINUTE_MS;
	return one.at > than.at && (one.t >= than.t || isSentLate);
}

/** Whether the session may have begun after that one: not if it was over before the start of that one was sent. */
export function mayFollow(one: SessionStart, before: SessionStart): boolean {
	const { over = Infinity, unended } = one;
	return isLater(one, before) && (unended === true || over >= before.t);
}

/** Whether what has the message ID of the start is a response to it: without a transaction, only one that comes at once. */
export const isResponse = (
	{ tx, t, last = t }: NamedStart,
	{ t: sentAt, last: sentLast = sentAt }: SessionStart,
): boolean =>
	tx !== NO_TRANSACTION || (sentAt <= last + RESPONSE_MS && t <= sentLast + RESPONSE_MS);

/** Whether the service refused a start: it ends no session, except another refused one. */
function refusals({ named }: Sessions): (start: SessionStart) => boolean {
	let answers: Map<string, NamedStart[]> | undefined;
	return (start) => {
		answers ??= Map.groupBy(named, ({ message }) => message);
		const own = start.messages
			.flatMap((message) => answers?.get(message) ?? [])
			.filter((one) => isResponse(one, start));
		return own.length > 0 && own.every(({ refused }) => refused);
	};
}

/**
 * Whether what was said at that time is of a session that is over. What names no transaction is that of the
 * session that its EVSE has: most is of stations that do not charge.
 */
export function isMeterDecided(
	sessions: Sessions,
	{ tx, connector }: Pick<SessionMeter, 'tx' | 'connector'>,
	time: Clock,
): boolean {
	const { at } = time;
	const starts = sessions.starts.filter((one) => mayBeSame(one.connector, connector));
	if (tx === undefined) {
		const begun = starts.filter((one) => one.at <= at);
		const isRefused = refusals(sessions);
		const isFollowed = (start: SessionStart) =>
			start.connector !== undefined &&
			begun.some(
				(one) =>
					one.connector !== undefined &&
					mayFollow(one, start) &&
					(!isRefused(one) || isRefused(start)),
			);
		// One that is sent again after its session can be that of another one.
		const isOpen = ({ t, last = t, over = -Infinity }: SessionStart) => last > over;
		return !begun.some((start) => isOpen(start) && !isFollowed(start));
	}
	const responses = new Set(sessions.named.flatMap((one) => (one.tx === tx ? one.message : [])));
	const own = starts
		.filter(
			(one) =>
				[one.tx, one.name].includes(tx) || one.messages.some((message) => responses.has(message)),
		)
		.sort((a, b) => a.at - b.at);
	const start = own.findLast((one) => one.at <= at) ?? own[0];
	if (start !== undefined && start.over === undefined) return false;
	return start?.unended === true || isOfEnded(sessions.stops, tx, time);
}

/**
 * Whether it is of a session whose stop is told: later, it is of another one that uses the ID again. What has no time of its
 * own can be sent again as long as a stop can.
 */
export const isOfEnded = (stops: readonly SessionStop[], tx: string, said: Clock): boolean =>
	stops.some((one) => one.told && one.tx === tx && isUpTo(one, said, REPEATED_MS));

/**
 * Whether what has the ID of the stop was said before it, or is the last of that session: that can come so much later, with no
 * time of its own.
 */
export const isUpTo = (
	stop: Clock,
	{ at, t, undated = false }: Clock,
	lateMs = RESPONSE_MS,
): boolean => t <= stop.t || at <= stop.at + CLOSING_MS || (undated && t <= stop.t + lateMs);
