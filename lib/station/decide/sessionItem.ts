/** The item of a charging session, once it is decided what belongs to the session. */
import { incidentId, isoOf, minutesOf, type Owner } from '../common/incident';
import type { StationSettings } from '../common/settings';
import type { Register, ReportEntry } from '../common/state';
import { NO_TRANSACTION } from '../facts/values';
import { belongsAt } from '../fold/registers';
import { energyOf, type Window } from './energy';

export interface SessionPlace extends Owner {
	readonly assetId: string;
	readonly watermark: number;
	/** Sessions that ended up to then are not reported. */
	readonly publishedAt: number;
	readonly settings: StationSettings;
}

/**
 * Looks for both ends of a session, by what was created up to `known`: in this order, so that polls that come late, or miss
 * some, decide the same.
 */
export interface SessionAttempt {
	readonly known: number;
	readonly at: number;
	readonly id: string;
	readonly decide: () => ReportEntry[];
}

/** The reason of a session whose end was never reported. */
export const NOT_REPORTED = 'NotReported';
/** That of one that has not ended. */
export const OPEN = 'Open';

interface Clock {
	/** The station's time. */
	readonly at: number;
	/** The service's. */
	readonly t: number;
}

interface DecidedSession {
	/** What its ID depends on. */
	readonly parts: readonly (string | number)[];
	readonly tx: string | null;
	readonly connector: string | null;
	readonly start: Clock | undefined;
	readonly stop: (Clock & { readonly reason?: string | undefined }) | undefined;
	/** When the event was created that shows that it is over, if no stop does. */
	readonly shownAt?: number;
	readonly times: Window;
	readonly registers: readonly Register[];
	readonly foundBy: string | null;
	readonly tag: string | undefined;
}

export function entryOf(place: SessionPlace, session: DecidedSession): ReportEntry[] {
	const { assetId, settings } = place;
	const { tx, start, stop, shownAt = 0, times, registers, foundBy } = session;
	const { from, to } = times;
	const energy = energyOf(registers, times);
	const t = stop?.t ?? shownAt;
	const id = incidentId(place, 'sessionEnded', [assetId, ...session.parts]);
	const item = {
		connector: session.connector,
		startedAt: isoOf(from),
		stoppedAt: stop === undefined ? null : isoOf(to),
		// Up to the last reading would be too few: when the session ended is unknown.
		minutes: start === undefined || stop === undefined ? null : minutesOf((to ?? 0) - (from ?? 0)),
		energyKwh: energy.kwh ?? null,
		meterStartWh: energy.startWh ?? null,
		meterStopWh: energy.stopWh ?? null,
		energyFrom: energy.from ?? null,
		transactionId: tx === NO_TRANSACTION ? null : tx,
		reason: stop?.reason ?? NOT_REPORTED,
		startFoundBy: foundBy,
		receivedAt: isoOf(t),
		id,
		kind: 'sessionEnded',
		...(settings.includeIdTag && { idTag: session.tag ?? null }),
	};
	return [{ id, t, assetId, item }];
}

/** Of a session that has not ended: its energy so far. */
export function openEntry(
	place: SessionPlace,
	session: Omit<DecidedSession, 'stop' | 'times' | 'foundBy'> & { readonly start: Clock },
): ReportEntry[] {
	const { start } = session;
	const times = { from: start.at };
	return entryOf(place, {
		...{ ...session, stop: undefined, shownAt: start.t, times, foundBy: null },
	}).map(({ item, ...entry }) => {
		const minutes = minutesOf(place.watermark - start.t);
		return { ...entry, item: { ...item, minutes, reason: null, receivedAt: null } };
	});
}

/** By the station's clock, whose error cancels out, unless it was set in between. */
export function timesOf(start: Clock | undefined, stop: Clock | undefined): Window {
	const isRight = start === undefined || stop === undefined || start.at <= stop.at;
	return isRight ? { from: start?.at, to: stop?.at } : { from: start.t, to: stop.t };
}

export function isIn({ from = -Infinity, to = Infinity }: Window, register: Register): boolean {
	const at = belongsAt(register);
	return from <= at && at <= to;
}
