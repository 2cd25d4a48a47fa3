/**
 * The laws of what is said of stations' states hold in random histories. `RUNS` sets how many for each law and version, and `SEED` the
 * first; `npm run simulate:states` shows the shortest history of what it finds.
 */
import { planOf } from './plan';
import { type Law, wrongOf } from './play';

const RUNS = Number(process.env['RUNS'] ?? 5);
const SEED = Number(process.env['SEED'] ?? 1);
const VERSIONS = ['1.6', '2.0.1', 'updated'] as const;
const HELD: readonly Law[] = [
	'Get Incidents gives what the trigger told, at every poll',
	'the order of the list changes nothing',
];

describe.each(HELD)('%s', (law) => {
	it.each(VERSIONS)(
		'OCPP %s',
		async (version) => {
			for (let seed = SEED; seed < SEED + RUNS; seed++) {
				expect([seed, await wrongOf(planOf(seed, version), [law])]).toEqual([seed, []]);
			}
		},
		RUNS * 5_000 + 60_000,
	);
});
