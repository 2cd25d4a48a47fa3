/**
 * Reads the station trigger's parameters, and finds what is wrong with them. So that a stored execution can always begin, a
 * value out of bounds is read as the nearest bound, and one of the wrong kind as its default; `checkStationSettings` rejects both.
 */
import { BATCH_SIZE, readAcknowledge, readOption, type ReadParameter } from '../../../lib/event';
import { PackageError } from '../../../lib/shared/errors';
import { printable } from '../../../lib/shared/text';
import { asNumber, asRecord, asText, asTexts, numberOf } from '../../../lib/shared/values';
import {
	DEFAULT_CONNECTION,
	type Kind,
	MINUTE_MS,
	type Scope,
	type StationSettings,
} from '../../../lib/station';
import { stationIdsIn } from '../../fields/stations';

const KINDS = ['stationOffline', 'connectorStatus', 'connectorFault', 'sessionEnded'] as const;
const SCOPES = ['code', 'connector', 'station'] as const;
/** The most of each parameter that is a number. */
export const MOST = {
	forMinutes: 10_080,
	resolveAfterMinutes: 1_440,
	catchUpHours: 720,
	times: 50,
} as const;
const MOST_STATUSES = 20;
/** They are kept with the publication. */
const MOST_STATIONS = 1_000;
/** Of `testWith`: no other incident is chosen. */
export const NEWEST = 'newest';

export const DEFAULTS = {
	byKind: {
		stationOffline: { forMinutes: 5, resolveAfterMinutes: 2 },
		connectorStatus: { forMinutes: 120, resolveAfterMinutes: 0 },
		connectorFault: { forMinutes: 0, resolveAfterMinutes: 60 },
		sessionEnded: { forMinutes: 0, resolveAfterMinutes: 0 },
	},
	withinMinutes: 1_440,
	/** A session that lasts longer is rare, and an incident that began before is not reported. */
	catchUpHours: 24,
	/** The statuses in which a connector can be stuck; both versions of OCPP. */
	statuses: ['Preparing', 'SuspendedEV', 'SuspendedEVSE', 'Finishing', 'Reserved', 'Unavailable'],
} satisfies {
	byKind: Record<Kind, Record<'forMinutes' | 'resolveAfterMinutes', number>>;
	[field: string]: unknown;
};

export type ReadStationSettings = ReturnType<typeof readStationSettings>;

/** @throws {PackageError} for settings that would not be applied as entered. */
export function checkStationSettings({ problems }: ReadStationSettings): void {
	if (problems.length === 0) return;
	// In the message, since n8n shows nothing else of a failed publication.
	throw new PackageError(problems.join('. '), { hint: 'Correct it in the node, then try again.' });
}

