/** What is wrong with a station now, and since when: connection, connectors, faults, running sessions. */
import { flatMapped, inSteps, sortedInSteps, type Steps } from '../../shared/steps';
import { isoOf, minutesOf, type Owner } from '../common/incident';
import type { StationSettings } from '../common/settings';
import type { Detail } from '../common/state';
import { stretchesOf } from '../decide/parts';
import type { ConnectionSettings, ConnectorStatus, EventFacts } from '../facts';
import { evseOf } from '../facts/values';
import { openingsOf } from '../fold/faults';
import { inOrder } from '../fold/sets';
import { runsOfAll } from '../fold/timeline';
import type { Past, StationFacts } from './read';
import { sessionsOf } from './sessions';
import { pastMoment, stateOf } from './state';

interface StatusQuestion {
	readonly owner: Owner;
	readonly words: ConnectionSettings;
}

interface Reported extends Pick<ConnectorStatus, 'status'> {
	readonly connector: string;
	readonly since: number;
}

interface OpenFault {
	readonly connector: string;
	readonly since: number;
	readonly d: Detail | undefined;
	readonly errors: readonly string[];
}

/** Without the station. `facts` is undefined if nothing was read of it. */
export function* statusOf(
	[assetId, facts]: readonly [string, StationFacts | undefined],
	past: Past,
	question: StatusQuestion,
): Steps<Record<string, unknown>> {
	const { serviceNow: now } = past;
	const minutesSince = (since: number) => minutesOf(now - since);
	const offlineSince = facts && (yield* outageOf(facts, past, question));
	const lastSeen = facts && (yield* lastSignOf(facts, offlineSince));
	const statuses = facts ? yield* statusesOf(facts) : [];
	const faults = facts ? yield* faultsOf(facts, question) : [];
	const sessions = facts ? yield* runningOf([assetId, facts], past, question) : [];
	const isConnected = offlineSince === undefined && lastSeen !== undefined;
	const unavailableSince = facts && (yield* unavailableOf(facts, statuses, question));
	const [status, since] =
		offlineSince !== undefined
			? ['offline', offlineSince]
			: faults.length > 0
				? ['faulted', Math.min(...faults.map((one) => one.since))]
				: unavailableSince !== undefined
					? ['unavailable', unavailableSince]
					: [isConnected ? 'ok' : 'unknown', undefined];
	return {
		status,
		since: isoOf(since),
		minutes: since === undefined ? null : minutesSince(since),
		connected: offlineSince !== undefined ? false : isConnected ? true : null,
		connectors: statuses.map((one) => ({
			connector: one.connector,
			status: one.status,
			since: isoOf(one.since),
			minutes: minutesSince(one.since),
		})),
		faults: faults.map(({ connector, since: from, d, errors }) => ({
			connector,
			errorCode: d?.error ?? null,
			vendorErrorCode: d?.vendor ?? null,
			info: d?.info ?? null,
			errorCodes: errors,
			since: isoOf(from),
			minutes: minutesSince(from),
		})),
		sessions,
		lastSeenAt: isoOf(lastSeen),
	};
}

const settingsFor = (
	{ words }: StatusQuestion,
	kind: StationSettings['kind'],
): StationSettings => ({
	...{ ...words, kind, forMs: 0, resolveAfterMs: 0, statuses: [], scope: 'connector' },
	...{ times: 1, withinMs: 0, reportResolved: true, catchUpMs: 0 },
});

/** Since when the station is offline. */
function* outageOf(
	facts: StationFacts,
	{ serviceNow }: Past,
	question: StatusQuestion,
): Steps<number | undefined> {
	const settings = settingsFor(question, 'stationOffline');
	const moment = pastMoment(question.owner, settings, serviceNow);
	const runs = yield* stretchesOf(yield* stateOf(facts, settings, Infinity), moment);
	return runs.findLast(({ until }) => until === undefined)?.since;
}

