/**
 * Stretches of time in which a place was in a state that is watched, from those of its components: an EVSE and its only
 * connector are one place, and what several of its components say at the same time is about one thing.
 */
import { namesConnector, type Places, placeName } from '../common/places';
import { MINUTE_MS, type StationSettings } from '../common/settings';
import type { Report } from '../common/state';
import { codesOf, isNone } from './codes';
import type { Components } from './components';
import { inOrder } from './sets';
import type { StateStretch } from './timeline';

/** A name of a place. */
export interface Naming {
	/** Since when it is one. */
	readonly since: number;
	/** What begins from then on under that name is of another place. */
	readonly until: number;
}

export interface Run {
	/** The place that it began with, as items name it. */
	readonly connector: string;
	readonly places: ReadonlyMap<string, Naming>;
	readonly key: string;
	readonly first: Report;
	readonly since: number;
	readonly until?: number;
	readonly to?: string;
	readonly isEndedByBoot?: boolean;
	/** It counts as lasting only up to then: whether it lasts is not known yet. */
	readonly heldAt?: number;
	readonly reports: readonly Report[];
	/** Of its components. */
	readonly stretches: readonly StateStretch[];
	/** Of one that is united from those of several places. */
	readonly parts?: readonly Run[];
}

/** A Faulted without a code is about the problem that is reported so soon before or after it. */
export const TOGETHER_MS = MINUTE_MS;

/** Oldest first. */
export function runsOf({ all, places }: Components, { kind, scope }: StationSettings): Run[] {
	const stretches = all.flatMap((component) => component.stretches).sort(byStart);
	// Most stations.
	if (stretches.length === 0) return [];
	const isByCode = kind === 'connectorFault' && scope === 'code';
	const groups = new Groups(places);
	for (const stretch of stretches) {
		const code = isByCode && stretch.code !== undefined ? stretch.first.d?.error : undefined;
		groups.add(stretch, JSON.stringify([stretch.key, code]));
	}
	const found = isByCode ? withProblems(groups.all, places) : groups.all;
	return found.map((group) => runOf(group, places)).sort(byFirst);
}

const inTurn = (a: Report, b: Report) => inOrder(a, b) || (a.n ?? 0) - (b.n ?? 0);
const byStart = (a: StateStretch, b: StateStretch) =>
	inTurn(a.first, b.first) || (a.address < b.address ? -1 : Number(a.address > b.address));
const byFirst = (a: Run, b: Run) => inTurn(a.first, b.first);

type Group = StateStretch[];

/** Those that overlap or touch, of one place and one state. */
class Groups {
	readonly all: Group[] = [];
	readonly #places: Places;
	/** Those that later ones can belong to. */
	readonly #open = new Map<string, Group[]>();

	constructor(places: Places) {
		this.#places = places;
	}

