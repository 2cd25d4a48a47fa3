/** Adds what an event says to the state of its station, as far as the trigger watches it. */
import { inOneGo } from '../../shared/steps';
import {
	isRepeated,
	LATEST_MS,
	MOST_CONNECTORS,
	MOST_READ_REPORTS,
	MOST_REPORTS,
	type StationSettings,
} from '../common/settings';
import type { Report, StationState, Timeline } from '../common/state';
import type { ConnectorStatus, Fact, EventFacts } from '../facts';
import { compactSessions } from './compactSessions';
import { countedFaultOf, detailOf, isFault, openingsOf } from './faults';
import { addSessionFact, hasNoSessions, noSessions } from './sessions';
import { inOrder } from './sets';
import {
	addQuiet,
	addReport,
	compact,
	dropQuiet,
	emptyTimeline,
	runsOf,
	runsOfAll,
} from './timeline';

const IS_ABOUT_STATE: ReadonlySet<Fact['about']> = new Set([
	...(['connection', 'sent', 'status', 'problem'] as const),
]);

/** Whether the trigger watches this kind of fact. */
export function isWatched({ about }: Fact, { kind }: StationSettings): boolean {
	if (kind === 'stationOffline') return about === 'connection' || about === 'sent';
	if (kind === 'sessionEnded') return !IS_ABOUT_STATE.has(about);
	return about === 'status' || (about === 'problem' && kind === 'connectorFault');
}

/** Whether it only ends something, and is dropped if there is nothing to end. */
export const isQuiet = (fact: Fact): boolean =>
	fact.about === 'sent' || (fact.about === 'problem' && !fact.isActive);

/**
 * By their creation, but starts first: meter values that name no transaction count only if the start of their session is
 * known, and can be created just before it.
 */
export function inFoldOrder(a: EventFacts, b: EventFacts): number {
	return Number(isStart(b)) - Number(isStart(a)) || a.at - b.at;
}

const isStart = ({ facts }: EventFacts): boolean =>
	facts.some(
		(fact) => fact.about === 'start' || (fact.about === 'transaction' && fact.phase === 'started'),
	);

/** Adds all but what is quiet. Returns whether the state changed. */
export function addEvent(
	state: StationState,
	event: EventFacts,
	settings: StationSettings,
): boolean {
	let changed = false;
	for (const fact of event.facts) {
		if (isQuiet(fact) || !isWatched(fact, settings)) continue;
		if (addFact(state, fact, event, settings)) changed = true;
	}
	if (changed) state.t = Math.max(state.t, event.at);
	return changed;
}

function addFact(
	state: StationState,
	fact: Fact,
	event: EventFacts,
	settings: StationSettings,
): boolean {
	if (settings.kind === 'sessionEnded') {
		return addSessionFact((state.sessions ??= noSessions()), fact, event, settings);
	}
	const found = reportOf(fact, event, settings);
	if (found === undefined) return false;
	const line = lineOf(state, found.name);
	if (line === undefined || !addReport(line, found.report)) return false;
	if (line.reports.length > MOST_READ_REPORTS) limitReports(state, found.name, settings);
	return true;
}

/** Forgets the oldest reports of a timeline, as far as they are too many to be stored. */
function limitReports(state: StationState, name: string, settings: StationSettings): void {
	const line = state.lines?.[name] ?? emptyTimeline();
	const excess = () => line.reports.length - MOST_REPORTS;
	for (let n = 1; excess() > 0 && n < line.reports.length; n++) {
		const { t: cut = line.cut } = line.reports[Math.max(n, excess())] ?? {};
		if (cut !== undefined) forget(state, name, cut, settings);
		line.cut = cut;
	}
	// They are all of states that last.
	if (excess() > 0) line.reports.splice(1, excess());
}

/** A report, and the timeline that it belongs to. */
interface Placed {
	readonly name: string;
	readonly report: Report;
}

/** An EVSE and its connectors share a timeline, because what one says can be about the other. */
export function reportOf(
	fact: Fact,
	{ at: t, eventId: id }: EventFacts,
	settings: StationSettings,
): Placed | undefined {
	if (fact.about === 'connection') {
		const key = fact.isConnected ? '' : 'offline';
		const d = key === '' ? {} : { d: { status: fact.status } };
		return { name: '', report: { t, id, key, ...d } };
	}
	if (fact.about !== 'status' && fact.about !== 'problem') return undefined;
	const { connector, stationTime: _time, about: _about, ...said } = fact;
	const [name = connector, of] = connector.split('/');
	const place = of === undefined ? {} : { of: connector };
	if (!('component' in said)) {
		const only = said.isOnly === true && { only: true };
		const key = keyOf(said, settings);
		const isStatus = settings.kind === 'connectorStatus';
		const d = isStatus ? { status: said.status } : detailOf(said);
		return { name, report: { t, id, key, ...place, ...only, ...(key !== '' && { d }) } };
	}
	const { component: part, isActive, errorCode: error, info } = said;
	if (!isActive) return { name, report: { t, id, key: '', ...place, part } };
	return { name, report: { t, id, key: FAULTED, ...place, part, d: { error, info } } };
}

const FAULTED = 'Faulted';

