/** The item of a charging session, once it is decided what belongs to the session. */
import { incidentId, isoOf, minutesOf, type Owner } from '../common/incident';
import { limitIn, type LimitOf } from '../common/limits';
import { CLOSING_MS, SESSION_WAIT_MS, type StationSettings } from '../common/settings';
import type {
	Register,
	ReportEntry,
	SessionMeter,
	SessionStart,
	SessionStop,
} from '../common/state';
import { evseOf, isTransaction, NO_TRANSACTION, sentId } from '../facts/values';
import { isOfEnded, isUpTo, mayBeSame } from '../fold/decided';
import { atOf, belongsAt, type Clock, FRACTION_MS, timeOf } from '../fold/registers';
import { energyOf } from './energy';
import type { KnownSession, KnownSessions } from './known';

/** What shows which start belongs to the stop. */
export type FoundBy = 'response' | 'transaction ID' | 'meter values' | 'order' | 'not found';

export interface SessionPlace extends Owner {
	readonly assetId: string;
	readonly watermark: number;
	/** What was due up to then has been decided, with what was known at that time. */
	readonly decidedUpTo?: number | undefined;
	/** Sessions that ended up to then are not reported. */
	readonly publishedAt: number;
	readonly settings: StationSettings;
	readonly limitOf?: LimitOf;
}

/** Of a connector, in W. */
export const limitAt = (
	{ assetId, limitOf = unlisted }: SessionPlace,
	connector: string | undefined,
): number => limitOf(assetId, connector);

const unlisted: LimitOf = (_assetId, connector) => limitIn(undefined, connector);

/** Otherwise the last register may follow the stop. */
export const hasRegister = ({ wh = 0, readings = [] }: SessionStop): boolean =>
	wh > 0 || readings.some(({ c }) => c === 'stop' || c === 'end');

/** The reason of a session whose end was never reported. */
const NOT_REPORTED = 'NotReported';
/** That of one that has not ended. */
const OPEN = 'Open';

/** A session, as it is told. */
interface Told {
	/** What its ID depends on. */
	readonly parts: readonly (string | number)[];
	readonly session: KnownSession | undefined;
	readonly stop: SessionStop | undefined;
	readonly connector: string | undefined;
	/** When the next session of its connector began. */
	readonly next?: SessionStart;
	readonly foundBy: FoundBy | null;
	/** Several sessions have its ID, and nothing shows which one it is. */
	readonly isShared?: boolean;
	/** When what shows that it is over was created. */
	readonly shownAt: number;
}

export function endedEntry(
	known: KnownSessions,
	{
		session,
		stop,
		connector,
		...found
	}: Pick<Told, 'session' | 'connector' | 'foundBy' | 'isShared'> & { readonly stop: SessionStop },
	place: SessionPlace,
): ReportEntry[] {
	const { tx, at, wh = -1, t } = stop;
	const parts = [tx, at, wh, stop.connector ?? ''];
	return [entryOf(known, { ...found, parts, session, stop, connector, shownAt: t }, place, t)];
}

/** A session without a stop is told when that is no longer waited for. */
export function unendedEntry(
	known: KnownSessions,
	session: KnownSession,
	next: SessionStart,
	place: SessionPlace,
): ReportEntry[] {
	const told = { ...openOf(session, NOT_REPORTED), next, shownAt: next.t };
	if (session.isRefused && !hasRisen(known, told, place)) return [];
	return [entryOf(known, told, place, Math.max(next.t, session.start.t) + SESSION_WAIT_MS)];
}

/** A session that has not ended. */
export interface OpenEntry extends ReportEntry {
	/** When the last message that names it was created. One that names none can be of a connector that charges nobody. */
	readonly namedAt: number;
}

