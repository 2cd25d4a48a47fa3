/** What is known of a station's sessions at a time: their starts, each with its IDs, the stops, and what readings name. */
import { countBefore } from '../../shared/sorted';
import { CLOSING_MS, LATE_STOP_MS, REPEATED_MS, RESPONSE_MS } from '../common/settings';
import type {
	NamedStart,
	Sessions,
	SessionMeter,
	SessionStart,
	SessionStop,
	ToldSession,
} from '../common/state';
import { evseOf, isTransaction } from '../facts/values';
import { isLater, isOfEnded, isResponse, isUpTo, mayBeSame, mayFollow } from '../fold/decided';
import { atOf, type Clock, timesOf } from '../fold/registers';

/** Messages that a station sends one after the other can get times in another order, so far apart. */
const SWAPPED_MS = 5_000;

/** A start, with those that repeat it. */
export interface KnownSession {
	/** In the order in which they were added. */
	readonly n: number;
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

interface Mention extends Clock {
	readonly connector: string;
}

/** Grows with the messages, in the order in which they were created. */
export class KnownSessions {
	/** Everything that was created up to then has been added. */
	at = -Infinity;
	readonly sessions: KnownSession[] = [];
	readonly stops: SessionStop[] = [];
	readonly told: ToldSession[];
	/** Responses whose start is missing. */
	readonly #orphans: NamedStart[] = [];
	readonly #meters: readonly SessionMeter[];
	/** By transaction: there can be thousands. */
	readonly #metersOf: ReadonlyMap<string | undefined, SessionMeter[]>;
	readonly #metersAt: ReadonlyMap<string | undefined, SessionMeter[]>;
	readonly #times = new Map<SessionMeter, Clock[]>();
	readonly #stopsOf = new Map<string, SessionStop[]>();
	readonly #byId = new Map<string, Set<KnownSession>>();
	readonly #byMessage = new Map<string, Set<KnownSession>>();
	/** By the EVSE that their start names, in the order of the station's time. */
	readonly #byEvse = new Map<string | undefined, KnownSession[]>();
	/** Those that are not over, by the EVSE as well. */
	readonly #open = new Map<string | undefined, Set<KnownSession>>();
	readonly #held = new Set<KnownSession>();
	readonly #refused = new Set<KnownSession>();
	readonly #sessionOf = new Map<SessionStart, KnownSession>();
	#added = 0;
	readonly #answered: number;

	constructor({ metered, told, answered = Infinity }: Sessions) {
		this.told = told;
		this.#meters = metered;
		this.#metersOf = Map.groupBy(metered, ({ tx }) => tx);
		this.#metersAt = Map.groupBy(metered, ({ connector }) => connector);
		this.#answered = answered;
	}

	/** Whether a start of the station was ever answered: its stops name their sessions. */
	get isAnswered(): boolean {
		return this.#answered <= this.at;
	}

