/**
 * What each place of a station has reported, in columns: a million reports as objects would be more memory than a question may
 * take. The folds get them one at a time, in order.
 */
import { isNumbered, Places } from '../common/places';
import type { Boot, Report } from '../common/state';
import type { Fact } from '../facts';
import { type Horizon, isSameKind, windowsIn } from '../fold/components';
import { detailOf } from '../fold/faults';
import type { Outage } from '../fold/outages';
import { badnessOf, bootOf, know } from '../fold/station';
import { type BootWindow, inForceOrder, type StateStretch, stretchesIn } from '../fold/timeline';
import { changesOf, withChanges } from '../fold/versions';
import type { StationFacts } from './log';
import { Numbers } from './numbers';

/** What a report says: those that say the same share it. */
type Saying = Readonly<Omit<Report, 't' | 'id'>>;

/** A place with a status, and its states: they are made whenever they are gone through. */
export interface StatusPlace {
	readonly address: string;
	readonly reports: Reports;
	readonly stretches: Iterable<StateStretch>;
}

export interface PlacesOfStation {
	readonly windows: readonly BootWindow[];
	readonly all: readonly StatusPlace[];
	readonly tree: Places;
}

/** The same as `componentsOf` of the statuses. */
export function placesIn(
	facts: StationFacts,
	horizon: Horizon,
	outages: readonly Outage[],
): PlacesOfStation {
	const known: Record<string, number> = {};
	const boots: Boot[] = [];
	const sayings = new Sayings();
	const lines = new Map<string, Reports>();
	const unnumbered = new Map<string, Reports>();
	for (const { place, ...event } of facts.states) {
		for (const fact of event.facts) {
			const boot = bootOf(fact, event);
			if (boot !== undefined) boots.push(boot);
			if (fact.about !== 'status') continue;
			know(known, fact, event);
			const { connector } = fact;
			const line = lineIn(isNumbered(connector) ? lines : unnumbered, connector, facts, sayings);
			line.add(event.at, place, sayings.of(fact, statusSaid));
		}
	}
	const places = new Places(known);
	for (const [name, reports] of unnumbered) {
		for (const [at, place, one] of reports.rows()) {
			const address = places.placeOf(name, at);
			const isFound = isSameKind(name, address);
			if (isFound) lineIn(lines, address, facts, sayings).add(at, place, one);
			const said = isFound ? sayings.ended(one) : one;
			lineIn(lines, name, facts, sayings).add(at, place, said);
		}
	}
	for (const reports of lines.values()) reports.sort();
	const windows = windowsIn(boots, lines, horizon, outages);
	const named = [...lines].map(([address, reports]) => ({ address, reports }));
	const changes = changesOf(named);
	const all = named.map(({ address, reports }) => ({
		address,
		reports,
		stretches: {
			[Symbol.iterator]: () =>
				stretchesIn(address, withChanges({ address }, reports, changes), windows),
		},
	}));
	return { windows, all, tree: places };
}

function lineIn(
	lines: Map<string, Reports>,
	name: string,
	{ idOf }: StationFacts,
	sayings: Sayings,
): Reports {
	const known = lines.get(name);
	if (known !== undefined) return known;
	const line = new Reports(idOf, sayings);
	lines.set(name, line);
	return line;
}

function statusSaid(fact: Extract<Fact, { about: 'status' }>): Saying {
	const { info: _info, ...d } = detailOf(fact);
	const w = badnessOf(fact);
	const v = fact.is201 === undefined ? {} : { v: fact.is201 };
	return { key: fact.status, d, ...(w > 0 && { w }), ...v };
}

/** Stations that always say something else share nothing. */
const MOST_SHARED = 1_000;

/** What reports say, by number. */
export class Sayings {
	readonly #all: Saying[] = [];
	readonly #byText = new Map<string, number>();
	/** Messages that say the same share their facts, as far as they are found again. */
	readonly #byFact = new WeakMap<Fact, number>();
	readonly #ended = new Map<number, number>();

