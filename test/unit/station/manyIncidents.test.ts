/** An incident costs no more if there were many before it: a connection that flaps makes thousands in a month. */
import { MOST_EARLIER } from '../../../lib/station/common/settings';
import type { Incident } from '../../../lib/station/common/state';
import { follow } from '../../../lib/station/decide/duration';
import type { Opening } from '../../../lib/station/fold/faults';

const SECOND = 1_000;
const MANY = 5_000;

function outage(n: number): Opening {
	const since = n * SECOND;
	const first = { t: since, id: `e${n}`, key: 'offline' };
	const place = { connector: '', places: new Map<string, never>(), stretches: [] };
	const over = { since, until: since + SECOND / 2, to: `e${n}.end` };
	const said = { keys: [], d: undefined, errors: [], vendors: [] };
	return { ...place, ...over, ...said, key: first.key, first, reports: [first] };
}

it.each([0, Infinity])('an incident knows only a few before it (read up to %d)', (watermark) => {
	const outages = Array.from({ length: MANY }, (_unused, n) => outage(n));
	const times = { watermark, horizon: Infinity, forMs: 0, resolveAfterMs: 0 };
	const { past, latest } = follow(
		outages,
		undefined,
		{ ...times, forgottenUpTo: -Infinity },
		{
			open: ({ since, until, to, first }): Incident => ({
				...{ id: first.id, since, until, to, reported: 'opened', from: first.id },
			}),
			note: () => undefined,
			drop: () => undefined,
		},
	);
	expect(past).toHaveLength(MANY - 1);
	const known = [...past, latest ?? { earlier: undefined }].map(
		({ earlier = [] }) => earlier.length,
	);
	expect(Math.max(...known)).toBeLessThanOrEqual(MOST_EARLIER);
});
