/** Two periods add up to the one that they make, wherever it is cut. `RUNS` sets the number of histories for each kind. */
import fc from 'fast-check';
import type { Kind } from '../../../../lib/station';
import { factsIn } from '../../../../lib/station/past/log';
import { covers, during, type Past } from '../../../../lib/station/past/read';
import { casesOf } from '../../../support/cases';
import { apart, sessions as sessionStory } from '../sessionStories';
import { MINUTE, type StationEvent } from '../stationWorld';
import { connections, FROM, happenings, SECOND, statuses, type Version } from '../stories';
import { askPast, incidents, sessions } from './pastWorld';

const RUNS = casesOf({ few: 6, all: 40 });
const SEED = process.env['SEED'];
const ASKED = { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) };
const BEGIN = FROM - 60 * MINUTE;
const END = FROM + 360 * MINUTE;
/** All is certain by then. */
const OPTIONS = { now: END + 1440 * MINUTE, lookBackMs: 2880 * MINUTE };

/** Where the period is cut: some minutes after one of the events, or at any second. */
const cuts = fc.record({
	event: fc.nat(40),
	minutes: fc.constantFrom(0, 1, 3, 6, 12),
	second: fc.integer({ min: 0, max: 7200 }),
});
type Cut = typeof cuts extends fc.Arbitrary<infer T> ? T : never;

function cutOf(events: readonly StationEvent[], { event, minutes, second }: Cut): number {
	const near = events[event];
	if (near === undefined) return FROM + second * SECOND;
	return Date.parse(near.createdAt) + minutes * MINUTE;
}

type Item = Readonly<Record<string, unknown>>;
const endOf = ({ until }: Item): number =>
	typeof until === 'string' ? Date.parse(until) : Infinity;
const sorted = (items: readonly Item[]) => items.map((item) => JSON.stringify(item)).sort();

const VERSIONS: readonly Version[] = ['OCPP 1.6', 'OCPP 2.0.1'];

it.each(VERSIONS)(
	'a session that ended is in one of them, and is not open there, too (%s)',
	async (version) => {
		await fc.assert(
			fc.asyncProperty(happenings, cuts, async (content, cut) => {
				const events = apart(content).flatMap((one, n) => sessionStory(one, n, version));
				const at = cutOf(events, cut);
				const ask = async (from: number, to: number) =>
					await sessions(events, { ...OPTIONS, from, to, includeOpen: true });
				const whole = await ask(BEGIN, END);
				const first = await ask(BEGIN, at);
				const second = await ask(at, END);
				const ended = (items: readonly Item[]) => items.filter(({ state }) => state === 'ended');
				expect(sorted([...ended(first), ...ended(second)])).toEqual(sorted(ended(whole)));
				const nameOf = ({ station, connector, startedAt }: Item) =>
					JSON.stringify([station, connector, startedAt]);
				const isNamed = ({ transactionId }: Item) => Number(transactionId ?? -1) > 0;
				const open = first.filter(({ state }) => state === 'open');
				// Two can begin at once by the station's clock, with an ID each.
				const twice = open.filter((one) =>
					ended(first).some(
						(other) =>
							nameOf(other) === nameOf(one) &&
							(!isNamed(one) || !isNamed(other) || one['transactionId'] === other['transactionId']),
					),
				);
				expect(twice).toEqual([]);
				expect(new Set(open.map(nameOf)).size).toBe(open.length);
			}),
			ASKED,
		);
	},
	RUNS * 1_000 + 60_000,
);

const coarse = fc.constantFrom(0, 1, 5, 10, 30).map((count) => count * MINUTE);
const anySettings = fc.record({
	...{ forMs: coarse, resolveAfterMs: coarse },
	scope: fc.constantFrom('code' as const, 'connector' as const, 'station' as const),
	times: fc.constantFrom(1, 1, 2, 3),
	withinMs: fc.constantFrom(5, 20, 60).map((count) => count * MINUTE),
	statuses: fc.subarray(['Available', 'Unavailable', 'Faulted', 'Reserved'], { minLength: 1 }),
});
const KINDS: readonly Kind[] = ['stationOffline', 'connectorStatus', 'connectorFault'];