	/** In order of their beginning. */
	add(stretch: StateStretch, state: string): void {
		const open = (this.#open.get(state) ?? []).filter((group) => endOf(group) >= stretch.since);
		const own = open.find((group) => isOnePlace(group, stretch, this.#places));
		if (own === undefined) {
			this.all.push([stretch]);
			open.push(this.all.at(-1) ?? [stretch]);
		} else own.push(stretch);
		this.#open.set(state, open);
	}
}

const endOf = (group: Group): number => Math.max(...group.map(({ until = Infinity }) => until));

function namesOf({ address, since }: StateStretch, places: Places, at: number): string[] {
	return places.namesOf(places.placeOf(address, since), at);
}

function isOnePlace(group: Group, stretch: StateStretch, places: Places): boolean {
	const own = namesOf(stretch, places, stretch.since);
	return group.some((one) =>
		namesOf(one, places, stretch.since).some((name) => own.includes(name)),
	);
}

/** Puts what is Faulted without a code to a problem of its place. */
function withProblems(groups: readonly Group[], places: Places): Group[] {
	const problems = groups.filter(([first]) => first?.code !== undefined);
	const taken = new Set<Group>();
	const joined: Group[] = [];
	for (const group of groups) {
		const [first] = group;
		if (first === undefined || first.code !== undefined || !group.every(hasNoCode)) continue;
		const found = problems.find((problem) => {
			const [begun] = problem;
			if (begun === undefined || taken.has(problem)) return false;
			const isSoon = Math.abs(begun.since - first.since) <= TOGETHER_MS;
			return (
				isSoon &&
				isOnePlace(group, begun.since < first.since ? first : begun, places) &&
				isOnePlace(problem, first, places)
			);
		});
		if (found === undefined) continue;
		taken.add(found).add(group);
		joined.push([...group, ...found].sort(byStart));
	}
	return [...groups.filter((group) => !taken.has(group)), ...joined];
}

const hasNoCode = ({ reports }: StateStretch): boolean =>
	reports.every(({ d }) => isNone(codesOf(d)));

function runOf(group: Group, places: Places): Run {
	const [first] = group;
	if (first === undefined) throw new RangeError('A run has a stretch');
	const last = lastOf(
		group.map((one) => ({ ...one, isEndedByBoot: one.to !== undefined && !one.end })),
	);
	const { heldAt = Infinity } = last;
	const names = new Map<string, Naming>();
	for (const one of group) {
		// A boot may have ended the state: what comes later may be about another one.
		if (one.since > heldAt) break;
		const own = placeName(places.placeOf(one.address, one.since));
		for (const name of namesOf(one, places, one.since)) {
			const { since = one.since, until = -Infinity } = names.get(name) ?? {};
			const end = name === own || namesConnector(name) ? Infinity : places.apartAt(name);
			names.set(name, { since, until: Math.max(until, end) });
		}
	}
	const { key, since } = first;
	return {
		connector: placeName(places.placeOf(first.address, since)),
		places: names,
		key,
		first: first.first,
		since,
		reports: reportsOf(group),
		stretches: group,
		...last,
	};
}

const reportsOf = (all: readonly Pick<Run, 'reports'>[]): Report[] =>
	all.length === 1
		? [...(all[0]?.reports ?? [])]
		: all.flatMap(({ reports }) => reports).sort(inTurn);

type End = Pick<Run, 'since' | 'until' | 'to' | 'isEndedByBoot' | 'heldAt'>;

/** How those that overlap end together. They are sorted by their beginning. */
export function lastOf(all: readonly End[]): Omit<End, 'since'> {
	if (all.some(({ until }) => until === undefined)) {
		// What is not known yet to last does not join what comes after it.
		const certain = all.reduce(
			(end, { since, until, heldAt = Infinity }) =>
				since <= end ? Math.max(end, until ?? heldAt) : end,
			all[0]?.since ?? 0,
		);
		return certain === Infinity ? {} : { heldAt: certain };
	}
	const [first, ...others] = all;
	const { until, to, isEndedByBoot } = others.reduce<Omit<End, 'since'>>(
		(last, one) => ((one.until ?? 0) > (last.until ?? 0) ? one : last),
		first ?? {},
	);
	return {
		...(until !== undefined && to !== undefined && { until, to }),
		...(isEndedByBoot === true && { isEndedByBoot }),
	};
}

/** The stretches in which at least one of several was in force. They are sorted by their beginning. */
export function united(runs: readonly Run[]): Run[] {
	const groups: { readonly parts: Run[]; end: number }[] = [];
	for (const run of runs.toSorted((a, b) => a.since - b.since)) {
		const last = groups.at(-1);
		if (last === undefined || run.since > last.end) {
			groups.push({ parts: [run], end: run.until ?? Infinity });
			continue;
		}
		last.parts.push(run);
		last.end = Math.max(last.end, run.until ?? Infinity);
	}
	return groups.flatMap(({ parts }) => {
		const [first] = parts;
		if (first === undefined) return [];
		const { until: _until, to: _to, heldAt: _held, isEndedByBoot: _boot, ...begun } = first;
		const stretches = parts.flatMap((part) => part.stretches);
		const last = lastOf(parts);
		const { heldAt = Infinity } = last;
		// A boot may have ended it: what begins later may be no part of it.
		const certain = parts.filter(({ since }) => since <= heldAt);
		return [{ ...begun, reports: reportsOf(parts), stretches, parts: certain, ...last }];
	});
}