/** Its energy so far. */
export function openEntry(
	known: KnownSessions,
	session: KnownSession,
	place: SessionPlace,
): OpenEntry[] {
	const told = { ...openOf(session, OPEN), shownAt: session.start.t };
	if (session.isRefused && !hasRisen(known, told, place)) return [];
	const { item, ...entry } = entryOf(known, told, place, session.start.t);
	const minutes = minutesOf(place.watermark - session.start.t);
	const namedAt = Math.max(session.start.t, ...namingIn(known, told, saidIn).map(({ t }) => t));
	return [{ ...entry, namedAt, item: { ...item, minutes, reason: null, receivedAt: null } }];
}

function openOf(session: KnownSession, as: string): Omit<Told, 'shownAt'> {
	const { connector = '', at, tx } = session.start;
	const parts = [...(tx === undefined ? [connector] : [tx]), at, as];
	return { parts, session, stop: undefined, connector: undefined, foundBy: null };
}

/** One that the service did not accept counts only if the register shows that it charged. */
const hasRisen = (known: KnownSessions, told: Told, place: SessionPlace): boolean =>
	(energyIn(known, told, place).kwh ?? 0) > 0;

function entryOf(known: KnownSessions, told: Told, place: SessionPlace, t: number): ReportEntry {
	const { assetId, settings } = place;
	const { session, stop } = told;
	const start = session?.start;
	const { from, to } = timesOf(start, stop);
	const energy = energyIn(known, told, place);
	const id = incidentId(place, 'sessionEnded', [assetId, ...told.parts]);
	const tx = stop?.tx ?? nameOf(known, session);
	const item = {
		connector: (session && known.placeOf(session, stop)) ?? told.connector ?? null,
		startedAt: isoOf(from?.at),
		stoppedAt: isoOf(to?.at),
		// Up to the last reading would be too few: when the session ended is unknown.
		minutes: from === undefined || to === undefined ? null : minutesOf(to.at - from.at),
		energyKwh: energy.kwh ?? null,
		meterStartWh: energy.startWh ?? null,
		meterStopWh: energy.stopWh ?? null,
		energyFrom: energy.from ?? null,
		transactionId: tx === undefined || tx === NO_TRANSACTION ? null : sentId(tx),
		reason: stop === undefined ? NOT_REPORTED : (stop.reason ?? null),
		startFoundBy: told.foundBy,
		receivedAt: isoOf(told.shownAt),
		id,
		kind: 'sessionEnded',
		...(settings.includeIdTag && { idTag: tagOf(known, told) ?? null }),
	};
	return { id, t, assetId, item };
}

function nameOf(known: KnownSessions, session: KnownSession | undefined): string | undefined {
	if (session === undefined) return undefined;
	const [name] = [...session.ids, ...known.namesOf(session)];
	return name;
}

/** By the station's clock, whose error cancels out, unless it was set in between: then by the service's. */
function timesOf(
	start: Clock | undefined,
	stop: Clock | undefined,
): { readonly from: Clock | undefined; readonly to: Clock | undefined } {
	const isRight = start === undefined || stop === undefined || start.at <= stop.at;
	const of = (one: Clock | undefined) => one && { at: isRight ? one.at : one.t, t: one.t };
	return { from: of(start), to: of(stop) };
}

/** Who charges: what the first message says that names anybody. */
function tagOf(known: KnownSessions, told: Told): string | undefined {
	const { session, stop } = told;
	const start = session?.start;
	const names = namesOf(known, told);
	const said = [...names]
		.flatMap((tx) => known.metersOf(tx))
		.flatMap(({ connector, who = [] }) => {
			const { from, to } = known.lifeOf(start ?? stop ?? NEVER, names, connector);
			return who.filter(({ at }) => from <= at && at < to);
		})
		.sort((a, b) => a.at - b.at);
	return start?.tag ?? said[0]?.name ?? stop?.tag;
}

/** A session has a start or a stop. */
const NEVER: Clock = { at: 0, t: 0 };

function namesOf(
	known: KnownSessions,
	{ session, stop, isShared }: Pick<Told, 'session' | 'stop' | 'isShared'>,
): Set<string> {
	if (isShared) return new Set();
	const names = session ? [...session.ids, ...known.namesOf(session)] : [];
	const own = stop !== undefined && isTransaction(stop.tx) ? [stop.tx] : [];
	return new Set([...names, ...own]);
}

