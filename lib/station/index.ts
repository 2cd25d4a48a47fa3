/** The incidents of stations: the exports that the trigger uses. */
export { connectionSettings, DEFAULT_CONNECTION } from './facts';
export { newestIncidents } from './newest';
export { type StationPollOptions } from './options';
export { pollStations } from './poll';
export { type Kind, MINUTE_MS, type Scope, type StationSettings } from './common/settings';