export function readStationSettings(read: ReadParameter) {
	const problems: string[] = [];
	const kind = oneOf('Trigger On', KINDS, read('triggerOn', 'stationOffline'), problems);
	const defaults = DEFAULTS.byKind[kind];
	const whole = (label: string, value: unknown, fallback: number, least: number, most: number) => {
		const number = numberOf(value);
		const isRight = Number.isInteger(number) && number === asNumber(value, fallback, least, most);
		const bounds = `a whole number from ${least} to ${most}`;
		if (!isRight) problems.push(`'${label}' must be ${bounds}, but is ${shown(value)}`);
		return Math.trunc(asNumber(value, fallback, least, most));
	};
	const minutes = (label: string, value: unknown, fallback: number, most: number, least = 0) =>
		whole(label, value, fallback, least, most) * MINUTE_MS;
	const isFault = kind === 'connectorFault';
	const times = isFault ? whole('Number of Faults', read('times', 1), 1, 1, MOST.times) : 1;
	const isRepeated = times > 1;
	const { forMinutes, resolveAfterMinutes } = defaults;
	const isLasting = kind !== 'sessionEnded' && !isRepeated;
	const reportResolved = kind !== 'sessionEnded' && read('reportResolved', true) !== false;
	const options = asRecord(read('options', {}));
	const { catchUpHours = DEFAULTS.catchUpHours, includeIdTag, testWith } = options;
	const onlyStations = onlyStationsOf(options['onlyStations'], problems);
	const most = readOption(read, 'batchSize', BATCH_SIZE.most);
	const isBatched = readOption(read, 'delivery', 'batched') === 'batched';
	const batchSize = isBatched ? whole('Batch Size', most, BATCH_SIZE.most, 1, BATCH_SIZE.most) : 1;
	const station: StationSettings = {
		...DEFAULT_CONNECTION,
		kind,
		times,
		reportResolved,
		forMs: isLasting
			? minutes(
					'Report After (Minutes)',
					read('forMinutes', forMinutes),
					forMinutes,
					MOST.forMinutes,
				)
			: 0,
		resolveAfterMs: isLasting
			? minutes(
					'Resolve After (Minutes)',
					readOption(read, 'resolveAfterMinutes', resolveAfterMinutes),
					resolveAfterMinutes,
					MOST.resolveAfterMinutes,
				)
			: 0,
		statuses: kind === 'connectorStatus' ? statusesOf(read, problems) : [],
		scope: oneOf(
			...(['One Incident Per', SCOPES] as const),
			isFault ? readOption(read, 'scope', 'code') : 'code',
			problems,
		),
		withinMs: isRepeated
			? minutes(
					'Within (Minutes)',
					read('withinMinutes', DEFAULTS.withinMinutes),
					DEFAULTS.withinMinutes,
					MOST.forMinutes,
					1,
				)
			: 0,
		catchUpMs:
			whole('Catch Up (Hours)', catchUpHours, DEFAULTS.catchUpHours, 1, MOST.catchUpHours) *
			60 *
			MINUTE_MS,
		includeIdTag: kind === 'sessionEnded' && includeIdTag === true,
		...(onlyStations.length > 0 && { onlyStations }),
	};
	return {
		station,
		/** One for what opened and one for what resolved. */
		hasTwoOutputs: reportResolved,
		/** The most items per execution; 1 if each starts its own execution. */
		batchSize,
		acknowledge: readAcknowledge(read),
		/** The ID of the incident for a test in the editor; empty for the newest. */
		testWith: testWithOf(testWith),
		/** Sentences without a period that each name a field, its bound and its value; empty if all is right. */
		problems: problems as readonly string[],
	};
}

/** At most 1,000; none for all. */
function onlyStationsOf(value: unknown, problems: string[]): string[] {
	const ids = [...new Set(stationIdsIn(value))];
	if (ids.includes('')) {
		problems.push("'Only These Stations' has a row without a station: select one, or remove it");
	}
	if (ids.length > MOST_STATIONS) {
		problems.push(
			`'Only These Stations' must name at most ${MOST_STATIONS} stations, but names ${ids.length}`,
		);
	}
	return ids.filter((id) => id !== '').slice(0, MOST_STATIONS);
}

/** From a list of incidents, or a text. */
function testWithOf(value: unknown): string {
	const chosen = asText(asRecord(value)['value'] ?? value);
	return chosen === NEWEST ? '' : chosen;
}

/** A value as a problem quotes it. */
const shown = (value: unknown) => printable(JSON.stringify(value ?? null), 50);

/** The first one for any other value. */
function oneOf<T extends Kind | Scope>(
	label: string,
	known: readonly [T, ...T[]],
	value: unknown,
	problems: string[],
): T {
	const found = known.find((each) => each === value);
	if (found === undefined) {
		problems.push(`'${label}' must be one of ${known.join(', ')}, but is ${shown(value)}`);
	}
	return found ?? known[0];
}

/** Without any, the default ones; at most 20. */
function statusesOf(read: ReadParameter, problems: string[]): string[] {
	const entered = {
		Statuses: read('statuses', DEFAULTS.statuses),
		'Other Statuses': readOption(read, 'otherStatuses', ''),
	};
	const wrong = Object.entries(entered).filter(([, value]) => !isTexts(value));
	for (const [label, value] of wrong) {
		problems.push(`'${label}' must be a list of texts, but is ${shown(value)}`);
	}
	const trimmed = Object.values(entered)
		.flatMap(asTexts)
		.map((status) => status.trim());
	const statuses = [...new Set(trimmed.filter((status) => status !== ''))];
	if (statuses.length > MOST_STATUSES) {
		problems.push(
			`'Statuses' and 'Other Statuses' must name at most ${MOST_STATUSES} statuses together, but name ${statuses.length}`,
		);
	}
	if (statuses.length > 0) return statuses.slice(0, MOST_STATUSES);
	if (wrong.length === 0) problems.push("'Statuses' must name at least one status");
	return DEFAULTS.statuses;
}

const isTexts = (value: unknown) =>
	typeof value === 'string' || (Array.isArray(value) && asTexts(value).length === value.length);
