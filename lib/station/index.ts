/** The incidents of stations: the exports that the trigger uses. */
export { type Memory, type KnownUntil } from './head';
export { newestIncidents } from './newest';
export { pollStations, type StationPollOptions } from './poll';
export { type Kind, MINUTE_MS, type Scope, type StationSettings } from './settings';