	addStart(start: SessionStart): void {
		const ids = new Set([start.tx].filter((id) => id !== undefined));
		const isAnswered = start.tx !== undefined;
		const n = this.#added++;
		const session = { n, start, starts: [start], ids, isAnswered, isRefused: false };
		this.sessions.push(session);
		this.#sessionOf.set(start, session);
		this.#place(session);
		if (!isOver(session)) setOf(this.#open, evseIn(session)).add(session);
		for (const id of ids) setOf(this.#byId, id).add(session);
		for (const message of start.messages) setOf(this.#byMessage, message).add(session);
		// The clock of the service can put a response just before its start.
		const own = this.#orphans.filter(
			(one) =>
				start.messages.includes(one.message) &&
				start.t <= one.t + RESPONSE_MS &&
				isResponse(one, start),
		);
		for (const response of own) {
			this.#orphans.splice(this.#orphans.indexOf(response), 1);
			this.#answer(session, response);
		}
		this.#unite(session);
	}

	/**
	 * The start that a response is to, if it was sent after the stop of the same one, which its clock cannot tell from it: that of
	 * another session.
	 */
	startAfter({ message, tx, t, refused = false }: NamedStart): SessionStart | undefined {
		const session = this.#askedBy(message);
		if (session === undefined || refused || !isTransaction(tx) || session.ids.has(tx))
			return undefined;
		const { id, connector, wh, at, t: begunAt } = session.start;
		const isOver = [...session.ids]
			.flatMap((own) => this.stopsOf(own))
			.some((stop) => stop.at === at && begunAt <= stop.t && stop.t < t);
		return isOver ? { t, id, connector, wh, at, messages: [message] } : undefined;
	}

	/** A station that boots may begin its message IDs again: a response is that to the last start before it. */
	#askedBy(message: string): KnownSession | undefined {
		return inOrder(this.#byMessage.get(message)).at(-1);
	}

	addResponse(response: NamedStart): void {
		const session = this.#askedBy(response.message);
		if (session === undefined || !session.starts.some((one) => isResponse(response, one))) {
			this.#orphans.push(response);
			return;
		}
		this.#answer(session, response);
		this.#unite(session);
	}

	#answer(session: KnownSession, { tx, refused = false }: NamedStart): void {
		// One that is refused because another session runs can get the ID of that one.
		const isOfOther = (): boolean =>
			this.withId(tx, session.start).some(
				(one) => one !== session && !one.isRefused && !isOver(one),
			);
		if (isTransaction(tx) && !(refused && isOfOther())) this.name(session, tx);
		session.isRefused = refused && (session.isRefused || !session.isAnswered);
		session.isAnswered = true;
		if (session.isRefused) this.#refused.add(session);
		else this.#refused.delete(session);
	}

	name(session: KnownSession, id: string): void {
		session.ids.add(id);
		setOf(this.#byId, id).add(session);
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
		const session = this.#sessionOf.get(start);
		if (session !== undefined && start.name !== undefined) this.name(session, start.name);
	}

	/** Whether a start or readings name the transaction. */
	isNamed(tx: string): boolean {
		return this.#metersOf.has(tx) || this.#byId.has(tx);
	}

	/** The start that is sent again with another time: it has the same ID and register, and no stop came in between. */
	#unite(session: KnownSession): void {
		const { start, ids } = session;
		if ((start.wh ?? 0) <= 0) return;
		const isStopped = (from: number, to: number) =>
			this.stops.some(({ tx, at }) => ids.has(tx) && from <= at && at <= to);
		const known = this.#withAnyOf(ids).find(
			(other) =>
				other !== session &&
				other.start.connector === start.connector &&
				other.start.wh === start.wh &&
				!isStopped(Math.min(other.start.at, start.at), Math.max(other.start.at, start.at)),
		);
		if (known === undefined) return;
		this.sessions.splice(this.sessions.lastIndexOf(session), 1);
		this.#displace(session);
		this.#open.get(evseIn(session))?.delete(session);
		this.#refused.delete(session);
		for (const one of session.starts) {
			this.#sessionOf.set(one, known);
			for (const message of one.messages) {
				this.#byMessage.get(message)?.delete(session);
				setOf(this.#byMessage, message).add(known);
			}
		}
		known.starts.push(...session.starts);
		for (const id of ids) {
			this.#byId.get(id)?.delete(session);
			this.name(known, id);
		}
		const { over, unended, next } = known.start;
		if (over !== undefined) {
			Object.assign(start, { over, ...(unended && { unended }), ...(next && { next }) });
		}
		this.#held.add(known);
		if (start.at >= known.start.at) return;
		this.#displace(known);
		known.start = start;
		this.#place(known);
	}

	#place(session: KnownSession): void {
		const evse = evseIn(session);
		const here = this.#byEvse.get(evse) ?? [];
		this.#byEvse.set(evse, here);
		here.splice(placeIn(here, session.start.at), 0, session);
	}

	#displace(session: KnownSession): void {
		const here = this.#byEvse.get(evseIn(session)) ?? [];
		const place = here.lastIndexOf(session, placeIn(here, session.start.at));
		here.splice(place, 1);
	}

