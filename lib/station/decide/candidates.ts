/** The starts of OCPP 1.6 that began sessions, each with those that repeat it, and which transaction it began. */
import { RESPONSE_MS } from '../common/settings';
import type { NamedStart, Sessions, SessionStart, SessionStop } from '../common/state';
import { isTransaction } from '../facts/values';
import { belongsAt } from '../fold/registers';

/** A start, and which transaction it began, as far as that is known. */
export interface Candidate {
	readonly start: SessionStart;
	readonly repeats: readonly SessionStart[];
	/** The next session of its connector. */
	readonly next: SessionStart | undefined;
	/** By its responses, of which one that is sent again can have several, and by meter values. */
	readonly responses: ReadonlySet<string>;
	readonly metered: ReadonlySet<string>;
}

/** A time at which meter values name a transaction, by the station's clock; `t` is when they were created. */
interface Naming {
	readonly at: number;
	readonly t: number;
	readonly tx: string;
	/** Which meter values, in the order of their creation. */
	readonly n: number;
}

interface OfConnector {
	readonly starts: readonly SessionStart[];
	readonly namings: readonly Naming[];
}

interface Group {
	readonly start: SessionStart;
	readonly repeats: SessionStart[];
	/** Up to the next start. */
	readonly namings: Naming[];
	readonly names: Set<string>;
}

/** Sorted once, and remembered for each time until one of them is taken: decisions are many, and come in the order of time. */
export class Candidates {
	readonly #stops: readonly SessionStop[];
	readonly #responses: ReadonlyMap<SessionStart | undefined, readonly NamedStart[]>;
	readonly #connectors: readonly OfConnector[];
	#known: number | undefined;
	#all: readonly Candidate[] = [];
	#byStart: ReadonlyMap<SessionStart, Candidate> | undefined;

