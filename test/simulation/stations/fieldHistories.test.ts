/**
 * What the station trigger reports of stations as they are in the field is what truly happened there: for each habit by
 * itself and for all of them mixed, in both versions of OCPP. `RUNS` sets the number of mixed histories per case, and
 * `SEED` the first of them; `nightly.yml` tries 30.
 */
import { MINUTE_MS, type StationSettings } from '../../../lib/station/common/settings';
import { fits, HABIT_NAMES, type HabitChoice } from '../../../simulator/data/field/habits/habits';
import { fieldHistory, stationsOf } from '../../../simulator/data/field/habits/history';
import type { Protocol } from '../../../simulator/data/ocppDialect';
import { complaints } from '../../support/fieldTruth';
import { DEFAULTS } from '../../unit/station/stationWorld';
import { play } from './fieldPlayer';

const RUNS = Number(process.env['RUNS'] ?? 1);
/** Each habit by itself takes minutes, and no habit is what the other tests have: `nightly.yml` tries them. */
const isLong = process.env['RUNS'] !== undefined;
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
const RUNS_OF_A_HABIT = 1;
const HOUR_MS = 60 * MINUTE_MS;
const FROM = Date.UTC(2026, 0, 24, 6);
/** Each poll finds events that are listed as late as that. */
const LATEST_MS = 2 * MINUTE_MS;
const SLOW_MS = RUNS * 10_000 + 60_000;
const PROTOCOLS: readonly Protocol[] = ['ocpp1.6', 'ocpp2.0.1'];

const fault = (more: Partial<StationSettings>): StationSettings => ({
	...{ ...DEFAULTS, kind: 'connectorFault', forMs: 0, resolveAfterMs: 0 },
	...more,
});
const STATUSES = [...DEFAULTS.statuses, 'Occupied'];
const CASES: Readonly<Record<string, StationSettings>> = {
	stationOffline: DEFAULTS,
	connectorStatus: {
		...{ ...DEFAULTS, kind: 'connectorStatus', statuses: STATUSES },
		...{ forMs: 20 * MINUTE_MS, resolveAfterMs: 0 },
	},
	'connectorFault by code': fault({ scope: 'code' }),
	'connectorFault by connector': fault({ scope: 'connector' }),
	'connectorFault by station': fault({ scope: 'station' }),
	'connectorFault, 3 within 3 hours': fault({
		...{ scope: 'connector', times: 3, withinMs: 3 * HOUR_MS },
	}),
	sessionEnded: { ...DEFAULTS, kind: 'sessionEnded' },
};

interface Run {
	readonly protocol: Protocol;
	readonly habits: HabitChoice;
	readonly settings: StationSettings;
	readonly seed: number;
	readonly isLate?: boolean;
}

/** What is wrong, with how to see it again. */
async function wrongIn({
	protocol,
	habits,
	settings,
	seed,
	isLate = false,
}: Run): Promise<string[]> {
	const assets = stationsOf(protocol, 2);
	const history = fieldHistory({ seed, assets, habits, fromMs: FROM, lengthMs: 12 * HOUR_MS });
	const listing = await play(history, settings, { seed, latestMs: isLate ? LATEST_MS : 0 });
	const late = isLate ? ', listed late' : '';
	return complaints(history, listing, settings).map((wrong) => {
		const asset = Object.keys(Object.fromEntries(history.habits)).find((id) => wrong.includes(id));
		const has = [...(history.habits.get(asset ?? '') ?? [])].join(' ');
		return `seed ${seed}${late} [${has}]: ${wrong}`;
	});
}

describe.each(Object.entries(CASES))('%s', (_name, settings) => {
	describe.each(PROTOCOLS)('%s', (protocol) => {
		const fitting = HABIT_NAMES.filter((name) => fits(name, protocol));

		if (isLong)
			it.each(['none', ...fitting])('stations with the habit %s', async (habit) => {
				const habits = fitting.filter((name) => name === habit);
				for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS_OF_A_HABIT; seed++) {
					expect(await wrongIn({ protocol, habits, settings, seed })).toEqual([]);
				}
			});

		it.each([false, true])(
			'stations with mixed habits, events listed late: %s',
			async (isLate) => {
				const wrong: string[] = [];
				for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
					const run = { protocol, habits: habitsOf(seed), settings, seed, isLate };
					wrong.push(...(await wrongIn(run)));
				}
				expect(wrong).toEqual([]);
			},
			SLOW_MS,
		);
	});
});

/** In every second history many stations have a habit of each group, in the others as few as in the field. */
function habitsOf(seed: number): HabitChoice {
	return seed % 4 < 2 ? 'mixed' : HABIT_NAMES.filter((_, n) => (n * 7 + seed) % 3 === 0);
}
