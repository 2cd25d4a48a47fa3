/** What is known of a station's sessions at a time: their starts, each with its IDs, the stops, and what readings name. */
import { CLOSING_MS, LATE_STOP_MS, REPEATED_MS, RESPONSE_MS } from '../common/settings';
import type {
	NamedStart,
	Sessions,
	SessionMeter,
	SessionStart,
	SessionStop,
} from '../common/state';
import { evseOf, isTransaction } from '../facts/values';
import { isLater, isOfEnded, isUpTo, mayBeSame } from '../fold/decided';
import { belongsAt, type Clock } from '../fold/registers';

/** Messages that a station sends one after the other can get times in another order, so far apart. */
const SWAPPED_MS = 5_000;

/** A start, with those that repeat it. */
export interface KnownSession {
	/** The first one by the station's clock. */
	start: SessionStart;
	readonly starts: SessionStart[];
	/** From the responses, or its own one. */
	readonly ids: Set<string>;
	/** Whether the service said which transaction it is, and that it did not accept it. */
	isAnswered: boolean;
	isRefused: boolean;
}

export const isOver = ({ start }: KnownSession): boolean => start.over !== undefined;

interface Naming extends Clock {
	readonly connector: string;
}

/** Grows with the messages, in the order in which they were created. */
export class KnownSessions {
	/** Everything that was created up to then has been added. */
	at = -Infinity;
	readonly sessions: KnownSession[] = [];
	readonly stops: SessionStop[] = [];
	/** Responses whose start is missing. */
	readonly #orphans: NamedStart[] = [];
	readonly #meters: readonly SessionMeter[];
	/** By transaction: there can be thousands. */
	readonly #metersOf: ReadonlyMap<string | undefined, SessionMeter[]>;
	readonly #stopsOf = new Map<string, SessionStop[]>();
	readonly #answered: number;

	constructor({ metered, answered = Infinity }: Sessions) {
		this.#meters = metered;
		this.#metersOf = Map.groupBy(metered, ({ tx }) => tx);
		this.#answered = answered;
	}

	/** Whether a start of the station was ever answered: its stops name their sessions. */
	get isAnswered(): boolean {
		return this.#answered <= this.at;
	}

