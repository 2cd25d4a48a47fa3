/** How much is looked at to decide about a station with many sessions: counted, since time depends on the machine. */
import type { Steps } from '../../../lib/shared/steps';
import type { StationSettings, Wants } from '../../../lib/station';
import { endedSessions } from '../../../lib/station/decide/session';
import { noSessions } from '../../../lib/station/fold/sessions';
import { sessionsOf } from '../../../lib/station/past/sessions';
import { askPast } from './past/pastWorld';
import { DEFAULTS, message, type StationEvent, time } from './stationWorld';

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

describe('a long history of one station is decided in steps, between which the event loop is free', () => {
	const timesOf = (count: number) =>
		Array.from({ length: count }, (_unused, n) => time('09:00') + n * EVERY_MS);
	const options = { now: time('11-24 12:00') };
	const owner = { workflowId: 'w', nodeId: 'n' };

	async function askAbout(events: readonly StationEvent[], wants: Wants) {
		const { past } = await askPast(events, wants, options);
		const [station] = past.facts.stations;
		if (station === undefined) throw new Error('nothing was read');
		return { past, station };
	}

	function stepsOf(work: Steps<readonly unknown[]>): { steps: number; found: number } {
		for (let steps = 1; ; steps++) {
			const step = work.next();
			if (step.done === true) return { steps, found: step.value.length };
		}
	}

	it('sessions', async () => {
		const count = 400;
		const { past, station } = await askAbout(
			timesOf(count).flatMap((t, n) => [
				message(t, 's1', ['StartTransaction', { connectorId: 1, idTag: 'TAG', meterStart: n + 1 }]),
				message(t + 1_000, 's1', ['StopTransaction', { transactionId: n, meterStop: n + 1 }]),
			]),
			{ sessions: true },
		);
		const settings: StationSettings = { ...DEFAULTS, kind: 'sessionEnded' };
		const { steps, found } = stepsOf(
			sessionsOf(station, past, settings, { owner, includeOpen: true }),
		);
		expect(found).toBe(count);
		expect(steps).toBeGreaterThan(count / 40);
	});
});
