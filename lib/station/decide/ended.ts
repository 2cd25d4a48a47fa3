/** Incidents that no report ends: of stations that are removed, and of settings that no longer watch them. */
import { resolvedEntry } from '../common/incident';
import { REMOVED_AFTER_MS, type StationSettings } from '../common/settings';
import type { Incident, ReportEntry, StationState } from '../common/state';
import type { Moment } from './moment';

/** Whether the list may show something new about a station with an open incident. */
export function mayBeRemoved(
	assetId: string,
	{ incidents = {} }: StationState,
	{ listing }: Moment,
): boolean {
	if (listing === undefined) return false;
	const isAsListed = ({ listed, missing }: Incident) =>
		listed === true && missing === undefined && listing.has(assetId);
	return Object.values(incidents).some((one) => one.reported === 'opened' && !isAsListed(one));
}

/** Ends the incidents of a station that two lists lacked, if an earlier one had it. */
export function removed(assetId: string, state: StationState, moment: Moment): ReportEntry[] {
	const { listing, settings, watermark } = moment;
	if (listing === undefined) return [];
	return Object.values(state.incidents ?? {}).flatMap((incident) => {
		if (incident.reported !== 'opened') return [];
		if (listing.has(assetId)) {
			delete incident.missing;
			incident.listed = true;
			return [];
		}
		if (!incident.listed) return [];
		incident.missing ??= listing.at;
		if (listing.at - incident.missing < REMOVED_AFTER_MS) return [];
		incident.reported = 'closed';
		incident.until ??= listing.at;
		incident.closedUntil = incident.until;
		if (!settings.reportResolved) return [];
		const place = { kind: settings.kind, assetId, watermark };
		return [resolvedEntry(incident, place, incident.until, 'removed')];
	});
}

/** Ends what is open, because the settings no longer watch it. Without an output for what resolved, nothing is sent. */
export function endedBySettings(
	assetId: string,
	state: StationState,
	moment: Moment,
	kind: StationSettings['kind'],
): ReportEntry[] {
	if (!moment.settings.reportResolved) return [];
	const open = Object.values(state.incidents ?? {}).filter(({ reported }) => reported === 'opened');
	const place = { kind, assetId, watermark: moment.watermark };
	const until = Math.max(moment.watermark, moment.publishedAt);
	return open.map((incident) => resolvedEntry(incident, place, until, 'settings'));
}
