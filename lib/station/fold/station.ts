/** Adds what an event says to the state of its station, as far as the trigger watches it. */
import { is201, type KnownPlaces } from '../common/places';
import {
	isRepeated,
	LATEST_MS,
	MOST_BOOTS,
	MOST_COMPONENTS,
	MOST_READ_REPORTS,
	MOST_REPORTS,
	OLD_SOCKET_MS,
	RESPONSE_MS,
	BOOT_ASKED_MS,
	type StationSettings,
} from '../common/settings';
import type { Boot, Report, StationState, Timeline } from '../common/state';
import type { ConnectorStatus, Fact, EventFacts } from '../facts';
import { compactSessions } from './compactSessions';
import { type Components, componentsOf, CONNECTION, lineName, originalOf } from './components';
import { countedFaultOf, detailOf, isFault, openingsOf } from './faults';
import { OFFLINE } from './outages';
import { isQuiet, isWatched } from './quiet';
import { runsOf } from './runs';
import { addSessionFact, hasNoSessions, noSessions } from './sessions';
import { add, inOrder } from './sets';
import { addQuiet, addReport, compact, dropQuiet, emptyTimeline, endByBoot } from './timeline';

/**
 * By their creation, but what begins something first: meter values that name no transaction count only if the start of their
 * session is known, and can be created just before it; what may end something counts only if its beginning is known.
 */
export function inFoldOrder(a: EventFacts, b: EventFacts): number {
	return Number(isBeginning(b)) - Number(isBeginning(a)) || a.at - b.at;
}

const isBeginning = ({ facts }: EventFacts): boolean =>
	facts.some(
		(fact) =>
			fact.about === 'start' ||
			(fact.about === 'transaction' && fact.phase === 'started') ||
			(fact.about === 'connection' && !fact.isConnected),
	);

/** Adds all but what is quiet. Returns whether the state changed. */
export function addEvent(
	state: StationState,
	event: EventFacts,
	settings: StationSettings,
): boolean {
	let changed = false;
	for (const fact of event.facts) {
		if (isQuiet(fact, settings) || !isWatched(fact, settings)) continue;
		if (addFact(state, fact, event, settings)) changed = true;
	}
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
	const boot = bootOf(fact, event);
	if (boot !== undefined) return addBoot(state, boot);
	const found = reportOf(fact, event, settings);
	if (found === undefined) return false;
	const line = lineOf(state, found.name);
	if (line === undefined || !addReport(line, found.report)) return false;
	if (line.reports.length > MOST_READ_REPORTS) limitReports(state, found.name, settings);
	return true;
}

/** Whether it shows a component that is not known so far, or only since later. */
export function showsPlace(
	known: KnownPlaces,
	fact: Fact,
	{ at }: Pick<EventFacts, 'at'>,
): fact is ConnectorStatus {
	if (fact.about !== 'status' || !is201(fact.connector)) return false;
	const before = Object.hasOwn(known, fact.connector) ? known[fact.connector] : undefined;
	if (before !== undefined) return at < before;
	return Object.keys(known).length < MOST_COMPONENTS;
}

/** Adds since when the component is known. */
export function know(
	known: Record<string, number>,
	fact: Fact,
	event: Pick<EventFacts, 'at'>,
): void {
	if (showsPlace(known, fact, event)) known[fact.connector] = event.at;
}

export function bootOf(fact: Fact, { at: t, eventId: id }: EventFacts): Boot | undefined {
	switch (fact.about) {
		case 'boot': {
			const m = fact.messageId === undefined ? {} : { m: fact.messageId };
			return { t, id, ...m, ...(fact.hasReason === true && { r: true }) };
		}
		case 'bootAsked':
			return { t, id, as: 'asked' };
		case 'bootRefused':
			return { t, id, as: 'refused', m: fact.messageId };
		default:
			return undefined;
	}
}

function addBoot(state: StationState, boot: Boot): boolean {
	const isSame = ({ t, id }: Boot) => t === boot.t && id === boot.id;
	return add((state.boots ??= []), boot, MOST_BOOTS, isSame);
}

