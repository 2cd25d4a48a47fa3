/** Adds what an event says to the state of its station, as far as the trigger watches it. */
import { isRepeated, LATEST_MS, MOST_CONNECTORS, type StationSettings } from '../common/settings';
import type { Report, StationState } from '../common/state';
import type { ConnectorStatus, Fact, EventFacts } from '../facts';
import { addFault, codeOf, compactFaults, detailOf, isFault } from './faults';
import { addSessionFact, compactSessions, noSessions } from './sessions';
import { addReport, compact, emptyTimeline } from './timeline';

/** Whether the trigger watches this kind of fact. */
export function isWatched({ about }: Fact, { kind }: StationSettings): boolean {
	if (kind === 'stationOffline') return about === 'connection';
	if (kind === 'sessionEnded') return about !== 'connection' && about !== 'status';
	return about === 'status';
}

/** Returns whether the state changed. */
export function addEvent(
	state: StationState,
	event: EventFacts,
	settings: StationSettings,
): boolean {
	let changed = false;
	for (const fact of event.facts) {
		if (isWatched(fact, settings) && addFact(state, fact, event, settings)) changed = true;
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
	const { at: t, eventId: id } = event;
	if (settings.kind === 'sessionEnded') {
		return addSessionFact((state.sessions ??= noSessions()), fact, event, settings);
	}
	if (fact.about === 'connection') {
		const key = fact.isConnected ? '' : 'offline';
		return addTo(state, '', { t, id, key, ...(key !== '' && { d: { status: fact.status } }) });
	}
	if (fact.about !== 'status') return false;
	if (isRepeated(settings)) return isFault(fact) && addFault((state.faults ??= []), fact, event);
	const key = keyOf(fact, settings);
	return addTo(state, fact.connector, { t, id, key, ...(key !== '' && { d: detailOf(fact) }) });
}

/** Empty for a status that the trigger does not watch. */
function keyOf(fact: ConnectorStatus, { kind, statuses, scope }: StationSettings): string {
	if (kind === 'connectorStatus') return statuses.includes(fact.status) ? fact.status : '';
	if (!isFault(fact)) return '';
	return scope === 'code' ? `Faulted ${codeOf(detailOf(fact))}` : 'Faulted';
}

function addTo(state: StationState, name: string, report: Report): boolean {
	const lines = (state.lines ??= {});
	const known = Object.hasOwn(lines, name) ? lines[name] : undefined;
	if (known === undefined && Object.keys(lines).length >= MOST_CONNECTORS) return false;
	return addReport((lines[name] = known ?? emptyTimeline()), report);
}

/** Folds and removes what everything up to the watermark no longer needs. */
export function compactStation(
	state: StationState,
	watermark: number,
	settings: StationSettings,
): void {
	const cut = watermark - LATEST_MS;
	for (const [name, line] of Object.entries(state.lines ?? {})) {
		compact(line, cut);
		if (line.base === undefined && line.reports.length === 0) delete state.lines?.[name];
	}
	if (state.faults) state.faults = compactFaults(state.faults, cut - settings.withinMs);
	if (state.sessions) compactSessions(state.sessions, watermark, settings);
	for (const [part, { reported, until = Infinity }] of Object.entries(state.incidents ?? {})) {
		const isLeft = until < Math.min(cut, watermark - settings.resolveAfterMs);
		if (reported === 'closed' && isLeft) delete state.incidents?.[part];
	}
}

export function isEmpty({ lines, faults, incidents, sessions }: StationState): boolean {
	const lists = [...Object.values(sessions ?? {}), faults ?? []];
	return (
		Object.keys(lines ?? {}).length === 0 &&
		Object.keys(incidents ?? {}).length === 0 &&
		lists.every(({ length }) => length === 0)
	);
}
