/** What is said of sessions is true in the histories of a fixed set of seeds, whatever message they lack. `nightly.yml` tries 2,000. */
import type { Version } from './history';
import { canLack, LOSSES, planOf } from './plan';
import { judged, LAWS } from './play';
import { foundText } from './shrink';

const SEEDS = 40;
/** Those that are also polled, and asked at each poll and in parts, which takes longer. */
const POLLED = 2;
/** What a later one has shown: an ID of two connectors at once, and one that is used again soon. */
const KEPT = [52, 225];

const seeds = [...Array.from({ length: SEEDS }, (_unused, n) => n + 1), ...KEPT];
const VERSIONS: readonly Version[] = ['1.6', '2.0.1'];
const lacking = VERSIONS.flatMap((version) =>
	LOSSES.filter((loss) => canLack(version, loss)).map((loss) => [version, loss] as const),
);

it.each(lacking)('OCPP %s, without one of: %s', async (version, loss) => {
	const wrong: string[] = [];
	for (const seed of seeds) {
		const plan = planOf(seed, version, loss);
		const laws = seed <= POLLED ? LAWS : [LAWS[0]];
		for (const [law, what] of (await judged(plan, laws)).wrong) {
			wrong.push(foundText({ law, what, plan }));
		}
	}
	expect(wrong).toEqual([]);
});
