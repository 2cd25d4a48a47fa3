/** How much is looked at to decide about a station with many sessions: counted, since time depends on the machine. */
import { endedSessions } from '../../../lib/station/decide/session';
import { noSessions } from '../../../lib/station/fold/sessions';
import { DEFAULTS, time } from './stationWorld';

const EVERY_MS = 5_000;
const FROM = time('09:00');

/** How often times of starts and stops are read to decide about these sessions, which all have the same register. */
function readsOf(count: number, hasStops: boolean): number {
	let reads = 0;
	const counted = (t: number) => ({
		...{ id: `event-${t}`, t, wh: 1_000 },
		get at() {
			reads += 1;
			return t;
		},
	});
	const times = Array.from({ length: count }, (_unused, n) => FROM + n * EVERY_MS);
	const sessions = {
		...noSessions(),
		starts: times.map((t) => Object.assign(counted(t), { connector: '1', messages: [] })),
		stops: hasStops
			? times.map((t) => Object.assign(counted(t + 1_000), { tx: String(t), reason: 'Local' }))
			: [],
	};
	endedSessions(sessions, {
		...{ workflowId: 'w', nodeId: 'n', assetId: 's1', publishedAt: -Infinity },
		...{ watermark: time('18:00'), settings: { ...DEFAULTS, kind: 'sessionEnded' } },
	});
	return reads;
}

it.each([
	['starts that are sent again', false],
	['sessions without energy', true],
])('each decision about %s looks at each of them a limited number of times', (_what, hasStops) => {
	// As many times the decisions, each about as many times the sessions.
	expect(readsOf(160, hasStops)).toBeLessThan(5 * readsOf(80, hasStops));
	expect(readsOf(160, hasStops)).toBeLessThan(160 * 160 * 50);
});
