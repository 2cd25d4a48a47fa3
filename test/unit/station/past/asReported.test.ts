/**
 * For any history, Get Incidents and Get Sessions over it return what the trigger reported while it happened, in whatever order
 * the list has the events and however often. `RUNS` sets the number of histories for each kind.
 */
import fc from 'fast-check';
import type { StationSettings } from '../../../../lib/station';
import { casesOf } from '../../../support/cases';
import { apart, sessions as sessionStory } from '../sessionStories';
import { MINUTE, type StationEvent, stationWorld } from '../stationWorld';
import {
	connections,
	FROM,
	type Happening,
	happenings,
	statuses,
	type Story,
	type Version,
} from '../stories';
import { incidents, type PastOptions, sessions } from './pastWorld';

const RUNS = casesOf({ few: 1, all: 6 });
const SEED = process.env['SEED'];
/** A station may try to begin a session just before it begins it. */
const PUBLISHED = FROM - MINUTE;
/** By then every incident is over or reported. */
const SETTLED_MINUTES = 240;

const fault = (scope: StationSettings['scope'], times: number): Partial<StationSettings> => ({
	...{ kind: 'connectorFault', scope, times, withinMs: 30 * MINUTE },
	...{ forMs: 0, resolveAfterMs: times === 1 ? 20 * MINUTE : 0 },
});

const KINDS: readonly [name: string, Story, Partial<StationSettings>][] = [
	['stationOffline', connections, {}],
	['stationOffline, at once', connections, { forMs: 0, resolveAfterMs: 0 }],
	[
		...(['connectorStatus', statuses] as const),
		{ kind: 'connectorStatus', forMs: 10 * MINUTE, resolveAfterMs: 3 * MINUTE },
	],
	...([1, 3] as const).flatMap((times) =>
		(['code', 'connector', 'station'] as const).map(
			(scope): [string, Story, Partial<StationSettings>] => [
				...([`connectorFault, ${scope}, ${times}`, statuses] as const),
				fault(scope, times),
			],
		),
	),
	['connectorFault, station, an hour', statuses, { ...fault('station', 1), forMs: 70 * MINUTE }],
	['sessionEnded', sessionStory, { kind: 'sessionEnded', forMs: 0, resolveAfterMs: 0 }],
];
const VERSIONS = ['OCPP 1.6', 'OCPP 2.0.1'] as const;
type Settings = fc.Arbitrary<Partial<StationSettings>>;

const CASES = KINDS.flatMap(([name, story, settings]) =>
	VERSIONS.map((version) => [name, version, story, settings] as const),
);

type Item = Readonly<Record<string, unknown>>;

/** What does not depend on who asks, and when. */
function known({ station: _s, together: _t, final: _f, state, ...item }: Item): Item {
	if (item['kind'] === 'sessionEnded' || (state !== 'opened' && state !== 'open')) return item;
	const { incident, since, connector } = item;
	return { incident, since, connector };
}

async function reported(events: readonly StationEvent[], settings: Partial<StationSettings>) {
	const world = stationWorld({ workflowId: 'workflow', settings });
	world.events = [...events];
	for (let minute = -1; minute <= SETTLED_MINUTES; minute += 11) {
		world.now = FROM + minute * MINUTE;
		await world.poll();
	}
	const byIncident = new Map<unknown, Item>();
	for (const item of world.items()) {
		const id = item['incident'] ?? item['id'];
		if (item['state'] !== 'opened' || !byIncident.has(id)) byIncident.set(id, item);
	}
	return sorted([...byIncident.values()].map(known));
}

const sorted = (items: readonly Item[]): Item[] =>
	items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

async function asked(
	events: readonly StationEvent[],
	settings: Partial<StationSettings>,
	more: PastOptions,
) {
	const options = {
		...{ from: PUBLISHED, now: FROM + (SETTLED_MINUTES + 3) * MINUTE, ...more },
	};
	const found =
		settings.kind === 'sessionEnded'
			? await sessions(events, options)
			: await incidents(events, settings, options);
	return sorted(found.map(known));
}

function eventsOf(content: readonly Happening[], story: Story, version: Version): StationEvent[] {
	return (story === sessionStory ? apart(content) : content).flatMap((happening, n) =>
		story(happening, n, version),
	);
}

const minutes = (most: number) => fc.integer({ min: 0, max: most }).map((count) => count * MINUTE);
/** With a grain that makes ends meet. */
const coarse = fc.constantFrom(0, 1, 5, 10, 30).map((count) => count * MINUTE);

const ANY: Readonly<Record<'stationOffline' | 'connectorStatus' | 'connectorFault', Settings>> = {
	stationOffline: fc.record({ forMs: fc.oneof(coarse, minutes(90)), resolveAfterMs: coarse }),
	connectorStatus: fc.record({
		...{ forMs: fc.oneof(coarse, minutes(90)), resolveAfterMs: coarse },
		statuses: fc.subarray(['Available', 'Unavailable', 'Faulted', 'Reserved']),
	}),
	connectorFault: fc
		.record({
			...{ forMs: fc.oneof(coarse, minutes(90)), resolveAfterMs: fc.oneof(coarse, minutes(60)) },
			...{
				scope: fc.constantFrom('code', 'connector', 'station'),
				times: fc.integer({ min: 1, max: 4 }),
			},
			withinMs: fc.integer({ min: 1, max: 60 }).map((count) => count * MINUTE),
		})
		.map((all) => (all.times > 1 ? { ...all, forMs: 0, resolveAfterMs: 0 } : all)),
};

it.each(CASES)(
	'%s, %s: the past is what was reported',
	async (_name, version, story, settings) => {
		await isAsReported(version, story, fc.constant(settings));
	},
	RUNS * 10_000 + 60_000,
);

it.each(
	(['stationOffline', 'connectorStatus', 'connectorFault'] as const).flatMap((kind) =>
		VERSIONS.map((version) => [kind, version] as const),
	),
)(
	'%s, %s, with any settings: the past is what was reported',
	async (kind, version) => {
		const story = kind === 'stationOffline' ? connections : statuses;
		await isAsReported(
			version,
			story,
			ANY[kind].map((settings) => ({ kind, ...settings })),
		);
	},
	RUNS * 10_000 + 60_000,
);

it('what a station sends at the time of a lost connection counts as sent after it', async () => {
	const content = (
		[
			[2, 3],
			[1, 3],
			[1, 0],
			[1, 0],
		] as const
	).map(([second, what]): Happening => {
		return { second, what, isFirst: false, connector: 1, lateMinutes: 0, isAgain: false };
	});
	const settings = { forMs: 0, resolveAfterMs: 0 };
	const events = eventsOf(content, connections, 'OCPP 2.0.1');
	// The response of the station, and a millisecond later the second one.
	expect(events.map(({ record }) => Date.parse(String(record['createdAt'])) % MINUTE)).toEqual([
		...[2_000, 1_001, 1_002, 1_002, 1_003],
	]);
	const found = await asked(events, settings, {});
	expect(found).toEqual(await reported(events, settings));
});

async function isAsReported(version: Version, story: Story, any: Settings): Promise<void> {
	await fc.assert(
		fc.asyncProperty(happenings, any, async (content, settings) => {
			const events = eventsOf(content, story, version);
			const found = await asked(events, settings, {});
			expect(found).toEqual(await reported(events, settings));
			const again = { copies: 2, isOldestFirst: true };
			expect(await asked(events, settings, again)).toEqual(found);
		}),
		{ numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) },
	);
}