	addStart(start: SessionStart): void {
		const ids = new Set([start.tx].filter((id) => id !== undefined));
		const isAnswered = start.tx !== undefined;
		const session = { start, starts: [start], ids, isAnswered, isRefused: false };
		this.sessions.push(session);
		// The clock of the service can put a response just before its start.
		const own = this.#orphans.filter(
			({ message, t }) => start.messages.includes(message) && start.t <= t + RESPONSE_MS,
		);
		for (const response of own) {
			this.#orphans.splice(this.#orphans.indexOf(response), 1);
			answer(session, response);
		}
		this.#unite(session);
	}

	/** A station that boots may begin its message IDs again: a response is that to the last start before it. */
	addResponse(response: NamedStart): void {
		const session = this.sessions.findLast(({ starts }) =>
			starts.some(({ messages }) => messages.includes(response.message)),
		);
		if (session === undefined) {
			this.#orphans.push(response);
			return;
		}
		answer(session, response);
		this.#unite(session);
	}

	addStop(stop: SessionStop): void {
		this.stops.push(stop);
		const same = this.#stopsOf.get(stop.tx);
		if (same === undefined) this.#stopsOf.set(stop.tx, [stop]);
		else same.push(stop);
	}

	/** Those that name the transaction so, or name nothing in the same way. */
	stopsOf(tx: string): readonly SessionStop[] {
		return this.#stopsOf.get(tx) ?? [];
	}

	/** The session of the start is over, and keeps the ID that readings gave it. */
	nameStart(start: SessionStart): void {
		const session = this.sessions.find(({ starts }) => starts.includes(start));
		if (session !== undefined && start.name !== undefined) session.ids.add(start.name);
	}

	/** Whether a start or readings name the transaction. */
	isNamed(tx: string): boolean {
		return this.#metersOf.has(tx) || this.sessions.some(({ ids }) => ids.has(tx));
	}

	/** The start that is sent again with another time: it has the same ID and register, and no stop came in between. */
	#unite(session: KnownSession): void {
		const { start, ids } = session;
		if ((start.wh ?? 0) <= 0) return;
		const isStopped = (from: number, to: number) =>
			this.stops.some(({ tx, at }) => ids.has(tx) && from <= at && at <= to);
		const known = this.sessions.find(
			(other) =>
				other !== session &&
				other.start.connector === start.connector &&
				other.start.wh === start.wh &&
				[...ids].some((id) => other.ids.has(id)) &&
				!isStopped(Math.min(other.start.at, start.at), Math.max(other.start.at, start.at)),
		);
		if (known === undefined) return;
		this.sessions.splice(this.sessions.indexOf(session), 1);
		known.starts.push(...session.starts);
		for (const id of ids) known.ids.add(id);
		const { over, unended } = known.start;
		if (over !== undefined) Object.assign(start, { over, ...(unended && { unended }) });
		if (start.at < known.start.at) known.start = start;
	}

	/** Those that have this ID and had begun by then, unless they have been over for so long that it is used again. */
	withId(tx: string, { at, t }: Clock): KnownSession[] {
		return this.sessions.filter(({ start, ids }) => {
			const { over = Infinity, unended } = start;
			const isForgotten = t > over + (unended ? LATE_STOP_MS : REPEATED_MS);
			return ids.has(tx) && !isForgotten && (start.at <= at || start.t <= t);
		});
	}

	/** Whether another session has the ID by then: one whose stop was told may share it with a later one. */
	#hasOwner(tx: string, by: Clock): boolean {
		return this.withId(tx, by).some((one) => !isOver(one) || one.start.unended === true);
	}

	/** What is said of a transaction, or outside of any. */
	metersOf(tx: string | undefined): SessionMeter[] {
		return (this.#metersOf.get(tx) ?? []).filter((one) => one.t <= this.at);
	}

	/** Where the session is: what its messages name, the first one that names a connector. */
	placeOf({ start, ids }: KnownSession, stop?: SessionStop): string | undefined {
		if (start.tx === undefined || start.connector?.includes('/')) return start.connector;
		const isOwn = ({ connector, at, until }: SessionMeter) => {
			const { from, to } = this.lifeOf(start, ids, connector);
			return (from <= at && at < to) || (from <= until && until < to);
		};
		const said = this.metersOf(start.tx).filter(isOwn);
		const places = said.sort((a, b) => a.at - b.at).map(({ connector }) => connector);
		return firstOf([start.connector, ...places, stop?.connector]);
	}

	/** When what names its ID there belongs to the session: stations use IDs again, and connectors have the same ones. */
	lifeOf(
		{ at, t }: Clock,
		ids: ReadonlySet<string>,
		connector: string | undefined,
	): { readonly from: number; readonly to: number } {
		const others = this.sessions.filter(
			(one) => [...ids].some((id) => one.ids.has(id)) && mayBeSame(one.start.connector, connector),
		);
		const begun = others.map(({ start }) => start.at);
		// What was said since those before it are over is its own, also before its start.
		const ends = [
			...this.stops
				.filter((stop) => ids.has(stop.tx) && stop.at < at && stop.t < t)
				.map((stop) => stop.at + CLOSING_MS),
			...others
				.filter(({ start }) => start.at < at)
				.map(({ start: { over = at, unended } }) => (unended ? at : over + CLOSING_MS)),
		];
		return {
			from: Math.min(at, Math.max(-Infinity, ...ends)),
			to: Math.min(...begun.filter((one) => one > at)),
		};
	}

	/** The next session of its connector, by both clocks. */
	nextOf(session: KnownSession): KnownSession | undefined {
		const place = this.placeOf(session);
		return this.sessions
			.filter((one) => isLater(one.start, session.start) && this.#isAt(one, session, place))
			.reduce<KnownSession | undefined>(
				(first, one) => (first === undefined || one.start.at < first.start.at ? one : first),
				undefined,
			);
	}

	/** What names no place shows only that a session of its own ID is over. */
	#isAt(one: KnownSession, session: KnownSession, place: string | undefined): boolean {
		const other = this.placeOf(one);
		if (place !== undefined && other !== undefined) return mayBeSame(place, other);
		return [...session.ids].some((id) => one.ids.has(id));
	}

	/** Whether the session was that of its connector when the stop says, by the clock of the station or of the service. */
	isCurrent(session: KnownSession, stop: SessionStop): boolean {
		const next = this.nextOf(session)?.start;
		return (['at', 't'] as const).some(
			(clock) => session.start[clock] <= stop[clock] && stop[clock] <= (next?.[clock] ?? Infinity),
		);
	}

	/**
	 * The session that readings name so: the one that its connector had when they first did, if its start has no response. What a
	 * response to a missing start names is of that one.
	 */
	namedBy(tx: string, stop?: SessionStop): KnownSession | undefined {
		if (!isTransaction(tx) || this.isOrphan(tx)) return undefined;
		const found = new Set(
			this.namingsOf(tx, stop).flatMap((one) => this.#begunWith(tx, one) ?? []),
		);
		return found.size === 1 ? [...found][0] : undefined;
	}

	/** Where and when readings first named a transaction: after the stops that were told of it, and up to this one. */
	namingsOf(tx: string, stop?: SessionStop): Naming[] {
		const ended = this.stopsOf(tx).filter((one) => one !== stop);
		const isNews = (one: Clock) =>
			one.t <= this.at && !isOfEnded(ended, tx, one) && (stop === undefined || isUpTo(stop, one));
		return this.metersOf(tx).flatMap(({ connector, at, t, readings }) => {
			const said = readings.map((one) => ({ at: belongsAt(one), t: one.t }));
			const first = [{ at, t }, ...said].find(isNews);
			return connector === undefined || first === undefined ? [] : [{ connector, ...first }];
		});
	}

	#begunWith(tx: string, { connector, ...first }: Naming): KnownSession | undefined {
		const { at, t } = first;
		if (this.#hasOwner(tx, first)) return undefined;
		const here = this.sessions.filter(({ start }) => start.connector === connector);
		const [session, other] = [
			latest(here, 'at', at),
			// The service can put the first reading just before its start.
			latest(here, 't', t + SWAPPED_MS),
		];
		if (session === undefined || session !== other || session.isAnswered) return undefined;
		const { start } = session;
		if (start.over !== undefined && start.over < t) return undefined;
		const isBetween = (stop: SessionStop) =>
			stop.tx !== tx && start.at <= stop.at && stop.at <= at && this.mayEnd(stop, session);
		return this.stops.some(isBetween) ? undefined : session;
	}

	/** What readings name the session. */
	namesOf(session: KnownSession): string[] {
		const { start, isAnswered } = session;
		if (isAnswered) return [];
		return this.#meters
			.filter(
				({ tx, connector, t }) => tx !== undefined && connector === start.connector && t <= this.at,
			)
			.sort((a, b) => a.at - b.at)
			.flatMap(({ tx = '' }) => (this.namedBy(tx) === session ? [tx] : []));
	}

	/** Whether a response names the transaction, and its start is missing. */
	isOrphan(tx: string): boolean {
		return this.#orphans.some((one) => one.tx === tx);
	}

	/** Whether a stop without a start may be that of the session, though nothing shows it. */
	mayEnd(stop: SessionStop, { start, ids, isAnswered }: KnownSession): boolean {
		const { tx, found, connector } = stop;
		if (found || !mayBeSame(connector, start.connector)) return false;
		if (ids.has(tx) || !isTransaction(tx)) return true;
		if (isAnswered || this.#hasOwner(tx, stop) || this.isOrphan(tx)) return false;
		const said = this.namingsOf(tx, stop);
		const isHere = ({ connector: place, at, t }: Naming) =>
			mayBeSame(place, start.connector) && (at >= start.at || t + RESPONSE_MS >= start.t);
		return said.length === 0 || said.some(isHere);
	}
}

/** The one that began last by then. */
export const latest = (sessions: readonly KnownSession[], clock: 'at' | 't', time: number) =>
	sessions
		.filter(({ start }) => start[clock] <= time)
		.reduce<KnownSession | undefined>(
			(last, one) => (last === undefined || one.start[clock] >= last.start[clock] ? one : last),
			undefined,
		);

function answer(session: KnownSession, { tx, refused = false }: NamedStart): void {
	if (isTransaction(tx)) session.ids.add(tx);
	session.isRefused = refused && (session.isRefused || !session.isAnswered);
	session.isAnswered = true;
}

/** What the first one says that names any; its connector, if that names the EVSE and a later one both. */
function firstOf(places: readonly (string | undefined)[]): string | undefined {
	const named = places.filter((one) => one !== undefined);
	const [first] = named;
	return named.find((one) => one !== evseOf(one) && evseOf(one) === first) ?? first;
}
