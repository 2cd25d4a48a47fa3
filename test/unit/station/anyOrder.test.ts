/**
 * Each kind of incident, in both versions of OCPP, reported once: whatever the order of the events, however often they are
 * listed, however the polls fall, and wherever a process is killed. `RUNS` sets the number of stories for each:
 * 30 in `nightly.yml`.
 */
import fc from 'fast-check';
import type { StationSettings } from '../../../lib/station';
import { casesOf } from '../../support/cases';
import { apart, sessions } from './sessionStories';
import { MINUTE, type StationEvent, stationWorld } from './stationWorld';
import {
	FROM,
	type Happening,
	happenings,
	KINDS,
	LATE_MINUTES,
	type Story,
	type Version,
} from './stories';

const RUNS = casesOf({ few: 1, all: 4 });
const SEED = process.env['SEED'];
const SLOW_MS = RUNS * 10_000 + 60_000;
/** By then every event is listed, and every incident over or reported. */
const SETTLED_MINUTES = 240;

const CASES = [
	...KINDS,
	['sessionEnded', sessions, { kind: 'sessionEnded', forMs: 0, resolveAfterMs: 0 }] as const,
].flatMap(([name, story, settings]) =>
	(['OCPP 1.6', 'OCPP 2.0.1'] as const).map((version) => [name, version, story, settings] as const),
);

/** The events of a story, each with the time at which it is listed. */
function eventsOf(content: readonly Happening[], story: Story, version: Version, isLate: boolean) {
	return (story === sessions ? apart(content) : content).flatMap((happening, n) =>
		story(happening, n, version).flatMap((event, part) => {
			const lateMs = isLate ? ((happening.lateMinutes * (part + 1)) % LATE_MINUTES) * MINUTE : 0;
			const listed = { ...event, listedAt: event.listedAt + lateMs };
			if (!happening.isAgain) return [listed];
			return [listed, { ...listed, listedAt: listed.listedAt + MINUTE }];
		}),
	);
}

const KILLED = new Error('killed');
type World = ReturnType<typeof stationWorld>;

/** Kills the process at the write with this number, or lets the poll end. */
async function poll(world: World, kill?: number): Promise<void> {
	let writes = 0;
	const swap = world.ledger.swapRecord.bind(world.ledger);
	world.ledger.swapRecord = async (...record) => {
		if (writes++ === kill) throw KILLED;
		return await swap(...record);
	};
	try {
		await world.poll();
	} catch (error) {
		if (error !== KILLED) throw error;
		world.restart();
	} finally {
		world.ledger.swapRecord = swap;
	}
}

/** What is reported, without what depends on when it is reported. */
function reported(world: World): string[] {
	return world
		.items()
		.map(({ together: _together, ...item }) => {
			if (item['state'] !== 'opened') return JSON.stringify(item);
			// A poll that comes later knows of more faults, and of more codes.
			const { id, kind, since, connector, status, station } = item;
			return JSON.stringify({ id, kind, since, connector, status, station });
		})
		.sort();
}

interface Run {
	readonly minutes: readonly number[];
	/** By the number of the poll, the write at which the process is killed. */
	readonly kills?: readonly number[];
	readonly isOldestFirst?: boolean;
}

async function runOf(
	events: readonly StationEvent[],
	settings: Partial<StationSettings>,
	{ minutes, kills = [], isOldestFirst = false }: Run,
): Promise<World> {
	const copies = kills.length > 0 ? 2 : 1;
	// IDs depend on the workflow, too.
	const world = stationWorld({ workflowId: 'workflow', settings, isOldestFirst, copies });
	world.events = [...events];
	world.now = FROM - MINUTE;
	await world.poll();
	for (const [n, minute] of minutes.entries()) {
		world.now = FROM + minute * MINUTE;
		await poll(world, kills.length > 0 ? kills[n % kills.length] : undefined);
	}
	// What was decided last is reported by polls that live: the second one reports what waited for the first to have begun.
	for (const more of [0, 1, 2]) {
		world.now = FROM + (SETTLED_MINUTES + more) * MINUTE;
		await world.poll();
	}
	return world;
}

