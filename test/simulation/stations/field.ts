/** Stations as they are in the field: what a seed has them send, when the list has it, and whether what is reported is true. */
import { MINUTE_MS } from '../../../lib/shared/time';
import { isRecord, textOf } from '../../../lib/shared/values';
import { HABIT_NAMES, type HabitChoice } from '../../../simulator/data/field/habits/habits';
import {
	fieldHistory,
	type History,
	stationsOf,
} from '../../../simulator/data/field/habits/history';
import type { StationSettings } from '../../history/history';
import {
	complaints,
	createdMs,
	type JudgedSettings,
	lateness,
	type Reported,
} from '../../support/fieldTruth';
import type { Random } from '../random';
import type { ListedMessage } from './stories';

const LABEL = 'field';
const LENGTH_MS = 6 * 60 * MINUTE_MS;
/** What is later is found by a look back that comes once an hour, when much has been reported. */
const LATEST_MS = 2 * MINUTE_MS;

interface Field {
	readonly history: History;
	/** Sorted by time, with the IDs of the events. */
	readonly messages: readonly (ListedMessage & { readonly id: string })[];
}

/** `epoch` is when it begins, in Unix milliseconds. */
export function fieldOf(random: Random, epoch: number): Field {
	const seed = random.whole(LABEL, 1, 1_000_000);
	const protocol = random.pick(LABEL, ['ocpp1.6', 'ocpp2.0.1'] as const);
	const habits: HabitChoice = random.chance(LABEL, 0.5)
		? 'mixed'
		: HABIT_NAMES.filter(() => random.chance(LABEL, 0.3));
	const assets = stationsOf(protocol, 2);
	const history = fieldHistory({ seed, assets, habits, fromMs: epoch, lengthMs: LENGTH_MS });
	const latestMs = random.chance(LABEL, 0.5) ? LATEST_MS : 0;
	const messages = history.events.map(({ id, type, createdAt, data: { asset, ...data } }) => ({
		id,
		at: createdMs(createdAt) - epoch,
		asset: isRecord(asset) ? (textOf(asset['id']) ?? '') : '',
		type: type as ListedMessage['type'],
		data,
		listedAfterMs: lateness((below) => random.whole(LABEL, 0, below - 1), latestMs),
	}));
	return { history, messages };
}

const STATUSES = ['Preparing', 'SuspendedEV', 'Finishing', 'Reserved', 'Unavailable', 'Occupied'];

/** As the truth can judge them: a state that counts at once, or for longer than its length can be in doubt. */
export function fieldSettingsOf(random: Random): StationSettings {
	const session: StationSettings = {
		kind: 'sessionEnded',
		...{ forMinutes: 0, resolveAfterMinutes: 0, statuses: STATUSES, reportResolved: true },
		...{ scope: 'connector', times: 1, withinMinutes: 60, catchUpHours: 24 },
	};
	const fault: StationSettings = { ...session, kind: 'connectorFault' };
	return random.pick<StationSettings>(LABEL, [
		{ ...session, kind: 'stationOffline', forMinutes: 5, resolveAfterMinutes: 2 },
		{ ...session, kind: 'connectorStatus', forMinutes: 20 },
		{ ...fault, scope: random.pick(LABEL, ['code', 'connector', 'station'] as const) },
		{ ...fault, times: 2 },
		session,
	]);
}

/** What is wrong with what n8n got; `lateMs` is by the ID of the event. */
export function fieldComplaints(
	history: History,
	settings: StationSettings,
	items: readonly Reported[],
	lateMs: ReadonlyMap<string, number>,
): string[] {
	const { forMinutes, resolveAfterMinutes, withinMinutes, ...rest } = settings;
	const judged: JudgedSettings = {
		...rest,
		forMs: forMinutes * MINUTE_MS,
		resolveAfterMs: resolveAfterMinutes * MINUTE_MS,
		withinMs: withinMinutes * MINUTE_MS,
	};
	const first = new Map(items.toReversed().map((item) => [String(item['id']), item]));
	return complaints(history, { lateMs, items: [...first.values()].reverse() }, judged);
}
