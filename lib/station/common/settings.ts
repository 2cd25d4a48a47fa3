/** What a station trigger watches, and the bounds of its state. Times are in milliseconds. */
import { createHash } from 'node:crypto';
import { LOOKS } from '../../follow';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time';

export { DAY_MS, HOUR_MS, MINUTE_MS };

export type Kind = 'stationOffline' | 'connectorStatus' | 'connectorFault' | 'sessionEnded';
export type Scope = 'code' | 'connector' | 'station';

export interface StationSettings {
	readonly kind: Kind;
	/** How long a state has to last before an incident opens. */
	readonly forMs: number;
	/** A state that is back within less than this is the same incident. */
	readonly resolveAfterMs: number;
	/** For `connectorStatus`. */
	readonly statuses: readonly string[];
	/** For `connectorFault`: what counts as the same incident. */
	readonly scope: Scope;
	/** For `connectorFault`: an incident opens with this many faults within `withinMs`. */
	readonly times: number;
	readonly withinMs: number;
	readonly reportResolved: boolean;
	/** For `stationOffline`: what the service calls both states, compared without case and separators, */
	readonly connectedWords: readonly string[];
	readonly disconnectedWords: readonly string[];
	/** and the dot path of that word in the `data` of an `asset.connectivity` event. */
	readonly connectionPath: string;
	/** How far back the first poll reads, and the first one after a pause. */
	readonly catchUpMs: number;
	/** For `sessionEnded`: whether sessions have the RFID tag, which is personal data. Without, it is not kept either. */
	readonly includeIdTag?: boolean;
	/** The IDs of the stations that it watches; all if absent. */
	readonly onlyStations?: readonly string[];
	/** Parts of sessions that are kept per list: `MOST_REPORTS` by default, which limits a state that is stored. */
	readonly mostParts?: number;
}

/** Whether an incident is a number of faults and not a state that lasts. */
export const isRepeated = ({ kind, times }: StationSettings): boolean =>
	kind === 'connectorFault' && times > 1;

/** By settings: a poll asks several times. */
const digests = new WeakMap<StationSettings, string>();

/** Names the settings that a state depends on: if they change, the state starts again. */
export function digestOf(settings: StationSettings): string {
	const digest = digests.get(settings) ?? newDigest(settings);
	digests.set(settings, digest);
	return digest;
}

function newDigest(settings: StationSettings): string {
	const { kind, statuses, scope, onlyStations = [] } = settings;
	const parts = {
		stationOffline: [],
		connectorStatus: [...statuses].sort(),
		connectorFault: [scope, isRepeated(settings)],
		sessionEnded: [],
	};
	// What is open at a station that is not watched any more has to end, and the past of one that is new has to be read.
	const only = onlyStations.length > 0 ? [[...onlyStations].sort()] : [];
	const text = JSON.stringify([kind, parts[kind], ...only]);
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/** Events appear in the list up to this long after their creation: what the state was before is certain. */
export const GRACE_MS = MINUTE_MS;
const [{ lateMs, everyMs }] = LOOKS;
/**
 * As old is what the shorter look back finds, of polls at least every ten minutes. What is older is left out: the state before is
 * kept only as its result.
 */
export const LATEST_MS = lateMs + everyMs + 10 * MINUTE_MS;
/** A message so soon after a lost connection can be a straggler of the old socket, or show that only an older one was lost. */
export const OLD_SOCKET_MS = MINUTE_MS;
/** Such a message ends the outage only if another one follows within this time. */
export const STRAGGLER_MS = 30 * MINUTE_MS;
/** Within this time after a boot, a station reports what is still so. */
export const BOOT_MS = 10 * MINUTE_MS;
/** A BootNotification that the service asked for comes within this time: it is no boot. */
export const BOOT_ASKED_MS = MINUTE_MS;
/** A call and the response to it are at most this far apart: as far as each poll reads back. */
export const RESPONSE_MS = 2 * MINUTE_MS;
/** What an incident is, is certain that long after its end: whether it comes back, and whether a boot or a straggler ended it. */
export const certainAfter = ({ resolveAfterMs }: Pick<StationSettings, 'resolveAfterMs'>): number =>
	resolveAfterMs + BOOT_MS + STRAGGLER_MS;
/** A record that is not written for as long as the ledger keeps it is removed: one with something open is written this often. */
export const RENEW_MS = 7 * DAY_MS;
/** A session whose start is not found is reported this long after its end. */
export const START_WAIT_MS = 10 * MINUTE_MS;
/** A session without a stop is reported this long after the next one of its connector began: a stop can wait for its start as well. */
export const SESSION_WAIT_MS = 2 * START_WAIT_MS;
/** A session whose stop has no register is reported this long after it: the last meter values may follow. */
export const CLOSING_MS = MINUTE_MS;
/**
 * A station's time counts if it is at most so far ahead of the service's, as of a clock that drifts between two boots, and at
 * most so far behind, as of a message that waited in a station without a connection. Any other clock is not set.
 */
export const STATION_AHEAD_MS = 10 * MINUTE_MS;
export const STATION_BEHIND_MS = 30 * DAY_MS;
/** A station that boots may send a stop again, with another time: it is known that long, and at least for `LATEST_MS`. Then its ID can be that of another session. */
export const REPEATED_MS = HOUR_MS;
/** A stop may arrive that long after its session was reported as having none. */
export const LATE_STOP_MS = DAY_MS;
/** Of the readings of a transaction, the first and the last of each such time are kept, until it is too late for others. */
export const READINGS_MS = 30 * MINUTE_MS;
/** Parts of sessions that do not belong to an ended one. */
export const UNMATCHED_MS = 30 * DAY_MS;
/** An asset counts as removed when a second list lacks it, this long after the first. */
export const REMOVED_AFTER_MS = 10 * MINUTE_MS;

/** Per timeline, set of faults or list of session parts; the newest stay. */
export const MOST_REPORTS = 64;
/** Of a station: sessions that are known to be told for as long as a stop can come late. */
export const MOST_TOLD = 16;
/** Of a timeline, and of a list of session parts, while a poll decides: after a pause it reads many hours. */
export const MOST_READ_REPORTS = 1_000;
export const MOST_READ_PARTS = 256;
/** Components of a station with a status or problems. */
export const MOST_COMPONENTS = 64;
/** Messages of a station about its boots. */
export const MOST_BOOTS = 64;
/** Error codes that a fault names; a later one opens nothing. */
export const MOST_CODES = 20;
/** Faults that an item lists. */
export const MOST_FAULTS = 20;
/** Incidents of a part before its latest one, of the last minute. */
export const MOST_EARLIER = 20;
export const SHARDS = 64;
export const MOST_SHARD_BYTES = 128 * 1024;
/** Per shard: stations that the asset list lacks. */
export const MOST_UNLISTED = 100;
/** Per shard: items that are decided and have not begun. */
export const MOST_TO_TELL = 1_000;
/** Incidents of stations that the asset list lacks. */
export const MOST_UNLISTED_PER_POLL = 100;
export const MOST_UNLISTED_PER_DAY = 1_000;