const ALL_VERSIONS: readonly Version[] = [...VERSIONS, 'updated'];

it.each(KINDS.flatMap((kind) => ALL_VERSIONS.map((version) => [kind, version] as const)))(
	'an incident is in each of them in which it lasted, resolved if it was over (%s, %s)',
	async (kind, version) => {
		const story = kind === 'stationOffline' ? connections : statuses;
		await fc.assert(
			fc.asyncProperty(happenings, cuts, anySettings, async (content, cut, some) => {
				const isRepeated = kind === 'connectorFault' && some.times > 1;
				const settings = { kind, ...some, ...(isRepeated && { forMs: 0, resolveAfterMs: 0 }) };
				const events = content.flatMap((one, n) => story(one, n, version));
				const at = cutOf(events, cut);
				const ask = async (from: number, to: number) =>
					await incidents(events, settings, { ...OPTIONS, from, to });
				const whole = await ask(BEGIN, END);
				const first = await ask(BEGIN, at);
				const second = await ask(at, END);
				expect(sorted(second)).toEqual(sorted(whole.filter((item) => endOf(item) >= at)));
				// One that is over at the cut, to the millisecond, may be open there.
				const isOver = (item: Item) => endOf(item) < at;
				expect(sorted(first.filter(isOver))).toEqual(sorted(whole.filter(isOver)));
				for (const one of first) {
					const known = whole.find(({ incident }) => incident === one['incident']);
					expect(known?.['since']).toBe(one['since']);
					if (known && endOf(known) > at) expect(one['state']).toBe('open');
				}
			}),
			ASKED,
		);
	},
	RUNS * 1_000 + 60_000,
);

/** Readings of a network that is asked about several periods: the longer one is shared. */
const EVERYTHING = { connections: true, states: true, sessions: true, silence: true };

/** All that questions see. */
function seenIn({ facts, events: _events, ...past }: Past) {
	const stations = [...facts.stations].flatMap(([assetId, log]) => {
		const { states, signs, isEmpty, idOf, ...others } = factsIn(assetId, log, past.seen);
		const signIds = Array.from(signs.places, idOf);
		const said = [...states].map(({ place: _place, ...event }) => event);
		return isEmpty ? [] : [{ assetId, states: said, times: [...signs.times], signIds, ...others }];
	});
	return { ...past, stations: stations.sort((a, b) => (a.assetId < b.assetId ? -1 : 1)) };
}

it.each(VERSIONS)(
	'a longer reading shows of a period what its own one shows (%s)',
	async (version) => {
		const minutes = fc.integer({ min: 0, max: 60 });
		await fc.assert(
			fc.asyncProperty(
				happenings,
				happenings,
				cuts,
				minutes,
				minutes,
				async (content, charging, cut, before, after) => {
					const events = [
						...content.flatMap((one, n) => connections(one, n, version)),
						...content.flatMap((one, n) => statuses(one, n, version)),
						...apart(charging).flatMap((one, n) => sessionStory(one, n, version)),
					];
					const from = cutOf(events, cut);
					const to = from + 30 * MINUTE;
					// Silence after an hour: what is read begins and ends within the story.
					const asked = { wants: EVERYTHING, lookBackMs: 20 * MINUTE, silentAfterMs: 60 * MINUTE };
					const options = { ...asked, now: END + 1440 * MINUTE };
					const { past: longer } = await askPast(events, EVERYTHING, {
						...{ ...options, from: from - before * MINUTE, to: to + after * MINUTE },
					});
					const { past: own } = await askPast(events, EVERYTHING, { ...options, from, to });
					expect(covers(longer, { ...asked, from, to })).toBe(true);
					expect(seenIn(during(longer, { ...asked, from, to }))).toEqual(seenIn(own));
				},
			),
			ASKED,
		);
	},
);
