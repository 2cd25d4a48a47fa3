/** Sessions that never end cost no more each if there are many of them: a station that is broken sends thousands of starts. */
import type { Sessions, SessionStart } from '../../../lib/station/common/state';
import { endedSessions } from '../../../lib/station/decide/session';
import { compactSessions } from '../../../lib/station/fold/compactSessions';
import { DEFAULTS, MINUTE, time } from './stationWorld';

const EVERY_MS = 3_000;
const BEGIN = time('09:00');
const SETTINGS = { ...DEFAULTS, kind: 'sessionEnded', mostParts: 10_000 } as const;

/** How often the fields of starts are read until all are told. */
function readsOf(many: number, refused = false): number {
	let reads = 0;
	const starts = Array.from({ length: many }, (_unused, n): SessionStart => {
		const at = BEGIN + n * EVERY_MS;
		const start = { t: at, id: `e${n}`, wh: 1_000 + n, messages: [`m${n}`] };
		return Object.defineProperties(start, {
			at: { get: () => (++reads, at) },
			connector: { get: () => (++reads, '1') },
		}) as unknown as SessionStart;
	});
	const named = starts.map(({ t }, n) => ({
		t,
		message: `m${n}`,
		tx: String(n + 1),
		...(refused && n > 0 && { refused }),
	}));
	const sessions: Sessions = { starts, named, metered: [], stops: [], told: [], answered: BEGIN };
	const watermark = BEGIN + many * EVERY_MS + 60 * MINUTE;
	const told = endedSessions(sessions, {
		...{ workflowId: 'workflow', nodeId: 'node', assetId: 's1', watermark, publishedAt: 0 },
		settings: SETTINGS,
	});
	compactSessions(sessions, watermark, SETTINGS);
	expect(told).toHaveLength(refused ? 0 : many - 1);
	return reads;
}

it('reads the starts of twice as many sessions about twice as often', () => {
	const [few, many] = [readsOf(1_000), readsOf(2_000)];
	expect(many / few).toBeLessThan(2.6);
});

it('does so if the service refuses all but the first', () => {
	const [few, many] = [readsOf(500, true), readsOf(1_000, true)];
	expect(many / few).toBeLessThan(3);
});
