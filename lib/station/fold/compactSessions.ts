/** Removes the parts of a station's sessions that no session to come can need. */
import {
	LATE_STOP_MS,
	LATEST_MS,
	MOST_REPORTS,
	MOST_TOLD,
	REPEATED_MS,
	RESPONSE_MS,
	SESSION_WAIT_MS,
	START_WAIT_MS,
	type StationSettings,
	UNMATCHED_MS,
} from '../common/settings';
import type {
	NamedStart,
	Register,
	Sessions,
	SessionMeter,
	SessionStart,
	SessionStop,
} from '../common/state';
import { NO_TRANSACTION } from '../facts/values';
import { isMeterDecided, isResponse, mayBeSame } from './decided';
import { thinned, timeOf, timesOf } from './registers';
import { lastOf } from './sessions';

export function compactSessions(
	sessions: Sessions,
	watermark: number,
	{ includeIdTag = false, mostParts }: StationSettings,
): void {
	/** What is older is not read again. */
	const cut = watermark - LATEST_MS;
	const isOpen = (t: number) => t >= watermark - UNMATCHED_MS;
	/** What is decided at the end of that time still knows it. */
	const rememberedFrom = (ms: number) => watermark - ms - SESSION_WAIT_MS;
	// A stop may be sent again, and what shows that a reading is of its session, when that is read for the last time; one without a
	// start, or a session without a stop, may find it late.
	const isStopKept = (stop: SessionStop) =>
		stop.told
			? lastOf(stop) >= rememberedFrom(stop.found ? REPEATED_MS + LATEST_MS : LATE_STOP_MS)
			: isOpen(stop.t);
	const isStartKept = (start: SessionStart) =>
		lastOf(start) >= cut ||
		(start.over === undefined
			? isOpen(start.t)
			: start.over >= rememberedFrom(start.unended ? LATE_STOP_MS : REPEATED_MS));
	const { starts, stops } = sessions;
	const before = { ...sessions };
	sessions.starts = starts.filter(isStartKept);
	sessions.stops = stops.filter(isStopKept);
	const left = new Set(sessions.starts);
	const kept = new Set(sessions.stops);
	const gone = stops.filter((stop) => !kept.has(stop));
	const startsOf = startsByMessage(starts);
	// A response is of no use without its start, unless that may still be listed or its stop is to come.
	sessions.named = sessions.named.filter((one) => {
		const { t, last = t, tx } = one;
		const start = startOf(startsOf.get(one.message) ?? [], one);
		if (start !== undefined) return left.has(start);
		if (tx === NO_TRANSACTION) return last >= cut;
		return last >= cut || (isOpen(t) && !gone.some((stop) => stop.tx === tx && last <= stop.t));
	});
	sessions.metered = sessions.metered.flatMap((meter) => compacted(meter, before, watermark));
	// Only whether it comes again matters.
	for (const stop of sessions.stops) {
		if (!stop.told) continue;
		delete stop.readings;
		delete stop.reason;
		delete stop.tag;
		if (stop.found) delete stop.named;
	}
	for (const start of sessions.starts) if (start.over !== undefined) delete start.readings;
	for (const all of [sessions.starts, sessions.named, sessions.metered, sessions.stops]) {
		all.splice(0, all.length - (mostParts ?? MOST_REPORTS));
	}
	if (mostParts === undefined) {
		const recent = sessions.told.filter(({ t }) => t >= rememberedFrom(LATE_STOP_MS));
		sessions.told = recent.slice(-MOST_TOLD);
	}
	if (includeIdTag) return;
	for (const one of [...sessions.starts, ...sessions.stops]) delete one.tag;
	for (const one of sessions.metered) delete one.who;
}

function startsByMessage(starts: readonly SessionStart[]): Map<string, SessionStart[]> {
	const found = new Map<string, SessionStart[]>();
	for (const start of starts) {
		for (const message of start.messages) {
			const known = found.get(message);
			if (known === undefined) found.set(message, [start]);
			else known.push(start);
		}
	}
	return found;
}

/** A station that boots may begin its message IDs again: of those with its ID, a response is that to the last start before it. */
function startOf(asked: readonly SessionStart[], response: NamedStart): SessionStart | undefined {
	const { t, last = t } = response;
	const own = asked.filter((one) => isResponse(response, one));
	return own.findLast((one) => one.t <= last) ?? own.find((one) => one.t <= t + RESPONSE_MS);
}

/** Without what is decided; of the rest, the first and the last reading of each half hour, once others are too late. */
function compacted(meter: SessionMeter, before: Sessions, watermark: number): SessionMeter[] {
	const isLeft = (one: Register) =>
		one.t >= watermark - UNMATCHED_MS && !isMeterDecided(before, meter, timeOf(one));
	const begun = before.starts.filter(({ connector }) => mayBeSame(connector, meter.connector));
	const spanOf = (time: number) => begun.filter((start) => start.at <= time).length;
	const bounds = { settled: watermark - START_WAIT_MS, cut: watermark - LATEST_MS, spanOf };
	const left = (some: readonly Register[]) => thinned(some.filter(isLeft), bounds);
	const readings = left(meter.readings);
	const said = left(meter.said ?? []);
	const times = timesOf({ readings, said });
	const [first] = times;
	if (first === undefined) return [];
	const { who, said: _said, ...others } = meter;
	const named = who?.filter(({ at }) => at >= first.at);
	return [
		{
			...{ ...others, readings, t: Math.min(...times.map(({ t }) => t)) },
			...(said.length > 0 && { said }),
			...(named && { who: named }),
		},
	];
}