const pauses = fc.array(fc.integer({ min: 1, max: 45 }), { minLength: 2, maxLength: 8 });
const killedAt = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 4 });

/** The minutes of polls with these pauses in turn. */
function minutesOf(between: readonly number[]): number[] {
	const minutes: number[] = [];
	for (let at = 0, n = 0; at < SETTLED_MINUTES; n++) {
		minutes.push(at);
		at += between[n % between.length] ?? 1;
	}
	return minutes;
}

const parameters = {
	...{ numRuns: RUNS, endOnFailure: process.env['RUNS'] === undefined },
	...(SEED !== undefined && { seed: Number(SEED) }),
};

describe.each(CASES)('%s, %s', (_name, version, story, settings) => {
	it(
		'the same incidents are reported once, in any order, with any polls, and with a kill at any write',
		async () => {
			await fc.assert(
				fc.asyncProperty(
					happenings,
					pauses,
					killedAt,
					fc.boolean(),
					async (content, between, kills, isOldestFirst) => {
						const events = eventsOf(content, story, version, false);
						const often = await runOf(events, settings, { minutes: minutesOf([9]) });
						const minutes = minutesOf(between);
						const killed = await runOf(events, settings, { minutes, kills, isOldestFirst });
						const ids = killed.ids();
						expect(new Set(ids).size).toBe(ids.length);
						expect(reported(killed)).toEqual(reported(often));
					},
				),
				parameters,
			);
		},
		SLOW_MS,
	);

	it(
		'an event that is listed late makes no second incident',
		async () => {
			await fc.assert(
				fc.asyncProperty(happenings, pauses, killedAt, async (content, between, kills) => {
					const events = eventsOf(content, story, version, true);
					const world = await runOf(events, settings, { minutes: minutesOf(between), kills });
					const ids = world.ids();
					expect(new Set(ids).size).toBe(ids.length);
					expect(withoutOpened(world)).toEqual([]);
					expect(overlapping(world)).toEqual([]);
				}),
				parameters,
			);
		},
		SLOW_MS,
	);
});

/** Incidents that resolved, and that nothing said had opened. */
function withoutOpened(world: World): unknown[] {
	const ids = new Set(world.ids());
	return world
		.items()
		.filter(
			({ state, incident }) => state === 'resolved' && !ids.has(`${String(incident)}.opened`),
		);
}

/** Pairs of incidents of one part of a station, of which the later began before the earlier was over. */
function overlapping(world: World): unknown[] {
	const { kind, scope } = world.settings;
	const last = new Map<unknown, Record<string, unknown>>();
	for (const item of world.items()) last.set(item['incident'] ?? item['id'], item);
	const byPart = Object.groupBy([...last.values()], (item) => {
		const { station, connector, status, transactionId } = item;
		const at = item['stoppedAt'] ?? item['startedAt'];
		const codes = [item['errorCode'], item['vendorErrorCode']];
		const id = (station as { id: string }).id;
		// Two stops of one time that name nothing are two, if their registers differ.
		const register = transactionId === '-1' ? item['meterStopWh'] : '';
		if (kind === 'sessionEnded') return JSON.stringify([id, transactionId, at, register]);
		const code = kind === 'connectorStatus' ? status : scope === 'code' ? codes : '';
		return JSON.stringify([id, connector, code]);
	});
	const sinceOf = ({ since }: Record<string, unknown>) => Date.parse(String(since));
	return Object.values(byPart).flatMap((items = []) => {
		const sorted = items.toSorted((a, b) => sinceOf(a) - sinceOf(b));
		return sorted.slice(1).flatMap((item, n) => {
			const until = sorted[n]?.['until'];
			const isOver = typeof until === 'string' && Date.parse(until) <= sinceOf(item);
			return isOver ? [] : [[sorted[n], item]];
		});
	});
}