/** Forgets the oldest reports of a timeline, as far as they are too many to be stored. */
function limitReports(state: StationState, name: string, settings: StationSettings): void {
	const line = state.lines?.[name] ?? emptyTimeline();
	const excess = () => line.reports.length - MOST_REPORTS;
	if (excess() <= 0) return;
	for (let n = 1; excess() > 0 && n < line.reports.length; n++) {
		const { t: cut = line.cut } = line.reports[Math.max(n, excess())] ?? {};
		const components = componentsOf(state, { until: Infinity, watermark: Infinity });
		if (cut !== undefined) forget(state, [name], settings, { cut }, components);
		line.cut = cut;
	}
	// They are all of states that last.
	if (excess() > 0) line.reports.splice(1, excess());
}

/** A report, and the timeline that it belongs to. */
export interface Placed {
	readonly name: string;
	readonly report: Report;
}

/** In the order in which an event says it. */
export function reportOf(
	fact: Fact,
	event: Omit<EventFacts, 'assetId'>,
	settings: Pick<StationSettings, 'kind' | 'statuses'>,
): Placed | undefined {
	const placed = placedReport(fact, event, settings);
	const n = placed && event.facts.length > 1 ? event.facts.indexOf(fact) : 0;
	return placed && n > 0 ? { ...placed, report: { ...placed.report, n } } : placed;
}

function placedReport(
	fact: Fact,
	{ at: t, eventId: id }: Omit<EventFacts, 'assetId'>,
	settings: Pick<StationSettings, 'kind' | 'statuses'>,
): Placed | undefined {
	switch (fact.about) {
		case 'connection':
			return {
				name: CONNECTION,
				// Of a connection that is lost and back at the same time, the station has it.
				report: fact.isConnected
					? { t, id, key: '', w: 1 }
					: { t, id, key: OFFLINE, d: { status: fact.status } },
			};
		case 'status': {
			const key = keyOf(fact, settings);
			const worse = badnessOf(fact);
			const isStatus = settings.kind === 'connectorStatus';
			const d = isStatus ? { status: fact.status } : detailOf(fact);
			const v = fact.is201 === undefined ? {} : { v: fact.is201 };
			const about = { t, id, key, ...v, ...(worse > 0 && { w: worse }), ...(key !== '' && { d }) };
			return { name: fact.connector, report: about };
		}
		case 'problem': {
			const {
				connector,
				component,
				techCode,
				errorCode: error,
				info,
				isActive,
				isMonitored,
			} = fact;
			const name = lineName(connector, component);
			const c = techCode === undefined ? {} : { c: techCode };
			if (!isActive) return { name, report: { t, id, key: '', ...c } };
			const m = isMonitored === true && { m: true };
			return { name, report: { t, id, key: FAULTED, w: 1, ...c, ...m, d: { error, info } } };
		}
		default:
			return undefined;
	}
}

const FAULTED = 'Faulted';

const BADNESS: Readonly<Record<string, number>> = { faulted: 3, unavailable: 2, available: 0 };

/** Of two that a component reports at the same time, the worse one holds. */
export const badnessOf = ({ status }: Pick<ConnectorStatus, 'status'>): number =>
	BADNESS[status.toLowerCase()] ?? 1;

/** Empty for a status that the trigger does not watch. */
function keyOf(
	said: Pick<ConnectorStatus, 'status'>,
	{ kind, statuses }: Pick<StationSettings, 'kind' | 'statuses'>,
): string {
	if (kind === 'connectorStatus') return statuses.includes(said.status) ? said.status : '';
	return isFault(said) ? FAULTED : '';
}

/** Undefined if the station has too many. */
function lineOf(state: StationState, name: string): Timeline | undefined {
	const lines = (state.lines ??= {});
	if (Object.hasOwn(lines, name)) return lines[name];
	if (Object.keys(lines).length >= MOST_COMPONENTS) return undefined;
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
		if (!isQuiet(fact, settings) || !isWatched(fact, settings)) continue;
		const boot = bootOf(fact, event);
		if (boot !== undefined) {
			if (isUsefulBoot(boot, state, unreadUpTo) && addBoot(state, boot)) changed = true;
		} else if (addQuietReport(state, fact, event, settings, unreadUpTo)) changed = true;
	}
	return changed;
}