	get(number: number): Saying {
		const saying = this.#all[number];
		if (saying === undefined) throw new RangeError(`There is no saying ${number}`);
		return saying;
	}

	of<T extends Fact>(fact: T, sayingOf: (fact: T) => Saying): number {
		const known = this.#byFact.get(fact);
		if (known !== undefined) return known;
		const saying = sayingOf(fact);
		const text = JSON.stringify(saying);
		const said = this.#byText.get(text) ?? this.#add(saying);
		if (this.#byText.size < MOST_SHARED) this.#byText.set(text, said);
		this.#byFact.set(fact, said);
		return said;
	}

	ended(one: number): number {
		const ended = this.#ended.get(one) ?? this.#add({ ...this.get(one), key: '' });
		this.#ended.set(one, ended);
		return ended;
	}

	#add(saying: Saying): number {
		return this.#all.push(saying) - 1;
	}
}

/** Its ID is read only where it counts. */
class LoggedReport implements Report {
	readonly key: string;
	readonly w: number | undefined;
	readonly v: boolean | undefined;
	readonly d: Report['d'];
	readonly #said: Saying;
	readonly #idOf: StationFacts['idOf'];
	readonly #place: number;

	constructor(
		readonly t: number,
		said: Saying,
		place: number,
		idOf: StationFacts['idOf'],
	) {
		this.key = said.key;
		this.w = said.w;
		this.v = said.v;
		this.d = said.d;
		this.#said = said;
		this.#place = place;
		this.#idOf = idOf;
	}

	get id(): string {
		return this.#idOf(this.#place);
	}

	/** With all that it says, as a report of that state. */
	whole(key = this.key): Report {
		return { t: this.t, id: this.id, ...this.#said, key };
	}
}

export class Reports implements Iterable<LoggedReport> {
	readonly #times = new Numbers();
	readonly #places = new Numbers();
	/** Numbers of sayings. */
	readonly #said = new Numbers();
	readonly #sayings: Sayings;
	readonly #idOf: StationFacts['idOf'];
	/** Undefined until they are sorted. */
	#order: Uint32Array | undefined;

	constructor(idOf: StationFacts['idOf'], sayings: Sayings) {
		this.#idOf = idOf;
		this.#sayings = sayings;
	}

	get length(): number {
		return this.#said.length;
	}

	add(at: number, place: number, said: number): void {
		this.#times.push(at);
		this.#places.push(place);
		this.#said.push(said);
	}

	/** As they were added. */
	*rows(): Generator<readonly [at: number, place: number, said: number], void> {
		const [times, places] = [this.#times.all, this.#places.all];
		for (const [n, said] of this.#said.all.entries()) yield [times[n] ?? 0, places[n] ?? 0, said];
	}

	sort(): void {
		const times = this.#times.all;
		const reportAt = (n: number) => this.#reportAt(n);
		const compare = (a: number, b: number): number =>
			(times[a] ?? 0) - (times[b] ?? 0) || inForceOrder(reportAt(a), reportAt(b)) || a - b;
		// Lists begin with the newest event.
		const order = Uint32Array.from({ length: this.length }, (_, n) => this.length - 1 - n);
		const isSorted = order.every(
			(n, index) => index === 0 || compare(order[index - 1] ?? n, n) < 0,
		);
		this.#order = isSorted ? order : order.sort(compare);
	}

	*[Symbol.iterator](): Generator<LoggedReport, void> {
		for (const n of this.#order ?? []) yield this.#reportAt(n);
	}

	/** In order; from the end if it is negative. */
	at(index: number): Report | undefined {
		const n = this.#order?.at(index);
		return n === undefined ? undefined : this.#reportAt(n);
	}

	#reportAt(n: number): LoggedReport {
		const said = this.#sayings.get(this.#said.get(n) ?? -1);
		return new LoggedReport(this.#times.get(n) ?? 0, said, this.#places.get(n) ?? 0, this.#idOf);
	}
}