	constructor({ starts, stops, named, metered }: Sessions) {
		const byTime = starts.toSorted((a, b) => a.at - b.at || a.t - b.t);
		this.#stops = stops.toSorted((a, b) => a.at - b.at);
		this.#responses = responsesOf(starts, named);
		const meters = Map.groupBy(metered, (one) => one.connector);
		this.#connectors = [...Map.groupBy(byTime, (one) => one.connector)].map(([connector, own]) => ({
			starts: own,
			namings: (meters.get(connector) ?? [])
				.flatMap(({ t, tx, at, readings }, n) =>
					tx === undefined
						? []
						: [at, ...readings.map(belongsAt)].map((one) => ({ at: one, t, tx, n })),
				)
				.sort((a, b) => a.at - b.at),
		}));
	}

	/** By what was created up to `known`, in Unix milliseconds; by their connector and beginning. */
	at(known: number): readonly Candidate[] {
		if (this.#known !== known) {
			this.#known = known;
			this.#byStart = undefined;
			const unlisted = this.#unlistedAt(known);
			this.#all = this.#connectors.flatMap((one) => this.#ofConnector(one, known, unlisted));
		}
		return this.#all;
	}

	of(start: SessionStart, known: number): Candidate | undefined {
		const all = this.at(known);
		this.#byStart ??= new Map(all.map((one) => [one.start, one]));
		return this.#byStart.get(start);
	}

	/** The starts that may follow one that is not reported. */
	later(): SessionStart[] {
		return this.#connectors.flatMap(({ starts, namings }) => {
			const first = starts.findIndex(({ used }) => used === undefined);
			const open = first === -1 ? [] : starts.slice(first);
			return this.#areRepeats(open, namings) ? [] : open.slice(1);
		});
	}

	/** Whether they all repeat the first of them, whatever was known of them at any time. */
	#areRepeats(starts: readonly SessionStart[], namings: readonly Naming[]): boolean {
		const [first, last] = [starts[0], starts.at(-1)];
		if (first === undefined || last === undefined) return true;
		const { wh = 0, at } = first;
		if (wh <= 0 || starts.some((one) => one.wh !== wh || one.unended)) return false;
		const mayEnd = (stop: SessionStop) => (stop.wh ?? 0) <= 0 || stop.wh === wh;
		if (this.#stops.some((stop) => at <= stop.at && stop.at < last.at && mayEnd(stop)))
			return false;
		const named = namings.filter((one) => one.at >= at).map(({ tx }) => tx);
		return new Set([...named, ...starts.flatMap((one) => this.#decidedNames(one))]).size <= 1;
	}

	/** The meter values of a session that is decided are dropped, but not the responses to its start. */
	#decidedNames(start: SessionStart): string[] {
		if (start.used === undefined) return [];
		return (this.#responses.get(start) ?? []).map(({ tx }) => tx);
	}

	/** The first session of the same connector that began later. */
	after({ start, next: first }: Candidate, known: number): SessionStart | undefined {
		let next = first;
		while (next !== undefined && !isLater(next, start)) next = this.of(next, known)?.next;
		return next;
	}

	/** Its session is reported. */
	take({ start, repeats }: Candidate, as: Pick<SessionStart, 'used' | 'unended' | 'end'>): void {
		for (const one of [start, ...repeats]) Object.assign(one, as);
		this.#known = undefined;
	}

	/** When each transaction was last named by a response to a start that is not listed yet. */
	#unlistedAt(known: number): ReadonlyMap<string, number> {
		const unlisted = new Map<string, number>();
		for (const [start, responses] of this.#responses) {
			if (start !== undefined && start.t <= known) continue;
			for (const { t, tx } of responses) {
				if (t <= known) unlisted.set(tx, Math.max(t, unlisted.get(tx) ?? -Infinity));
			}
		}
		return unlisted;
	}

	#ofConnector(
		{ starts, namings }: OfConnector,
		known: number,
		unlisted: ReadonlyMap<string, number>,
	): Candidate[] {
		const groups = this.#groupsOf(
			starts.filter(({ t }) => t <= known),
			namings.filter(({ t }) => t <= known),
		);
		return groups.map(({ start, repeats, namings: own }, n) => {
			const responses = this.#responsesTo([start, ...repeats], known);
			// A name that is new after its session has ended or was reported is that of another one, whose start is missing; so is one
			// that the response to a start says that is not listed yet.
			const { used = Infinity, end = Infinity } = start;
			const isOwn = ({ at, t, tx }: Naming) =>
				t <= used && at <= end && (responses.has(tx) || (unlisted.get(tx) ?? -Infinity) < start.t);
			const next = groups[n + 1]?.start;
			return { start, repeats, next, responses, metered: namesOf(own.filter(isOwn)) };
		});
	}

	#responsesTo(starts: readonly SessionStart[], known: number): ReadonlySet<string> {
		const responses = starts.flatMap((one) => this.#responses.get(one) ?? []);
		return new Set(responses.filter(({ t }) => t <= known).map(({ tx }) => tx));
	}

	/**
	 * A start that repeats the register of the one before is sent again, unless a stop in between may have ended that one, or meter
	 * values name another transaction since.
	 */
	#groupsOf(starts: readonly SessionStart[], namings: readonly Naming[]): Group[] {
		const groups: Group[] = [];
		let [stop, naming] = [0, 0];
		for (const [n, start] of starts.entries()) {
			const last = groups.at(-1);
			let isOver = false;
			for (; (this.#stops[stop]?.at ?? Infinity) < start.at; stop++) {
				const { wh = 0 } = this.#stops[stop] ?? {};
				isOver ||= wh <= 0 || wh === start.wh;
			}
			while ((namings[naming]?.at ?? Infinity) < start.at) naming += 1;
			const from = naming;
			while ((namings[naming]?.at ?? Infinity) < (starts[n + 1]?.at ?? Infinity)) naming += 1;
			const own = namings.slice(from, naming);
			const isRepeat =
				last !== undefined &&
				(start.wh ?? 0) > 0 &&
				start.wh === last.start.wh &&
				// It was reported as over, because this one began.
				!(last.start.unended === true && start.used === undefined) &&
				!isOver &&
				!isOther(last.names, [...own.map(({ tx }) => tx), ...this.#decidedNames(start)]);
			const group = isRepeat ? last : { start, repeats: [], namings: [], names: new Set<string>() };
			if (isRepeat) group.repeats.push(start);
			else groups.push(group);
			for (const one of own) {
				group.namings.push(one);
				group.names.add(one.tx);
			}
		}
		return groups;
	}
}

/**
 * Those to each start, and to starts that are not listed. A station that boots may begin its message IDs again: a response is
 * that to the last start before it. The clock of the service can put it just before its start.
 */
function responsesOf(
	starts: readonly SessionStart[],
	named: readonly NamedStart[],
): ReadonlyMap<SessionStart | undefined, readonly NamedStart[]> {
	const calls = starts
		.toSorted((a, b) => a.t - b.t)
		.flatMap((start) => start.messages.map((message) => ({ message, start })));
	const byMessage = Map.groupBy(calls, (one) => one.message);
	const startOf = ({ message, t }: NamedStart) => {
		const own = byMessage.get(message)?.map(({ start }) => start) ?? [];
		return own.findLast((one) => one.t <= t) ?? own.find((one) => one.t <= t + RESPONSE_MS);
	};
	const responses = named
		.filter(({ tx }) => isTransaction(tx))
		.flatMap((one) => [one, ...(one.last === undefined ? [] : [{ ...one, t: one.last }])])
		.sort((a, b) => a.t - b.t);
	return Map.groupBy(responses, startOf);
}

const namesOf = (namings: readonly Naming[]) =>
	new Set(namings.toSorted((a, b) => a.n - b.n).map(({ tx }) => tx));

/** Whether a new transaction follows on one that had a name. */
function isOther(before: ReadonlySet<string>, after: readonly string[]): boolean {
	return before.size > 0 && after.some((tx) => !before.has(tx));
}

/** Of the same connector, and by both clocks: that of the station may be set back in between. */
export function isLater(one: SessionStart, start: SessionStart): boolean {
	return one.connector === start.connector && one.at > start.at && one.t >= start.t;
}
