/**
 * Sessions with all the habits of the field, straight through the state of a shard: the same rows, whatever the order of the
 * events, however often they come, and whenever a poll decides. `RUNS` sets the number of stories for each version of OCPP: 2,000
 * in `nightly.yml`.
 */
import fc from 'fast-check';
import { eventFromList } from '../../../lib/event';
import { type EventFacts, readFacts } from '../../../lib/station/facts';
import { nextShard, type ShardAfter, shardText } from '../../../lib/station/shards';
import { casesOf } from '../../support/cases';
import { apart, secondOf, sessions } from './sessionStories';
import { DEFAULTS, MINUTE } from './stationWorld';
import { FROM, type Happening, happenings, type Version } from './stories';

const RUNS = casesOf({ few: 10, all: 80 });
const SEED = process.env['SEED'];
const SLOW_MS = RUNS * 1_000 + 60_000;
const SETTLED_MINUTES = 240;
const GRACE_MS = MINUTE;
const SETTINGS = { ...DEFAULTS, kind: 'sessionEnded' as const, forMs: 0, resolveAfterMs: 0 };

function factsOf(content: readonly Happening[], version: Version): EventFacts[] {
	return apart(content).flatMap((happening, n) =>
		sessions(happening, n, version).flatMap(({ id, record }) => {
			const facts = readFacts(eventFromList({ ...record, id }, id), Infinity);
			return typeof facts === 'object' && 'facts' in facts ? [facts] : [];
		}),
	);
}

/** The rows of polls at these times, each of which reads what was created since the one before, and some of it again. */
function rowsOf(
	events: readonly EventFacts[],
	minutes: readonly number[],
	order: (events: EventFacts[], poll: number) => EventFacts[],
): string[] {
	let text: string | undefined;
	let before = -Infinity;
	let kept: ShardAfter['state'];
	const rows = new Map<string, string>();
	for (const [poll, minute] of minutes.entries()) {
		const now = FROM + minute * MINUTE;
		const read = events.filter(({ at }) => at <= now && at > before - 10 * MINUTE);
		const step = {
			events: order(read, poll),
			moment: {
				...{ workflowId: 'w', nodeId: 'n', settings: SETTINGS, listing: undefined, generation: 0 },
				...{ publishedAt: FROM - 1, watermark: now - GRACE_MS, horizon: Infinity },
			},
			settled: new Set(rows.keys()),
			...{ unlistedLeft: 0, unreadUpTo: [], pastUpTo: -Infinity },
		};
		const after = nextShard(text, step, kept);
		text = after.text ?? text;
		// Every third poll reads the text again, as if another process had polled in between.
		kept = poll % 3 === 0 ? undefined : after.state;
		if (kept !== undefined && text !== undefined) expect(shardText(kept)).toBe(text);
		before = now;
		for (const { id, item } of after.toTell) {
			if (rows.has(id) && rows.get(id) !== JSON.stringify(item)) throw new Error(`${id} twice`);
			rows.set(id, JSON.stringify(item));
		}
	}
	return [...rows.values()].sort();
}

const pollsOf = (between: readonly number[]): number[] => {
	const minutes: number[] = [];
	for (let at = 0, n = 0; at < SETTLED_MINUTES; n++) {
		minutes.push(at);
		at += between[n % between.length] ?? 1;
	}
	return [...minutes, SETTLED_MINUTES, SETTLED_MINUTES + 1];
};

const shuffled = (seed: number) => (events: EventFacts[], poll: number) =>
	[...events, ...events.slice(0, 5)]
		.map((event, n) => ({ event, rank: Math.imul(seed + poll * 31 + n * 7919, 0x9e3779b1) >>> 0 }))
		.sort((a, b) => a.rank - b.rank)
		.map(({ event }) => event);

describe.each(['OCPP 1.6', 'OCPP 2.0.1'] as const)('%s', (version) => {
	it(
		'reports the same sessions in any order, and with any polls',
		() => {
			fc.assert(
				fc.property(
					happenings,
					fc.array(fc.integer({ min: 1, max: 45 }), { minLength: 1, maxLength: 8 }),
					fc.nat(),
					(content, between, seed) => {
						const events = factsOf(content, version);
						const often = rowsOf(events, pollsOf([1]), (read) => read);
						expect(rowsOf(events, pollsOf(between), shuffled(seed))).toEqual(often);
					},
				),
				{ numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) },
			);
		},
		SLOW_MS,
	);

	it('tells many sessions of one ID apart that a single poll reads', () => {
		const content = Array.from({ length: 9 }, (_unused, n): Happening => ({
			...{ second: secondOf('uses an ID again', n), isFirst: true, connector: 1, what: 0 },
			...{ lateMinutes: 0, isAgain: false },
		}));
		const events = factsOf(content, version);
		const often = rowsOf(events, pollsOf([1]), (read) => read);
		expect(often).toHaveLength(content.length);
		expect(rowsOf(events, [SETTLED_MINUTES, SETTLED_MINUTES + 1], (read) => read)).toEqual(often);
	});

	it('takes the first of two stops, although it waits for the stop of another session', () => {
		const again = secondOf('stops again in the next session', 0) + 3752;
		const begun = { isFirst: false, lateMinutes: 0, isAgain: false, what: 1 };
		const events = factsOf(
			[
				{ ...begun, second: again, connector: 2 },
				{ ...begun, second: again + 4, connector: 1 },
			],
			version,
		);
		const often = rowsOf(events, pollsOf([1]), (read) => read);
		const minutes = often.map((row) => (JSON.parse(row) as { minutes: unknown }).minutes);
		expect(minutes.sort()).toEqual([1, 8, 8]);
		expect(rowsOf(events, pollsOf([12]), (read) => read)).toEqual(often);
	});

	it('does not take a session for the one that stops now, once what came after it on its connector is forgotten', () => {
		const begun = { isFirst: false, lateMinutes: 0, isAgain: false, what: 0 };
		const [reused, next] = [secondOf('uses an ID again', 0), secondOf('sends the start again', 1)];
		const events = factsOf(
			[
				{ ...begun, second: reused, connector: 2 },
				{ ...begun, second: reused, connector: 1 },
				{ ...begun, second: next, connector: 1 },
				{ ...begun, second: secondOf('stops again', 7), connector: 2, what: 3 },
			],
			version,
		);
		const often = rowsOf(events, pollsOf([1]), (read) => read);
		expect(often).toHaveLength(4);
		expect(rowsOf(events, [SETTLED_MINUTES, SETTLED_MINUTES + 1], (read) => read)).toEqual(often);
	});
});
