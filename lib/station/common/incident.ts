/** The incidents of a station: their IDs, and the items that report them. */
import { createHash } from 'node:crypto';
import { MINUTE_MS, type Kind } from './settings';
import type { ReportEntry, Fault, Incident } from './state';

/** Whose incidents they are. */
export interface Owner {
	readonly workflowId: string;
	readonly nodeId: string;
}

/** With the suffix `.opened` or `.resolved` at most 36 characters: also an ID of an OCPP message. */
export function incidentId(
	{ workflowId, nodeId }: Owner,
	kind: Kind,
	parts: readonly (string | number)[],
): string {
	const prefix = kind === 'sessionEnded' ? 'ses_' : 'inc_';
	const text = JSON.stringify([workflowId, nodeId, kind, ...parts]);
	return prefix + createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

type EndedBy = 'report' | 'boot' | 'removed' | 'settings';

export const isoOf = (time: number | undefined): string | null =>
	time === undefined ? null : new Date(time).toISOString();

/** Whole minutes, rounded down, and never negative. */
export const minutesOf = (ms: number): number => Math.max(0, Math.floor(ms / MINUTE_MS));

/** Where an incident is, and up to when everything is known. */
interface Place {
	readonly kind: Kind;
	readonly assetId: string;
	readonly watermark: number;
}

export function openedEntry(incident: Incident, place: Place, until?: number): ReportEntry {
	const minutes = minutesOf(place.watermark - incident.since);
	return entryOf(incident, place, incident.since, {
		state: 'opened',
		minutes,
		until: isoOf(until),
	});
}

export function resolvedEntry(
	incident: Incident,
	place: Place,
	until: number,
	endedBy: EndedBy,
): ReportEntry {
	const minutes = minutesOf(until - incident.since);
	const state = { state: 'resolved', minutes, until: isoOf(until), endedBy };
	return entryOf(incident, place, until, state);
}

function entryOf(
	incident: Incident,
	{ kind, assetId }: Place,
	t: number,
	ending: { readonly state: string; readonly until: string | null; readonly minutes: number },
): ReportEntry {
	const { state, ...rest } = ending;
	const { id, since, connector = null, from, to } = incident;
	// What people read first comes first.
	const item = {
		connector,
		since: isoOf(since),
		...rest,
		...detailsOf(kind, incident),
		state,
		kind,
		id: `${id}.${state}`,
		incident: id,
		events: to === undefined || rest.until === null ? [from] : [from, to],
	};
	return { id: item.id, t, assetId, item };
}

function detailsOf(kind: Kind, incident: Incident): Record<string, unknown> {
	const { d, count = 1, faults = [], errors = [], vendors = [] } = incident;
	if (kind !== 'connectorFault') return { status: d?.status ?? null };
	return {
		errorCode: d?.error ?? null,
		vendorErrorCode: d?.vendor ?? null,
		info: d?.info ?? null,
		errorCodes: errors,
		vendorErrorCodes: vendors,
		count,
		faults: faults.map(faultOf).reverse(),
	};
}

function faultOf({ t, connector, d: { error, vendor, info } }: Fault): Record<string, unknown> {
	return {
		at: isoOf(t),
		connector,
		errorCode: error ?? null,
		vendorErrorCode: vendor ?? null,
		info: info ?? null,
	};
}