/** What names the session in its life, at its place. */
function namingIn(
	known: KnownSessions,
	told: Pick<Told, 'session' | 'stop' | 'isShared'>,
	partOf: (meter: SessionMeter) => readonly Register[],
): Register[] {
	const { session, stop } = told;
	const start = session?.start;
	const place = session && known.placeOf(session, stop);
	const names = namesOf(known, told);
	const others = known.stops.filter((one) => one !== stop);
	return [...names].flatMap((tx) => {
		const isNamed = session?.ids.has(tx) === true;
		// Of a start whose clock is behind, a session before with that ID has readings of that time.
		const isBefore = ({ t }: Register) =>
			others.some((one) => one.tx === tx && t <= one.t && one.t < (start?.t ?? -Infinity));
		const isOld = (one: Register) =>
			isBefore(one) || (!isNamed && isOfEnded(others, tx, timeOf(one)));
		return known
			.metersOf(tx)
			.filter(({ connector }) => mayBeSame(connector, place))
			.flatMap((meter) => {
				const { from, to } = known.lifeOf(start ?? stop ?? NEVER, names, meter.connector);
				const isInLife = (at: number) => from <= at && at < to;
				return partOf(meter).filter(
					(one) => one.t <= known.at && isInLife(belongsAt(one)) && !isOld(one),
				);
			});
	});
}

/** The values that name the session. */
export const namingOf = (known: KnownSessions, session: KnownSession): Register[] =>
	namingIn(known, { session, stop: undefined }, ({ readings }) => readings);

const saidIn = ({ readings, said = [] }: SessionMeter): Register[] => [...readings, ...said];

function energyIn(known: KnownSessions, told: Told, at: SessionPlace) {
	const { session, stop, next } = told;
	const start = session?.start;
	const place = session && known.placeOf(session, stop);
	const { from, to = next && { at: next.at - 1, t: next.t } } = timesOf(start, stop);
	const closingMs = stop === undefined || hasRegister(stop) ? 0 : CLOSING_MS;
	const closed = (to?.at ?? Infinity) + closingMs;
	const isInTime = (one: Register) =>
		stop === undefined ||
		(one.c === 'end' ? isUpTo(stop, { ...timeOf(one), at: atOf(one) }) : belongsAt(one) <= closed);
	const named = namingIn(known, told, ({ readings }) => readings).filter(isInTime);
	const later = (session && known.nextOf(session)?.start.at) ?? Infinity;
	const isFitting = (one: Register) => {
		const at = belongsAt(one);
		if (from === undefined || one.t > known.at || at >= later) return false;
		// Of a start whose clock is behind, the session before has readings of that time.
		if (at < from.at || one.t + FRACTION_MS < from.t) return false;
		return at <= (to?.at ?? Infinity) || (one.c === 'end' && at <= closed);
	};
	// That a refused one charged is known only from what names its ID, if it has one, and no other session was there.
	const isOfOther =
		session?.isRefused === true &&
		((stop === undefined && session.ids.size > 0) || known.isRefusedBeside(session));
	// Of a session without a stop, nobody knows how long anything fits its time.
	const fitting =
		place === undefined || next !== undefined || isOfOther
			? []
			: known
					.metersOf(undefined)
					.filter(({ connector }) => connector === evseOf(place))
					.flatMap(({ readings }) => readings.filter(isFitting));
	return energyOf({
		from,
		to,
		fitting,
		limitW: limitAt(at, place),
		named: [...registersOf(start, 'start'), ...named, ...registersOf(stop, 'stop')],
	});
}

function registersOf(end: SessionStart | SessionStop | undefined, c: 'start' | 'stop'): Register[] {
	if (end === undefined) return [];
	const own = end.wh === undefined ? [] : [{ t: end.t, d: end.at - end.t, wh: end.wh, c }];
	return [...own, ...(end.readings ?? [])];
}
