/**
 * What is true of a station's places, recomputed from the list of messages by the words of the contract, without state: runs of each
 * component's states, boots that start over, outages, silence, and what a place is at a moment.
 */
import { MINUTE } from '../../unit/station/stationWorld';
import { type BootStep, placeName, type ProblemStep, type StatusStep, type Step } from './history';

const HOUR = 60 * MINUTE;
const WINDOW_MS = 10 * MINUTE;
const STRAGGLER_MS = MINUTE;
const FOLLOWED_MS = 30 * MINUTE;
export const SILENT_MS = 26 * HOUR;

export interface Run {
	/** What says it: a component at its place. */
	readonly component: string;
	readonly place: string;
	/** A status, or a problem. */
	readonly state: string;
	readonly from: number;
	/** Infinity while it lasts. */
	readonly to: number;
}

export interface Span {
	readonly from: number;
	readonly to: number;
}

export type Minute = 'offline' | 'silent' | 'faulted' | 'unavailable' | 'unknown' | 'up';

const IN_USE = ['Charging', 'SuspendedEV', 'SuspendedEVSE'];

export interface Truth {
	readonly states: readonly Run[];
	readonly problems: readonly Run[];
	readonly outages: readonly Span[];
	readonly silences: readonly Span[];
	/** Of each connector, when it was first heard of. */
	readonly connectors: ReadonlyMap<string, number>;
	/** What a connector can be at that moment: more than one word where the contract leaves it open. */
	readonly at: (place: string, moment: number) => readonly Minute[];
}

/** Of what is known then. */
export function truthOf(steps: readonly Step[], now = Infinity): Truth {
	const outages = outagesOf(steps);
	const boots = bootsOf(steps, outages);
	const states = statesOf(steps, boots);
	const connectors = connectorsOf(steps);
	const silences = silencesOf(steps, now);
	const change = changeOf(steps);
	return {
		...{ states, outages, silences, connectors },
		problems: problemsOf(steps, boots),
		at: (place, moment) => {
			if (!place.includes('/') && moment >= change) return ['unknown'];
			const known = connectors.get(place) ?? Infinity;
			const isSaid = states.some((run) => run.place === place.split('/')[0] && isIn(run, moment));
			if (moment < known) {
				// What its EVSE says may be of a connector that is heard of later.
				const any = ['unknown', 'offline', 'silent', 'faulted', 'unavailable'] as const;
				return place.includes('/') && isSaid ? [...any, 'up'] : any;
			}
			const words = place.includes('/')
				? placeAt(states, usesOf(steps, boots), place, moment)
				: connectorAt(steps, states, place, moment);
			const outage = outages.find((one) => isIn(one, moment));
			// One that a straggler ends was hardly one.
			if (outage)
				return outage.to - outage.from > STRAGGLER_MS ? ['offline'] : ['offline', ...words];
			return silences.some((one) => isIn(one, moment)) ? ['silent'] : words;
		},
	};
}

const isIn = ({ from, to }: Span, moment: number) => from <= moment && moment < to;

/** Whether the station itself sent it. */
const isSign = ({ what }: Step) => what !== 'lost' && what !== 'command';

function outagesOf(steps: readonly Step[]): Span[] {
	const outages: Span[] = [];
	for (const { what, at } of steps) {
		const last = outages.at(-1);
		if (what !== 'lost' || (last && at < last.to)) continue;
		outages.push({ from: at, to: outageEnd(steps, at) });
	}
	return outages;
}

/** The first message ends it; one that may be a straggler of the old socket does only if another one follows that is none of a new connection. */
function outageEnd(steps: readonly Step[], from: number): number {
	const later = steps.filter((step) => step.at > from && isSign(step));
	for (const [n, { what, at }] of later.entries()) {
		const lostAt = steps.findLast((step) => step.what === 'lost' && step.at < at)?.at ?? from;
		if (what === 'back' || what === 'boot' || at - lostAt > STRAGGLER_MS) return at;
		const next = later[n + 1];
		const isNew = next?.what === 'back' || next?.what === 'boot';
		if (next && !isNew && next.at - at <= FOLLOWED_MS) return at;
	}
	return Infinity;
}

function silencesOf(steps: readonly Step[], now: number): Span[] {
	const heard = steps.filter(({ what }) => what !== 'command').map(({ at }) => at);
	return heard.flatMap((from, n) => {
		const to = heard[n + 1] ?? Infinity;
		return Math.min(to, now) - from > SILENT_MS ? [{ from, to }] : [];
	});
}

/** A boot, and up to when its reports count as its own. */
interface Boot {
	readonly at: number;
	readonly until: number;
}