/** When the station last sent something, or was connected. */
function* lastSignOf(
	facts: StationFacts,
	offlineSince: number | undefined,
): Steps<number | undefined> {
	const { signs, connections } = facts;
	let last = -Infinity;
	yield* inSteps(signs.times, (at) => {
		last = Math.max(last, at);
	});
	yield* inSteps(connections, ({ at, facts: said }) => {
		const isSign = said.some((fact) => fact.about === 'connection' && fact.isConnected);
		if (isSign) last = Math.max(last, at);
	});
	if (last > -Infinity) return last;
	return offlineSince;
}

const byTime = (a: EventFacts, b: EventFacts) =>
	inOrder({ t: a.at, id: a.eventId }, { t: b.at, id: b.eventId });

/**
 * The last status of each place, and since when it has had that. What an EVSE says of its only connector, without its number,
 * is that of the connector.
 */
function* statusesOf({ states }: StationFacts): Steps<Reported[]> {
	const last = new Map<string, Reported>();
	/** EVSEs that have only said something of their connector. */
	const unnumbered = new Set<string>();
	const placeOf = ({ connector, isOnly }: Pick<ConnectorStatus, 'connector' | 'isOnly'>) => {
		const evse = evseOf(connector);
		if (isOnly) {
			const numbered = [...last.keys()].filter((place) => place !== evse && evseOf(place) === evse);
			const [only, ...others] = numbered;
			if (only !== undefined && others.length === 0) return only;
			if (only === undefined && !last.has(evse)) unnumbered.add(evse);
			return evse;
		}
		const known = unnumbered.delete(evse) && connector !== evse ? last.get(evse) : undefined;
		if (known !== undefined) {
			last.delete(evse);
			last.set(connector, { ...known, connector });
		}
		return connector;
	};
	yield* inSteps(yield* sortedInSteps(states, byTime), ({ at, facts }) => {
		for (const fact of facts) {
			if (fact.about !== 'status') continue;
			const { status } = fact;
			const connector = placeOf(fact);
			if (last.get(connector)?.status === status) continue;
			last.set(connector, { connector, status, since: at });
		}
	});
	return [...last.values()].sort((a, b) =>
		a.connector.localeCompare(b.connector, 'en', { numeric: true }),
	);
}

/** Since when a connector, an EVSE or the station has been Unavailable, as a trigger sees it. */
function* unavailableOf(
	facts: StationFacts,
	reported: readonly Reported[],
	question: StatusQuestion,
): Steps<number | undefined> {
	const statuses = reported
		.map(({ status }) => status)
		.filter((status) => status.toLowerCase() === 'unavailable');
	// Most stations.
	if (statuses.length === 0) return undefined;
	const settings = { ...settingsFor(question, 'connectorStatus'), statuses };
	const { lines } = yield* stateOf(facts, settings, Infinity);
	const runs = yield* runsOfAll(lines, Infinity);
	const since = runs.filter(({ until }) => until === undefined).map((run) => run.since);
	return since.length === 0 ? undefined : Math.min(...since);
}

function* faultsOf(facts: StationFacts, question: StatusQuestion): Steps<OpenFault[]> {
	const settings = settingsFor(question, 'connectorFault');
	const { lines } = yield* stateOf(facts, settings, Infinity);
	return yield* flatMapped(yield* runsOfAll(lines, Infinity), (run) => {
		const openings = run.until === undefined ? openingsOf(run, settings) : [];
		return openings.map(({ connector, since, d, errors }) => ({ connector, since, d, errors }));
	});
}

function* runningOf(
	station: readonly [string, StationFacts],
	past: Past,
	question: StatusQuestion,
): Steps<Record<string, unknown>[]> {
	const settings = settingsFor(question, 'sessionEnded');
	const { owner } = question;
	const found = yield* sessionsOf(station, past, settings, { owner, includeOpen: true });
	return yield* flatMapped(found, ({ item }) => {
		const { state, connector, transactionId, startedAt, minutes, energyKwh } = item;
		const running = { connector, transactionId, startedAt, minutes, energyKwh };
		return state === 'open' ? [running] : [];
	});
}
