/** Which meter values are of sessions that have been reported: they are not kept, nor added again when they are read again. */
import type { Sessions, SessionMeter, SessionTransaction } from '../common/state';

/**
 * Those of a connector, at that time of the station; `unknown` is what counts without a start and a stop. What names a
 * transaction after the session was reported may be of the next one, whose start is missing.
 */
export function isMeterDecided(
	{ starts, stops }: Sessions,
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
	return unknown || stops.some((stop) => stop.tx === tx && stop.reported && at <= stop.at);
}

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
	return before.some(({ reported }) => reported);
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
