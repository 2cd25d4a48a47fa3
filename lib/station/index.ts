/** The incidents of stations: the exports that the nodes use. */
export { connectionSettings, DEFAULT_CONNECTION } from './facts';
export { type Found, incidentsToChoose, newestIncidents, type Shown } from './past/newest';
export { checkListed, directoryNow, isStation } from './common/directory';
export {
	type Asked,
	pastIncidents,
	pastOutages,
	pastSessions,
	pastUptime,
	reportedIn,
	type ReportedEntry,
	stationStatus,
} from './past/ask';
export {
	type Past,
	type Period,
	readPast,
	SILENT_AFTER_MS,
	type Wants,
	WANTS_OF,
} from './past/read';
export { Readings } from './past/readings';
export { split, type SplitBy } from './past/spans';
export type { Exclusion, OutageQuestion, Per, UptimeQuestion } from './past/uptime';
export { pollStations } from './poll';
export type { StationPollOptions } from './records';
export { watchedSettings } from './common/watched';
export { type Kind, MINUTE_MS, type Scope, type StationSettings } from './common/settings';