function bootsOf(steps: readonly Step[], outages: readonly Span[]): Boot[] {
	return steps
		.filter((step): step is BootStep => step.what === 'boot')
		.filter(({ how }) => how === 'Accepted' || how === 'unanswered')
		.map(({ at }) => ({ at, until: windowEnd(at, outages) }))
		.filter(({ at, until }) =>
			steps.some(
				(step) =>
					step.what === 'status' &&
					step.component === 'Connector' &&
					step.at > at &&
					step.at <= until,
			),
		);
}

/** Ten minutes in which the station is connected. */
function windowEnd(at: number, outages: readonly Span[]): number {
	let end = at + WINDOW_MS;
	for (const { from, to } of outages) {
		if (from >= at && from < end) end += to - from;
	}
	return end;
}

/** The place that a status or a problem speaks of. */
function placeOf(step: StatusStep | ProblemStep, steps: readonly Step[]): string {
	const isNumberless =
		step.what === 'status' &&
		step.component === 'Connector' &&
		step.version === '2.0.1' &&
		step.connector === undefined;
	if (!isNumberless) return placeName(step);
	const known = [...connectorsOf(steps.filter(({ at }) => at < step.at)).keys()];
	const own = known.filter((name) => name.startsWith(`${step.evse ?? 0}/`));
	return own.length === 1 ? (own[0] ?? '') : placeName(step);
}

/** Those with a number: known from their first status on. */
function connectorsOf(steps: readonly Step[]): Map<string, number> {
	const known = new Map<string, number>();
	for (const step of steps) {
		if (step.what !== 'status' || step.component !== 'Connector') continue;
		const name = placeName(step);
		if (step.connector !== undefined && !known.has(name)) known.set(name, step.at);
	}
	return known;
}

interface Report {
	readonly at: number;
	readonly component: string;
	readonly place: string;
	/** Undefined where nothing is left of it. */
	readonly state: string | undefined;
	readonly isMonitored?: boolean;
}

function statesOf(steps: readonly Step[], boots: readonly Boot[]): Run[] {
	const reports = steps.flatMap((step): Report[] => {
		if (step.what !== 'status') return [];
		const place = placeOf(step, steps);
		const isOld = step.version === '1.6' && place !== '0';
		const component = `${step.component}@${isOld ? '1.6 ' : ''}${place}`;
		return [{ at: step.at, component, place, state: step.status }];
	});
	const change = changeOf(steps);
	const ofStation = (step: Step) => step.what === 'status' && placeName(step) === '0';
	const last = steps.findLast((step) => ofStation(step) && step.at < change);
	// What it said of itself in the old version is over as well.
	if (last?.version === '1.6' && change < Infinity) {
		const over = { component: 'ChargingStation@0', place: '0', state: undefined };
		reports.splice(
			reports.findIndex(({ at }) => at >= change),
			0,
			{ at: change, ...over },
		);
	}
	return runsOf(reports, boots).flatMap((run) => {
		const isOld = run.component.includes('@1.6') && run.from < change;
		return [isOld ? { ...run, to: Math.min(run.to, change) } : run];
	});
}

/** When a station that was updated reports the first status of a place of OCPP 2.0.1: its old numbers are over. */
export const changeOf = (steps: readonly Step[]): number =>
	steps.find(
		(step) =>
			step.what === 'status' && step.version === '2.0.1' && step.component !== 'ChargingStation',
	)?.at ?? Infinity;

/** Each of a component's codes by itself; an end without a code ends all of them, and any end what has no code. */
function problemsOf(steps: readonly Step[], boots: readonly Boot[]): Run[] {
	const all = steps.filter((step): step is ProblemStep => step.what === 'problem');
	const nameOf = (step: ProblemStep) => `${step.name}@${placeName(step)}`;
	const codeOf = ({ techCode = '' }: ProblemStep) => techCode;
	const reports = all.flatMap((step): Report[] => {
		const place = placeName(step);
		const of = (code: string): Report => ({
			...{ at: step.at, component: `${nameOf(step)} ${code}`, place },
			state: step.isOver ? undefined : code || step.name,
			isMonitored: step.isMonitored === true,
		});
		if (!step.isOver) return [of(codeOf(step))];
		if (step.techCode !== undefined) return [of(step.techCode), of('')];
		const codes = new Set(all.filter((one) => nameOf(one) === nameOf(step)).map(codeOf));
		return [...codes].map(of);
	});
	return runsOf(reports, boots);
}

