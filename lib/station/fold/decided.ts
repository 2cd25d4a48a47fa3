/** Which meter values are of sessions that have been reported: they are not kept, nor added again when they are read again. */
import type { Sessions, SessionMeter, SessionTransaction } from '../common/state';
import { evseOf } from '../facts/values';

/**
 * Those of a connector, at that time of the station; `unknown` is what counts without a start and a stop. What names a
 * transaction after the session was reported may be of the next one, whose start is missing.
 */
export function isMeterDecided(
	{ starts, stops, transactions }: Sessions,
	{ tx, connector, t }: Pick<SessionMeter, 'tx' | 'connector' | 't'>,
	at: number,
	unknown: boolean,
): boolean {
	const begun = starts.filter((one) => one.connector === connector && one.at <= at);
	const start = latest(begun, at);
	const isBefore = tx === undefined || t <= (start?.used ?? Infinity);
	// A clock that was set back makes the last start one of before.
	const last = begun.toSorted((a, b) => a.t - b.t).at(-1);
	if (start !== undefined && isBefore) return start.used !== undefined && last?.used !== undefined;
	if (unknown && tx === undefined && transactions.some((one) => isOpenAt(one, connector, at)))
		return false;
	return unknown || stops.some((stop) => stop.tx === tx && stop.reported && at <= stop.at);
}

/** Whether an EVSE can be that of a transaction: one that names none so far can be at any. */
export function mayBeAt({ where, starts }: SessionTransaction, evse: string): boolean {
	const named = [...where.map(({ name }) => name), ...starts.map(({ connector }) => connector)];
	const known = named.filter((one) => one !== undefined);
	return known.length === 0 ? starts.length > 0 : known.some((one) => evseOf(one) === evse);
}

/** Whether a session of OCPP 2.0.1 is not decided that had begun by then, and can be at that EVSE. */
const isOpenAt = (transaction: SessionTransaction, evse: string, time: number): boolean =>
	transaction.starts.some(({ at, done }) => !done && at <= time) && mayBeAt(transaction, evse);

export function isTransactionDecided(
	{ starts, ends }: Pick<SessionTransaction, 'starts' | 'ends'>,
	at: number,
): boolean {
	const start = latest(starts, at);
	if (start !== undefined) return start.done === true;
	const next = Math.min(...starts.map((one) => one.at));
	const before = ends.filter(({ at: end }) => at <= end && end < next);
	// Without an end in between, it is of the first session, though its time is before the start.
	if (before.length === 0) return starts.some((one) => one.at === next && one.done);
	// One that is sent again, by a clock that is not set, is known before the session is decided.
	return before.every(({ reported }) => reported);
}

function latest<T extends { readonly at: number }>(
	all: readonly T[],
	until: number,
): T | undefined {
	return all
		.filter(({ at }) => at <= until)
		.reduce<T | undefined>(
			(last, one) => (one.at > (last?.at ?? -Infinity) ? one : last),
			undefined,
		);
}