	#withAnyOf(ids: ReadonlySet<string>): KnownSession[] {
		return inOrder(new Set([...ids].flatMap((id) => [...(this.#byId.get(id) ?? [])])));
	}

	/** Those that have this ID and had begun by then, unless they have been over for so long that it is used again. */
	withId(tx: string, { at, t }: Clock): KnownSession[] {
		return inOrder(this.#byId.get(tx)).filter(({ start }) => {
			const { over = Infinity, unended } = start;
			const isForgotten = t > over + (unended ? LATE_STOP_MS : REPEATED_MS);
			return !isForgotten && (start.at <= at || start.t <= t);
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

	/** When each thing was said, as far as it is known. */
	#timesOf(meter: SessionMeter): Clock[] {
		const times = this.#times.get(meter) ?? timesOf(meter);
		this.#times.set(meter, times);
		return times.filter(({ t }) => t <= this.at);
	}

	/** Where the session is: what its messages name, the first one that names a connector. */
	placeOf({ start, ids }: KnownSession, stop?: SessionStop): string | undefined {
		if (start.tx === undefined || start.connector?.includes('/')) return start.connector;
		const places = this.metersOf(start.tx).flatMap((meter) => {
			const { connector } = meter;
			const { from, to } = this.lifeOf(start, ids, connector);
			const said = this.#timesOf(meter).find(({ at }) => from <= at && at < to);
			return said === undefined ? [] : [{ connector, at: said.at }];
		});
		const named = places.sort((a, b) => a.at - b.at).map(({ connector }) => connector);
		return firstOf([start.connector, ...named, stop?.connector]);
	}

	/** When what names its ID there belongs to the session: stations use IDs again, and connectors have the same ones. */
	lifeOf(
		{ at, t }: Clock,
		ids: ReadonlySet<string>,
		connector: string | undefined,
	): { readonly from: number; readonly to: number } {
		const others = this.#withAnyOf(ids).filter((one) => mayBeSame(one.start.connector, connector));
		const begun = others.map(({ start }) => start.at);
		// What was said since those before it are over is its own, also before its start.
		const ends = [
			...[...ids]
				.flatMap((id) => this.stopsOf(id))
				.filter((stop) => stop.at < at && stop.t < t)
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

	/** The next session of its connector, by both clocks. A start that the service refused ends only another refused one. */
	nextOf(session: KnownSession): KnownSession | undefined {
		const { start, ids } = session;
		const place = this.placeOf(session);
		const isNext = (one: KnownSession) =>
			(session.isRefused || !one.isRefused) &&
			mayFollow(one.start, start) &&
			this.#isAt(one, session, place);
		const here = place === undefined ? [] : (this.#byEvse.get(evseOf(place)) ?? []);
		let n = placeIn(here, start.at);
		while (n < here.length && !isNext(here[n] ?? session)) n += 1;
		// Where the others are is known from what is said after their start.
		const others = [...(this.#byEvse.get(undefined) ?? []), ...this.#withAnyOf(ids)].filter(isNext);
		return [...others, ...here.slice(n, n + 1)].reduce<KnownSession | undefined>(
			(first, one) => (first === undefined || isBefore(one, first) ? one : first),
			undefined,
		);
	}

	/** Whether it cannot be running: there is a next one, or the station names one that the service refused since. */
	isFollowed(session: KnownSession): boolean {
		const isNamed = ({ start: { t }, ids }: KnownSession) =>
			[...ids].some(
				(id) =>
					this.stopsOf(id).some((stop) => stop.t >= t) ||
					this.metersOf(id).some((meter) => this.#timesOf(meter).some((one) => one.t >= t)),
			);
		return (
			this.nextOf(session) !== undefined ||
			this.#refusedAfter(session).some((one) => one !== session && isNamed(one))
		);
	}

	/** Starts that the service refused while the session ran, and did not name: they are over with it. */
	refusedIn(session: KnownSession, until: number): KnownSession[] {
		if (session.isRefused) return [];
		return this.#refusedAfter(session).filter(
			(one) => one.ids.size === 0 && !isOver(one) && one.start.t <= until,
		);
	}

	#refusedAfter({ start }: KnownSession): KnownSession[] {
		return inOrder(this.#refused).filter(
			(one) => mayFollow(one.start, start) && mayBeSame(one.start.connector, start.connector),
		);
	}

	/** Whether the service refused the start while another session of its connector ran: a reading without an ID is of that one. */
	isRefusedBeside({ start, isRefused }: KnownSession): boolean {
		if (!isRefused) return false;
		const others = this.sessions.filter(
			(one) =>
				!one.isRefused &&
				mayFollow(start, one.start) &&
				mayBeSame(one.start.connector, start.connector),
		);
		const { over = Infinity, unended = false } = latest(others, 'at', start.at)?.start ?? {
			over: -Infinity,
		};
		return unended || over > start.t;
	}

	/**
	 * Those that are not over, and which the decision about this start may show to be: of its EVSE, and those that are decided by
	 * more than that.
	 */
	openWith({ connector }: SessionStart): KnownSession[] {
		const isAny = connector === undefined || this.#byEvse.has(undefined);
		const found = isAny
			? [...this.#open.values()].flatMap((some) => [...some])
			: [...this.#held, ...(this.#open.get(evseOf(connector)) ?? [])];
		return this.#stillOpen(found);
	}

	/** Those that wait for more than the next one of their connector. */
	get held(): KnownSession[] {
		return this.#stillOpen(this.#held);
	}

	#stillOpen(sessions: Iterable<KnownSession>): KnownSession[] {
		return inOrder(new Set(sessions)).filter((one) => {
			if (!isOver(one)) return true;
			this.#held.delete(one);
			this.#open.get(evseIn(one))?.delete(one);
			return false;
		});
	}

	/** The next decision about any start is about it, too. */
	hold(session: KnownSession): void {
		this.#held.add(session);
	}

	/** What names no place shows only that a session of its own ID is over. */
	#isAt(one: KnownSession, session: KnownSession, place: string | undefined): boolean {
		const other = this.placeOf(one);
		if (place !== undefined && other !== undefined) return mayBeSame(place, other);
		return [...session.ids].some((id) => one.ids.has(id));
	}

	/** Whether the session was that of its connector when the stop says, by the clock of the station or of the service. */
	isCurrent(session: KnownSession, stop: SessionStop): boolean {
		const { start } = session;
		const nexts = [this.nextOf(session)?.start, start.next].filter((one) => one !== undefined);
		return (['at', 't'] as const).some((clock) => {
			const next = Math.min(...nexts.map((one) => one[clock]));
			return start[clock] <= stop[clock] && stop[clock] <= next;
		});
	}

	/**
	 * The session that readings name so: the one that its connector had when they first did, if its start has no response. What a
	 * response to a missing start names is of that one; what readings name after another ID, of one whose start is missing.
	 */
	namedBy(tx: string, stop?: SessionStop): KnownSession | undefined {
		if (!isTransaction(tx) || this.isOrphan(tx, stop)) return undefined;
		const namings = this.namingsOf(tx, stop);
		const found = new Set(namings.flatMap((one) => this.#begunWith(tx, one) ?? []));
		const [session, ...others] = found;
		if (session === undefined || others.length > 0) return undefined;
		const here = namings.filter(({ connector }) => connector === session.start.connector);
		return here.some((one) => this.#isFirst(session, tx, one)) ? session : undefined;
	}

	/** Whether nothing names the session otherwise before: a session has one ID. */
	#isFirst(session: KnownSession, tx: string, naming: Clock): boolean {
		return session.ids.size > 0 ? session.ids.has(tx) : !this.isNamedElse(session, tx, naming);
	}

	/** Whether readings up to then may name the session otherwise, by the clock of the station or of the service. */
	isNamedElse(session: KnownSession, tx: string, by: Clock): boolean {
		const { start } = session;
		const isMeant = (one: Clock) =>
			(one.at <= by.at || one.t <= by.t) && (one.at >= start.at || one.t + SWAPPED_MS >= start.t);
		const isOther = (meter: SessionMeter) => {
			const { tx: other = '' } = meter;
			if (other === tx || !isTransaction(other) || this.isOrphan(other)) return false;
			if (!this.#timesOf(meter).some(isMeant)) return false;
			return this.namingsOf(other).some((one) => {
				if (one.connector !== start.connector || !isMeant(one)) return false;
				const begun = this.#begunWith(other, one);
				return begun === undefined ? !this.#hasOwner(other, one) : begun === session;
			});
		};
		return (this.#metersAt.get(start.connector) ?? []).some(isOther);
	}

	/** Where and when readings first named a transaction: after the stops that were told of it, and up to this one. */
	namingsOf(tx: string, stop?: SessionStop): readonly Mention[] {
		if (stop?.told && !stop.found) return stop.named ?? [];
		const ended = this.stopsOf(tx).filter((one) => one !== stop);
		const isNews = (one: Clock) =>
			!isOfEnded(ended, tx, one) && (stop === undefined || isUpTo(stop, one));
		// Once a later session has the ID, by its start, a response or a reading at its begin, what is said is about that one.
		const own = inOrder(this.#byId.get(tx));
		const next = own.filter(({ start }) => stop !== undefined && isLater(start, stop));
		const given = this.#orphans.filter((one) => one.tx === tx && stop && one.t > stop.t);
		const begun = this.metersOf(tx)
			.flatMap(({ readings }) => readings)
			.filter((one) => one.c === 'begin' && stop && isLater({ at: atOf(one), t: one.t }, stop));
		const givenAt = Math.min(...[...given, ...begun].map(({ t }) => t));
		return this.metersOf(tx).flatMap((meter) => {
			const { connector } = meter;
			const others = next.filter(({ start }) => mayBeSame(start.connector, connector));
			const first = this.#timesOf(meter).find(
				(one) =>
					isNews(one) &&
					!isOfUnended(own, meter, one) &&
					one.t < givenAt &&
					!others.some(({ start }) => !isLater(start, one)),
			);
			return connector === undefined || first === undefined ? [] : [{ connector, ...first }];
		});
	}

	#begunWith(tx: string, { connector, ...first }: Mention): KnownSession | undefined {
		const { at, t } = first;
		if (this.#hasOwner(tx, first)) return undefined;
		// What was said up to a stop is of a session that had begun when the stop was sent, whatever its clock says.
		const stopped = this.stopsOf(tx).filter((stop) => isUpTo(stop, first));
		const sentBy = Math.min(...stopped.map((stop) => stop.t)) + SWAPPED_MS;
		const here = this.sessions.filter(
			({ start }) => start.connector === connector && start.t <= sentBy,
		);
		// One that is over is forgotten some time, so it only shows that those before it are, too.
		const open = here.filter(({ start: { over = Infinity } }) => over >= t);
		const [session, other] = [
			latest(open, 'at', at),
			// The service can put the first reading just before its start.
			latest(open, 't', t + SWAPPED_MS),
		];
		if (session === undefined || session !== other || session.isAnswered) return undefined;
		const { start } = session;
		const isNext = (one: SessionStart) =>
			one.over !== undefined && mayFollow(one, start) && one.at <= at;
		if (here.some((one) => isNext(one.start))) return undefined;
		if (start.next !== undefined && start.next.at <= at) return undefined;
		const isBetween = (stop: SessionStop) =>
			stop.tx !== tx && start.at <= stop.at && stop.at <= at && this.mayEnd(stop, session);
		return this.stops.some(isBetween) ? undefined : session;
	}

	/** What readings name the session. */
	namesOf(session: KnownSession): string[] {
		const { start, isAnswered } = session;
		if (isAnswered) return [];
		return this.#meters
			.filter(({ tx, connector }) => tx !== undefined && connector === start.connector)
			.flatMap((meter) =>
				this.#timesOf(meter)
					.slice(0, 1)
					.map(({ at }) => ({ ...meter, at })),
			)
			.sort((a, b) => a.at - b.at)
			.flatMap(({ tx = '' }) => (this.namedBy(tx) === session ? [tx] : []));
	}

	/**
	 * Whether a response since then, and before the stop, names the transaction, and its start is missing. A stop that came in
	 * between was that of this one.
	 */
	isOrphan(tx: string, by?: SessionStop, from = -Infinity): boolean {
		const to = by === undefined ? Infinity : by.t + SWAPPED_MS;
		const ended = this.stopsOf(tx).filter(
			(stop) => stop !== by && stop.told && !stop.found && (by === undefined || stop.t < by.t),
		);
		return this.#orphans.some(
			(one) =>
				one.tx === tx && from < one.t && one.t <= to && !ended.some((stop) => one.t <= stop.t),
		);
	}

	/** Whether a stop without a start may be that of the session, though nothing shows it. */
	mayEnd(stop: SessionStop, { start, ids, isAnswered }: KnownSession): boolean {
		const { tx, found, connector } = stop;
		if (found || !mayBeSame(connector, start.connector)) return false;
		if (ids.has(tx) || !isTransaction(tx)) return true;
		if (isAnswered || this.#hasOwner(tx, stop) || this.isOrphan(tx, stop)) return false;
		const said = this.namingsOf(tx, stop);
		const isHere = ({ connector: place, at, t }: Mention) =>
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

/** Whether it was said of one of the sessions that is over without a stop: it names no other one, and is not kept. */
function isOfUnended(
	sessions: readonly KnownSession[],
	{ connector }: SessionMeter,
	{ at }: Clock,
): boolean {
	if (!sessions.some(({ start }) => start.unended)) return false;
	const here = sessions.filter(({ start }) => mayBeSame(start.connector, connector));
	return (latest(here, 'at', at) ?? here[0])?.start.unended === true;
}

const evseIn = ({ start: { connector } }: KnownSession): string | undefined =>
	connector === undefined ? undefined : evseOf(connector);

const inOrder = (sessions: ReadonlySet<KnownSession> = new Set()): KnownSession[] =>
	[...sessions].sort((a, b) => a.n - b.n);

const isBefore = (a: KnownSession, b: KnownSession): boolean =>
	a.start.at < b.start.at || (a.start.at === b.start.at && a.n < b.n);

/** After those that began up to then. */
function placeIn(sessions: readonly KnownSession[], at: number): number {
	return countBefore(sessions.length, (n) => (sessions[n]?.start.at ?? Infinity) <= at);
}

function setOf<Key>(sets: Map<Key, Set<KnownSession>>, key: Key): Set<KnownSession> {
	const known = sets.get(key) ?? new Set();
	sets.set(key, known);
	return known;
}

/** What the first one says that names any; its connector, if that names the EVSE and a later one both. */
function firstOf(places: readonly (string | undefined)[]): string | undefined {
	const named = places.filter((one) => one !== undefined);
	const [first] = named;
	return named.find((one) => one !== evseOf(one) && evseOf(one) === first) ?? first;
}