/** Equal reports of a component are one run. A boot ends what is not reported again, and what no report of it says is monitored. */
function runsOf(reports: readonly Report[], boots: readonly Boot[]): Run[] {
	const byComponent = Object.groupBy(reports, ({ component }) => component);
	return Object.values(byComponent).flatMap((own = []) => {
		const runs: Run[] = [];
		let isKept = false;
		for (const [n, { at, component, place, state, isMonitored = false }] of own.entries()) {
			const next = own[n + 1]?.at ?? Infinity;
			const last = runs.at(-1);
			const isAsBefore = last?.state === state && last?.to === at;
			isKept = isMonitored || (isKept && isAsBefore);
			const boot = isKept
				? undefined
				: boots.find((one) => {
						const isBetween = one.at > at && one.at < next;
						const isAgain = next <= one.until && own[n + 1]?.state === state;
						return isBetween && !isAgain;
					});
			const to = boot?.at ?? next;
			if (state === undefined) continue;
			if (last !== undefined && isAsBefore) runs[runs.length - 1] = { ...last, to };
			else runs.push({ component, place, state, from: at, to });
		}
		return runs;
	});
}

const kindOf = (state: string | undefined): Minute =>
	state === 'Faulted' ? 'faulted' : state === 'Unavailable' ? 'unavailable' : 'up';

/** When a connector of 2.0.1 draws power: like a state, also after a boot. */
function usesOf(steps: readonly Step[], boots: readonly Boot[]): Run[] {
	const reports = steps.flatMap((step): Report[] => {
		if (step.what !== 'use') return [];
		const place = placeName(step);
		const state = step.isCharging ? 'Charging' : undefined;
		return [{ at: step.at, component: `use@${place}`, place, state }];
	});
	return runsOf(reports, boots);
}

/** 2.0.1: the worst of what the connector, its EVSE and the station say, but in use it is up. */
function placeAt(
	states: readonly Run[],
	uses: readonly Run[],
	place: string,
	moment: number,
): readonly Minute[] {
	const [evse = ''] = place.split('/');
	const now = states.filter((run) => isIn(run, moment) && !run.component.includes('@1.6'));
	const own = now.filter((run) => run.place === place);
	const ofEvse = now.filter((run) => run.place === evse);
	const above = [...ofEvse, ...now.filter((run) => run.place === '0')];
	const use = uses.find((one) => one.place === place && isIn(one, moment));
	const counted = above.filter(({ from }) => use === undefined || use.from < from);
	const all = [...own, ...counted].map(({ state }) => kindOf(state));
	const worst = (['faulted', 'unavailable'] as const).find((kind) => all.includes(kind));
	if (worst !== undefined) return [worst];
	// That it charges shows that it is up.
	return own.length + ofEvse.length > 0 || use !== undefined ? ['up'] : ['unknown'];
}

/** 1.6: what connector 0 says counts until the connector itself shows something else. */
function connectorAt(
	steps: readonly Step[],
	states: readonly Run[],
	place: string,
	moment: number,
): readonly Minute[] {
	const now = states.filter((run) => isIn(run, moment));
	const own = now.find((run) => run.place === place);
	const station = now.find((run) => run.place === '0');
	const reports = steps.filter(
		(step): step is StatusStep =>
			step.what === 'status' &&
			step.version === '1.6' &&
			placeName(step) === place &&
			step.at <= moment &&
			step.at > (station?.from ?? 0),
	);
	const kinds = own === undefined ? [] : [kindOf(own.state)];
	const isOperative = reports.some(({ status }) => kindOf(status) === 'up');
	const wasUsed = reports.some(({ status }) => IN_USE.includes(status));
	const isUsed = own !== undefined && IN_USE.includes(own.state);
	let isOpen = false;
	if (station?.state === 'Faulted' && !isOperative) kinds.push('faulted');
	if (station?.state === 'Unavailable') {
		if (!wasUsed) kinds.push('unavailable');
		// Used, and then not any more: the contract says no more.
		else if (!isUsed) isOpen = true;
	}
	const worst = (['faulted', 'unavailable'] as const).find((kind) => kinds.includes(kind));
	const found = worst ?? (own === undefined ? 'unknown' : 'up');
	return isOpen && found !== 'faulted' ? [found, 'unavailable'] : [found];
}

/** What the trigger has to report of faults, with one incident per place: the faults of a place that overlap. */
export function faultsOf({ states, problems }: Truth, nameOf: NameOf): Run[] {
	const all = [...states.filter(({ state }) => state === 'Faulted'), ...problems];
	return unitedBy(all, nameOf);
}

/** The name of the place at which something began. */
export type NameOf = (place: string, from: number) => string;

/** Those of a place that overlap are one. */
export function unitedBy(runs: readonly Run[], nameOf: NameOf): Run[] {
	const united: Run[] = [];
	for (const run of runs.toSorted((a, b) => a.from - b.from)) {
		const place = nameOf(run.place, run.from);
		const n = united.findIndex((one) => one.place === place && run.from <= one.to);
		const before = united[n];
		if (before) united[n] = { ...before, to: Math.max(before.to, run.to) };
		else united.push({ ...run, place });
	}
	return united;
}