/** Whether what the service said is about a boot that is known, or can be about one that is still to be read. */
function isUsefulBoot(
	{ t, as, m }: Boot,
	{ boots = [] }: StationState,
	unreadUpTo: readonly number[],
): boolean {
	if (as === 'refused' && unreadUpTo.some((end) => Math.abs(t - end) <= RESPONSE_MS)) return true;
	return boots.some((boot) => {
		if (boot.as !== undefined) return false;
		if (as === 'refused') return boot.m === m && Math.abs(boot.t - t) <= RESPONSE_MS;
		return boot.r !== true && t <= boot.t && boot.t - t <= BOOT_ASKED_MS;
	});
}

function addQuietReport(
	state: StationState,
	fact: Fact,
	event: EventFacts,
	settings: StationSettings,
	unreadUpTo: readonly number[],
): boolean {
	const { at: t, eventId: id } = event;
	// What is sent at the time of a lost connection counts as sent after it, like one that is back then.
	const placed =
		fact.about === 'sent'
			? { name: CONNECTION, report: { t, id, key: '', w: 1 } }
			: reportOf(fact, event, settings);
	if (placed === undefined) return false;
	const { name, report } = placed;
	// Of states, only the connection after a boot matters.
	if (report.key === OFFLINE) {
		const isAfterBoot = ({ as, t: bootAt }: Boot) => as === undefined && bootAt <= t;
		if (unreadUpTo.length === 0 && state.boots?.some(isAfterBoot) !== true) return false;
		return addReport(lineOf(state, name) ?? emptyTimeline(), report);
	}
	const isUseful = unreadUpTo.length > 0 || Object.hasOwn(state.lines ?? {}, name);
	const line = isUseful ? lineOf(state, name) : undefined;
	// A connection that is back is no sign among others.
	const isSign = fact.about !== 'connection';
	const added = isSign ? { ...report, quiet: true } : report;
	return line !== undefined && addQuiet(line, added, unreadUpTo, isStraggler);
}

/**
 * Whether a sign of life came so soon after the connection was lost that the next one is needed, too. What is unread may have lost
 * it.
 */
function isStraggler(
	sign: Report,
	before: readonly Report[],
	unreadUpTo: readonly number[],
): boolean {
	if (sign.c !== undefined) return false;
	const lost = before.findLast(({ key }) => key === OFFLINE);
	const lostBy = lost === undefined ? unreadUpTo : [lost.t, ...unreadUpTo];
	return lostBy.some((t) => t <= sign.t && sign.t - t < OLD_SOCKET_MS);
}

/** Drops the quiet reports that end nothing any more. Returns whether there were such. */
export function dropQuietReports(
	{ lines = {} }: StationState,
	unreadUpTo: readonly number[],
): boolean {
	let changed = false;
	for (const [name, line] of Object.entries(lines)) {
		if (dropQuiet(line, unreadUpTo, isStraggler)) changed = true;
		if (line.reports.length === 0) Reflect.deleteProperty(lines, name);
	}
	return changed;
}

/**
 * Removes the reports before `cut`, except those of states that were in force then, or since `from`. Faults that are over by then
 * are kept, if their number counts.
 */
function forget(
	state: StationState,
	names: readonly string[],
	settings: StationSettings,
	{
		cut,
		from = cut,
		isOpen = false,
	}: { readonly cut: number; readonly from?: number; readonly isOpen?: boolean },
	components: Components,
): void {
	const lines = names.flatMap((name) => state.lines?.[name] ?? []);
	if (!lines.some(({ reports }) => reports.some(({ t }) => t < cut))) return;
	const runs = runsOf(components, settings);
	if (isRepeated(settings)) {
		const own = new Set(lines.flatMap(({ reports }) => reports));
		const over = runs
			.filter(
				({ until = Infinity, reports }) => until < cut && reports.every((one) => own.has(one)),
			)
			.flatMap((run) => openingsOf(run, settings))
			.map((opening) => countedFaultOf(opening, settings).fault);
		state.faults = [...(state.faults ?? []), ...over].sort(inOrder).slice(-MOST_REPORTS);
	}
	const isKept = ({ until = Infinity }: { readonly until?: number }) => until >= from;
	const stretches = runs.filter(isKept).flatMap((run) => run.stretches);
	const kept = new Set(stretches.flatMap(({ reports }) => reports));
	const ends = new Set(stretches.flatMap(({ end }) => (end ? [originalOf(end)] : [])));
	// What a boot or another component has ended would last again without it.
	for (const { name, stretches: own } of components.all) {
		const others = names.includes(name) ? [] : own.flatMap(({ end }) => end ?? []);
		for (const end of others) ends.add(originalOf(end));
		const line = names.includes(name) ? state.lines?.[name] : undefined;
		for (const stretch of line === undefined ? [] : own) {
			const isEndedByBoot = (stretch.until ?? Infinity) < cut && stretch.end === undefined;
			if (!isEndedByBoot || !stretches.includes(stretch)) continue;
			for (const end of endByBoot(line ?? emptyTimeline(), stretch)) ends.add(end);
		}
	}
	for (const { first, since, until = Infinity } of components.outages.filter(isKept)) {
		const isOfIt = ({ key, t }: Report) =>
			key === OFFLINE && since <= t && t < Math.min(cut, until);
		const last = state.lines?.[CONNECTION]?.reports.findLast(isOfIt);
		kept.add(first).add(last ?? first);
	}
	for (const line of lines) compact(line, cut, { kept, ends, isOpen });
}

