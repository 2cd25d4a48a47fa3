/** The incidents of stations: the exports that the trigger uses. */
export { connectionSettings, DEFAULT_CONNECTION } from './facts';
export { newestIncidents } from './newest';
export { pollStations, type StationPollOptions } from './poll';
export { type Kind, MINUTE_MS, type Scope, type StationSettings } from './common/settings';
