/** What is said of sessions that are over: it is not kept, nor added again when it is read again. */
import { REPEATED_MS } from '../common/settings';
import type { Sessions, SessionMeter, SessionStart } from '../common/state';
import { evseOf } from '../facts/values';

/** Whether two places can be the same one: an EVSE without a connector is each of its connectors, and no place is any. */
export const mayBeSame = (a: string | undefined, b: string | undefined): boolean =>
	a === undefined || b === undefined || a === b || evseOf(a) === b || a === evseOf(b);

/** By both clocks: one that was set back does not make the session before a later one. */
export const isLater = (one: SessionStart, than: SessionStart): boolean =>
	one.at > than.at && one.t >= than.t;

type Said = Pick<SessionMeter, 'tx' | 'connector' | 't'>;

/**
 * Whether what was said at that time of the station is of a session that is over. What names no transaction is that of the
 * session that its EVSE has: most is of stations that do not charge. What names one is late for an hour after its session;
 * then it is of another one, which uses the ID again.
 */
export function isMeterDecided(sessions: Sessions, said: Said, at: number): boolean {
	const { tx, connector, t } = said;
	const starts = sessions.starts.filter((one) => mayBeSame(one.connector, connector));
	if (tx === undefined) {
		const begun = starts.filter((one) => one.at <= at);
		const isFollowed = (start: SessionStart) =>
			start.connector !== undefined &&
			begun.some((one) => one.connector !== undefined && isLater(one, start));
		return !begun.some((start) => start.over === undefined && !isFollowed(start));
	}
	const isOver = (over: number) => t <= over + REPEATED_MS;
	const responses = new Set(sessions.named.flatMap((one) => (one.tx === tx ? one.message : [])));
	const own = starts
		.filter(
			(one) =>
				[one.tx, one.name].includes(tx) || one.messages.some((message) => responses.has(message)),
		)
		.sort((a, b) => a.at - b.at);
	const start = own.findLast((one) => one.at <= at) ?? own[0];
	if (start !== undefined) return start.over !== undefined && isOver(start.over);
	return sessions.stops.some((stop) => stop.told && stop.tx === tx && isOver(stop.t));
}