/**
 * When the fault of the whole station began that is in force at `cut`: its connectors were in turn faulted since. An incident
 * that lasts knows that itself.
 */
function wholeSince(
	{ incidents }: StationState,
	cut: number,
	settings: StationSettings,
	components: Components,
): number {
	const { kind, scope, forMs } = settings;
	const isWhole = kind === 'connectorFault' && scope === 'station' && !isRepeated(settings);
	const known = incidents?.[''];
	const isKnown = known !== undefined && known.until === undefined;
	if (!isWhole || isKnown || forMs <= LATEST_MS) return cut;
	return runsOf(components, settings)
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
	compactLines(state, watermark, settings, isOpen);
	if (state.faults) state.faults = state.faults.filter(({ t }) => t >= cut - settings.withinMs);
	if (state.sessions) compactSessions(state.sessions, watermark, settings);
	const leftUntil = Math.min(cut, watermark - settings.resolveAfterMs);
	for (const [part, { reported, until = Infinity }] of Object.entries(state.incidents ?? {})) {
		if (reported === 'closed' && until < leftUntil) delete state.incidents?.[part];
	}
}

function compactLines(
	state: StationState,
	watermark: number,
	settings: StationSettings,
	isOpen: boolean,
): void {
	const { lines = {} } = state;
	const names = Object.keys(lines);
	if (names.length === 0 && state.boots === undefined) return;
	let cut = watermark - LATEST_MS;
	const isOld = Object.values(lines).some(({ reports }) => reports.some(({ t }) => t < cut));
	if (isOld || state.boots !== undefined) {
		const components = componentsOf(state, { until: Infinity, watermark });
		// What a boot decides, it needs until then, also for what is still to be read.
		const needed = components.windows.filter(({ isOver }) => isOpen || !isOver).map(({ t }) => t);
		cut = Math.min(cut, ...needed);
		const from = wholeSince(state, cut, settings, components);
		forget(state, names, settings, { cut, from, isOpen }, components);
	}
	for (const name of names) limitReports(state, name, settings);
	if (!isOpen) {
		// A boot without the reports after it would end what they say.
		state.boots = state.boots?.filter(
			({ t, as }) => t >= (as === undefined ? cut : cut - RESPONSE_MS),
		);
		if (state.boots?.length === 0) delete state.boots;
		if (!state.boots && settings.kind !== 'stationOffline')
			Reflect.deleteProperty(lines, CONNECTION);
	}
	for (const [name, { reports }] of Object.entries(lines)) {
		if (reports.length === 0) Reflect.deleteProperty(lines, name);
	}
}

/** When the newest report was created. */
export function newestOf({ lines = {}, boots = [], sessions }: StationState): number {
	const { starts = [], stops = [], metered = [] } = sessions ?? {};
	const all = [
		...Object.values(lines).map(({ reports }) => reports),
		boots,
		starts,
		stops,
		metered,
	];
	return all.flat().reduce((newest, { t }) => Math.max(newest, t), -Infinity);
}

export function isEmpty({ lines, boots, faults, incidents, sessions }: StationState): boolean {
	const lists = [faults ?? [], boots ?? []];
	return (
		[lines, incidents].every((one) => Object.keys(one ?? {}).length === 0) &&
		lists.every(({ length }) => length === 0) &&
		hasNoSessions(sessions)
	);
}