/** Empty for a status that the trigger does not watch. */
function keyOf(said: Pick<ConnectorStatus, 'status'>, { kind, statuses }: StationSettings): string {
	if (kind === 'connectorStatus') return statuses.includes(said.status) ? said.status : '';
	return isFault(said) ? FAULTED : '';
}

/** Undefined if the station has too many. */
function lineOf(state: StationState, name: string): Timeline | undefined {
	const lines = (state.lines ??= {});
	if (Object.hasOwn(lines, name)) return lines[name];
	if (Object.keys(lines).length >= MOST_CONNECTORS) return undefined;
	return (lines[name] = emptyTimeline());
}

/** Adds what is quiet, after all events of a poll that are not. Returns whether the state changed. */
export function addQuietFacts(
	state: StationState,
	event: EventFacts,
	settings: StationSettings,
	unreadUpTo: readonly number[],
): boolean {
	let changed = false;
	for (const fact of event.facts) {
		if (!isQuiet(fact) || !isWatched(fact, settings)) continue;
		const { at: t, eventId: id } = event;
		const placed =
			fact.about === 'sent'
				? { name: '', report: { t, id, key: '' } }
				: reportOf(fact, event, settings);
		if (placed === undefined) continue;
		const isUseful = unreadUpTo.length > 0 || Object.hasOwn(state.lines ?? {}, placed.name);
		const line = isUseful ? lineOf(state, placed.name) : undefined;
		if (line && addQuiet(line, { ...placed.report, quiet: true }, unreadUpTo)) changed = true;
	}
	return changed;
}

/** Drops the quiet reports that end nothing any more. Returns whether there were such. */
export function dropQuietReports(
	{ lines = {} }: StationState,
	unreadUpTo: readonly number[],
): boolean {
	let changed = false;
	for (const [name, line] of Object.entries(lines)) {
		if (dropQuiet(line, unreadUpTo)) changed = true;
		if (line.reports.length === 0) Reflect.deleteProperty(lines, name);
	}
	return changed;
}

/** Compacts a timeline. Faults that are over then are kept, if their number counts. */
function forget(
	state: StationState,
	name: string,
	cut: number,
	settings: StationSettings,
	more: { readonly from?: number; readonly isOpen?: boolean } = {},
): void {
	const line = state.lines?.[name];
	if (line === undefined) return;
	if (isRepeated(settings) && (line.reports[0]?.t ?? Infinity) < cut) {
		const over = runsOf(line, name, Infinity)
			.filter(({ until = Infinity }) => until < cut)
			.flatMap((run) => openingsOf(run, settings))
			.map(countedFaultOf);
		const faults = [...(state.faults ?? []), ...over].sort(inOrder);
		state.faults = faults.slice(-MOST_REPORTS);
	}
	compact(line, name, { cut, ...more });
}

/**
 * When the fault of the whole station began that is in force at `cut`: its connectors were in turn faulted since. An incident
 * that lasts knows that itself.
 */
function wholeSince(state: StationState, cut: number, settings: StationSettings): number {
	const { kind, scope, forMs } = settings;
	const isWhole = kind === 'connectorFault' && scope === 'station' && !isRepeated(settings);
	const known = state.incidents?.[''];
	const isKnown = known !== undefined && known.until === undefined;
	if (!isWhole || isKnown || forMs <= LATEST_MS) return cut;
	return inOneGo(runsOfAll(state.lines, Infinity))
		.sort((a, b) => b.since - a.since)
		.reduce((from, { since, until = Infinity }) => {
			return until >= from ? Math.min(from, since) : from;
		}, cut);
}

/** Folds and removes what everything up to the watermark no longer needs; `isOpen`: what is older may still be read. */
export function compactStation(
	state: StationState,
	watermark: number,
	settings: StationSettings,
	isOpen: boolean,
): void {
	const cut = watermark - LATEST_MS;
	const from = wholeSince(state, cut, settings);
	for (const [name, line] of Object.entries(state.lines ?? {})) {
		forget(state, name, cut, settings, { from, isOpen });
		limitReports(state, name, settings);
		if (line.reports.length === 0) delete state.lines?.[name];
	}
	if (state.faults) state.faults = state.faults.filter(({ t }) => t >= cut - settings.withinMs);
	if (state.sessions) compactSessions(state.sessions, watermark, settings);
	const lastingSince = isRepeated(settings) ? firstOf(state.lines) : Infinity;
	for (const [part, { reported, until = Infinity }] of Object.entries(state.incidents ?? {})) {
		// Faults that it has counted, and that last, would open another one.
		const isLeft =
			until < Math.min(cut, watermark - settings.resolveAfterMs) && until < lastingSince;
		if (reported === 'closed' && isLeft) delete state.incidents?.[part];
	}
}

/** When the first state that is known began. */
const firstOf = (lines: StationState['lines'] = {}): number =>
	Math.min(
		...Object.values(lines).map(
			({ reports }) => reports.find(({ key }) => key !== '')?.t ?? Infinity,
		),
	);

export function isEmpty({ lines, faults, incidents, sessions }: StationState): boolean {
	return (
		Object.keys(lines ?? {}).length === 0 &&
		Object.keys(incidents ?? {}).length === 0 &&
		(faults ?? []).length === 0 &&
		hasNoSessions(sessions)
	);
}
