/** Follows any list with any budget and any trouble: everything is given to the caller, and each poll gets further. */
import fc from 'fast-check';
import {
	begin,
	follow,
	type Listed,
	positionAt,
	readOn,
	type Source,
	type Stretch,
	unreadFrom,
} from '../../../lib/follow';
import { MOST_UNREAD, OVERLAP_MS, type Position } from '../../../lib/follow/position';
import { ApiError } from '../../../lib/service';
import { hintOf } from '../../../lib/shared/errors';
import { casesOf } from '../../support/cases';
import { fakeList } from './fakeList';

/** How many lists are tried. */
const RUNS = casesOf({ few: 25, all: 200 });
const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 10);
/** Events that are listed at most this long after their creation, at their place, are known once they are this old. */
const GRACE_MS = MINUTE;
/** By at most this much is an event's place in the list wrong. */
const LONGEST_JITTER_MS = 30_000;

interface Arrival {
	/** Seconds before the poll at which it is created, in a stretch since the poll before. */
	readonly share: number;
	/** Minutes between its creation and its listing; 0 for at once. */
	readonly late: number;
	/** Seconds by which its place in the list is wrong. */
	readonly jitter: number;
}
interface Step {
	readonly minutes: number;
	readonly arrivals: readonly Arrival[];
	/** Events that are listed after the first request of the poll. */
	readonly meanwhile: number;
	/** The pages that the poll may read. */
	readonly pages: number;
	/** `removes`: the service no longer lists the records that the position names. */
	readonly trouble: 'none' | 'fails' | 'refuses' | 'removes' | 'kills';
	readonly at: number;
}

const arrival: fc.Arbitrary<Arrival> = fc.record({
	// Of doubles, most are tiny: those events have nearly the same time.
	share: fc.oneof(
		fc.double({ min: 0, max: 1, noNaN: true }),
		fc.integer({ min: 0, max: 1_000 }).map((n) => n / 1_000),
	),
	late: fc.oneof(
		{ weight: 8, arbitrary: fc.constant(0) },
		{ weight: 1, arbitrary: fc.integer({ min: 1, max: 20 }) },
	),
	jitter: fc.oneof(
		{ weight: 4, arbitrary: fc.constant(0) },
		fc.integer({ min: 0, max: LONGEST_JITTER_MS / 1_000 }),
	),
});
const step: fc.Arbitrary<Step> = fc.record({
	minutes: fc.oneof(
		{ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) },
		{ weight: 1, arbitrary: fc.integer({ min: 3, max: 200 }) },
	),
	arrivals: fc.oneof(
		fc.array(arrival, { maxLength: 12 }),
		fc.array(arrival, { minLength: 20, maxLength: 80 }),
	),
	meanwhile: fc.integer({ min: 0, max: 3 }),
	pages: fc.oneof(fc.integer({ min: 2, max: 12 }), fc.integer({ min: 12, max: 40 })),
	trouble: fc.oneof(
		{ weight: 5, arbitrary: fc.constant('none' as const) },
		fc.constantFrom('fails' as const, 'refuses' as const, 'removes' as const, 'kills' as const),
	),
	at: fc.integer({ min: 1, max: 6 }),
});
const network = fc.record({
	isOldestFirst: fc.boolean(),
	/** Whether all events have times of whole minutes, so that many are equal. */
	isRounded: fc.boolean(),
	pageSize: fc.integer({ min: 3, max: 12 }),
	before: fc.array(arrival, { maxLength: 40 }),
	steps: fc.array(step, { minLength: 1, maxLength: 8 }),
});
type Network = typeof network extends fc.Arbitrary<infer T> ? T : never;

interface Event {
	/** How many were created before it. */
	readonly n: number;
	readonly id: string;
	readonly at: number;
	readonly place: number;
	readonly listedAt: number;
	readonly createdAt: string;
}

function worldOf({ isOldestFirst, isRounded, pageSize }: Network) {
	const events: Event[] = [];
	const given = new Set<string>();
	const shown = { state: '', list: [] as Event[] };
	let created = 0;
	const world = {
		events,
		given,
		now: START,
		isAnyGone: false,
		position: positionAt(0),
		requests: 0,
		onRequest: (): void => undefined,
		add(event: Omit<Event, 'id' | 'createdAt'>) {
			events.push({ ...event, id: `e${event.n}`, createdAt: new Date(event.at).toISOString() });
		},
		create(arrivals: readonly Arrival[], since: number) {
			for (const { share, late, jitter } of arrivals) {
				const from = Math.max(since, world.now - 200 * MINUTE);
				const exact = from + Math.round((world.now - from) * share);
				const at = isRounded ? Math.floor(exact / MINUTE) * MINUTE : exact;
				const listedAt = at + late * MINUTE;
				const n = created++;
				world.add({ n, at, place: at - jitter * 1_000, listedAt });
			}
		},
		remove(ids: ReadonlySet<unknown>) {
			world.isAnyGone = true;
			const left = events.filter(({ id }) => !ids.has(id));
			events.splice(0, events.length, ...left);
		},
		/** In the order of the list; sorted once for each poll. */
		listed: (): readonly Event[] => {
			const state = `${world.now} ${events.length} ${created}`;
			if (shown.state !== state) {
				shown.state = state;
				shown.list = events
					.filter(({ listedAt }) => listedAt <= world.now)
					.sort((a, b) => a.place - b.place || a.n - b.n);
				if (!isOldestFirst) shown.list.reverse();
			}
			return shown.list;
		},
		source: (pages: number): Source => ({
			...{ pageSize, now: world.now, mayRequest: () => world.requests < pages },
			client: fakeList(world.listed, () => {
				world.requests += 1;
				world.onRequest();
			}),
		}),
		take: async (page: readonly Listed[]): Promise<undefined> => {
			for (const { event } of page) given.add(event.id);
		},
		async poll(pages: number) {
			world.requests = 0;
			return await follow(world.position, world.source(pages), world.take);
		},
		/** With the requests that a poll has left. */
		readOn: async (position: Position, pages: number) =>
			await readOn(position, world.source(pages), world.take),
		/** Of the events that were created after the publication. */
		unread: () => world.listed().filter(({ id, at }) => at > START && !given.has(id)),
	};
	return world;
}
type World = ReturnType<typeof worldOf>;

const ORDINARY: Arrival = { share: 1, late: 0, jitter: 0 };

/** One poll of the step, and what must hold after each. */
async function take(world: World, { pageSize }: Network, step: Step): Promise<void> {
	const { minutes, arrivals, meanwhile, pages, trouble, at } = step;
	const since = world.now;
	world.now += minutes * MINUTE;
	world.create(arrivals, since);
	const { position: before, given } = world;
	if (trouble === 'removes') {
		const { stretches, trail } = before;
		world.remove(new Set([...stretches.map(({ after }) => after), trail.at(-1)?.id]));
	}
	const givenBefore = [...given];
	const news = newsOf(world);
	const unreadBefore = unreadOf(world, before);
	const extra = extraOf(world, before);
	const seen = { requests: 0, grown: 0, isTroubled: false };
	world.onRequest = () => {
		seen.requests += 1;
		if (seen.requests === 2) {
			world.create(
				Array.from({ length: meanwhile }, () => ORDINARY),
				world.now,
			);
			seen.grown = meanwhile;
		}
		if (seen.requests !== at || !['fails', 'refuses'].includes(trouble)) return;
		seen.isTroubled = true;
		const status = trouble === 'fails' ? 503 : 404;
		throw new ApiError('Not now', { hint: '', status });
	};
	const followed = await world.poll(pages);
	const { position, isWhole } = followed;
	const last = followed.onward ? await world.readOn(followed.onward, pages) : followed;
	const { failure } = last;
	world.onRequest = () => undefined;
	// The next poll reads what is left.
	if (seen.isTroubled && trouble === 'fails') expect(seen.requests).toBe(at);
	if (isWhole) expect(unreadFrom(position)).toBe(Infinity);
	// A position may name several records that are gone.
	if (seen.isTroubled || !world.isAnyGone) expect(failure === undefined).toBe(!seen.isTroubled);
	expect(world.requests).toBeLessThanOrEqual(pages);
	expect(position.stretches.filter(({ kind }) => kind === 'unread').length).toBeLessThanOrEqual(
		MOST_UNREAD,
	);
	expect(position.knownUpTo).toBeGreaterThanOrEqual(before.knownUpTo);
	if (trouble === 'kills') {
		// What it was given is lost with its process.
		given.clear();
		for (const id of givenBefore) given.add(id);
	} else world.position = last.position;
	// With many events of the same time, the order of the list is unknown for a while.
	if (failure !== undefined || trouble !== 'none' || before.order === undefined) return;
	// A stretch whose record is gone begins further away.
	if (world.isAnyGone) return;
	// Pages may be only partly unread at both ends of what is new, of what is behind that, and of each stretch.
	const read = Math.max(0, pages - 4 - 2 * before.stretches.length) * pageSize;
	expect(unreadOf(world, position)).toBeLessThanOrEqual(
		seen.grown + Math.max(0, unreadBefore + news + extra - read),
	);
}

/** How many events are in the stretches that no poll has read. */
function unreadOf(world: World, { stretches }: Position): number {
	const list = world.listed();
	return stretches
		.filter(({ kind }) => kind === 'unread')
		.reduce((sum, { after, backTo, upTo = Infinity }) => {
			const from = list.findIndex(({ id }) => id === after) + 1;
			return sum + list.slice(from).filter(({ at }) => at >= backTo && at <= upTo).length;
		}, 0);
}

/** How many events a poll may read along with those, since their stretch begins further away, or with events of that time. */
function extraOf(world: World, { stretches, order }: Position): number {
	const list = world.listed();
	const extra = ({ after, by = 0, backTo }: Stretch): number => {
		if (order === 'newestFirst')
			return list.filter(({ at }) => Math.abs(at - by) <= LONGEST_JITTER_MS).length;
		const from = list.findIndex(({ id }) => id === after) + 1;
		return list.slice(from).filter(({ at }) => at < backTo).length;
	};
	const unread = stretches.filter(({ kind }) => kind === 'unread');
	return unread.reduce((sum, stretch) => sum + extra(stretch), 0);
}

/** How many events a poll reads before the stretches: the new ones, those of two minutes behind them, and of a minute that may be read again. */
function newsOf(world: World): number {
	const { newestAt, trail, order } = world.position;
	const behind = newestAt - OVERLAP_MS - LONGEST_JITTER_MS;
	const anchor = trail.findLast(({ at }) => at < newestAt - OVERLAP_MS)?.at ?? -Infinity;
	const list = world.listed();
	if (order !== 'oldestFirst') return list.filter(({ at }) => at >= behind).length;
	const after = list.findIndex(({ id }) => id === trail.at(-1)?.id) + 1;
	const overlap = list.filter(
		({ at }) => at >= Math.min(anchor, behind) && at <= newestAt + MINUTE,
	);
	return list.length - after + overlap.length;
}

/** Everything that was listed in time has been read, as far as the position says. */
function expectKnown(world: World): void {
	const known = world.position.knownUpTo - GRACE_MS;
	const missing = world
		.unread()
		.filter(
			({ at, place, listedAt }) =>
				at <= known && listedAt <= at + GRACE_MS && at - place <= LONGEST_JITTER_MS,
		);
	expect(missing).toEqual([]);
}

it(
	'gives everything to its caller, gets further in each poll, and knows what it has read',
	async () => {
		await fc.assert(
			fc.asyncProperty(network, async (network) => {
				const world = worldOf(network);
				world.create(network.before, START - 200 * MINUTE);
				world.position = (await begin(world.source(Infinity), world.take)).position;
				for (const step of network.steps) {
					await take(world, network, step);
					expectKnown(world);
				}
				// Each poll finds at most one record gone, and the longest look back comes within a day.
				for (const minutes of [...Array<number>(12).fill(1), 61, 1, 1, 25 * 60, 1, 1, 1]) {
					world.now += minutes * MINUTE;
					const { position, onward } = await world.poll(1_000);
					world.position = onward ? (await world.readOn(onward, 1_000)).position : position;
				}
				expect(world.unread()).toEqual([]);
				expect(world.position.stretches).toEqual([]);
				expect(world.position.knownUpTo).toBe(world.now);
			}),
			{ numRuns: RUNS, endOnFailure: process.env['RUNS'] !== undefined },
		);
	},
	RUNS * 1_000,
);

/** Events at these times, in Unix milliseconds, in a list that begins with the newest or the oldest one. */
const recordsAt = (times: readonly number[], isOldestFirst: boolean) => {
	const records = times.map((at, n) => ({ id: String(n), createdAt: new Date(at).toISOString() }));
	return isOldestFirst ? records : records.reverse();
};

describe('an outage of an hour, and another gap before it is caught up', () => {
	/** Two events per second, a page of 100 takes 50 s of events. */
	const EVERY_MS = 500;

	async function pollsToCatchUp(isOldestFirst: boolean, pages: number): Promise<number> {
		let now = START + 60 * MINUTE;
		let requests = 0;
		const given = new Set<string>();
		const all = Array.from({ length: 40_000 }, (_unused, n) => START + n * EVERY_MS);
		const listed = () => all.slice(0, (now - START) / EVERY_MS + 1);
		let list = recordsAt(listed(), isOldestFirst);
		const onRequest = () => {
			requests += 1;
		};
		const source = (): Source => ({
			...{ pageSize: 100, now, mayRequest: () => requests < pages },
			client: fakeList(() => list, onRequest),
		});
		const onPage = async (page: readonly Listed[]): Promise<undefined> => {
			for (const { event } of page) given.add(event.id);
		};
		let { position } = await begin({ ...source(), mayRequest: () => true }, onPage);
		const from = list.length;
		let polls = 0;
		const poll = async () => {
			requests = 0;
			list = recordsAt(listed(), isOldestFirst);
			({ position } = await follow(position, source(), onPage));
			polls += 1;
		};
		now += 60 * MINUTE;
		for (let n = 0; n < 3; n++, now += MINUTE) await poll();
		now += 10 * MINUTE;
		while (unreadFrom(position) < Infinity || position.knownUpTo < now - MINUTE) {
			if (polls > 60) break;
			await poll();
			now += MINUTE;
		}
		const ids = [...list.keys()].slice(from).map(String);
		expect(ids.filter((id) => !given.has(id))).toEqual([]);
		return polls;
	}

	it.each([
		['newest', false],
		['oldest', true],
	])(
		'is caught up within 15 polls of 12 pages, in a list that begins with the %s',
		async (_which, isOldestFirst) => {
			expect(await pollsToCatchUp(isOldestFirst, 12)).toBeLessThanOrEqual(15);
		},
	);
});

/** Reads these records with no limit. */
const page = (records: ReturnType<typeof recordsAt>, onRequest?: () => void): Source => ({
	...{ pageSize: 10, now: START + 200 * MINUTE, mayRequest: () => true },
	client: fakeList(() => records, onRequest),
});

/** An event each minute. */
const minutes = Array.from({ length: 160 }, (_unused, n) => START + n * MINUTE);

/** A stretch without a place. */
const BEHIND = { backTo: START + 125 * MINUTE };

it.each<[string, Pick<Source, 'again'>, readonly Stretch[]]>([
	['what its caller wants to see again', { again: [{ ...BEHIND, kind: 'again' }] }, []],
	['a stretch from a publication', {}, [{ ...BEHIND, kind: 'unread' }]],
])('%s is read behind the new events, and nothing twice', async (_what, wanted, stretches) => {
	const given: number[] = [];
	const onPage = async (listed: readonly Listed[]): Promise<undefined> => {
		given.push(...listed.map(({ event }) => Number(event.id)));
	};
	const records = recordsAt(minutes, false);
	const { position } = await begin(page(records), onPage);
	given.length = 0;
	await follow({ ...position, stretches: [...stretches] }, { ...page(records), ...wanted }, onPage);
	expect(given).toEqual(Array.from({ length: 40 }, (_unused, n) => 159 - n));
});

it('what is left of a stretch begins where the reading has ended, in a list that begins with the oldest event', async () => {
	const upTo = START + 100 * MINUTE;
	const stretch: Stretch = { after: '0', backTo: START, upTo, kind: 'unread' };
	const newestAt = START + 159 * MINUTE;
	const position: Position = {
		...{ ...positionAt(START), newestAt, order: 'oldestFirst' },
		...{ isBehind: true, stretches: [stretch], trail: [{ id: '159', at: newestAt }] },
	};
	let requests = 0;
	const source = page(recordsAt(minutes, true), () => {
		requests += 1;
	});
	const limited = { ...source, mayRequest: () => requests < 3 };
	const { position: after } = await follow(position, limited, async () => undefined);
	expect(after.stretches).toEqual([
		{ ...stretch, after: '20', by: START + 20 * MINUTE, backTo: START + 20 * MINUTE },
	]);
});

describe.each([
	['newest', false],
	['oldest', true],
])('in a list that begins with the %s event', (_first, isOldestFirst) => {
	const records = recordsAt(minutes, isOldestFirst);
	const nothing = async () => undefined;

	it('the oldest unread events are read first', async () => {
		const older = { by: START + 25 * MINUTE, backTo: START + 20 * MINUTE };
		const newer = { by: START + 85 * MINUTE, backTo: START + 80 * MINUTE };
		const stretches = [older, newer].map(({ by, backTo }): Stretch => {
			const after = String((isOldestFirst ? backTo : by) / MINUTE - START / MINUTE);
			return { after, by, backTo, kind: 'unread', ...(isOldestFirst && { upTo: by }) };
		});
		const { position } = await begin(page(records), nothing);
		const given: number[] = [];
		let requests = 0;
		const source = page(records, () => (requests += 1));
		const limited = { ...source, mayRequest: () => requests < 5 };
		await follow({ ...position, stretches }, limited, async (listed) => {
			given.push(...listed.map(({ event }) => Number(event.id)));
			return undefined;
		});
		const behind = given.filter((n) => n < 100);
		expect(behind.findIndex((n) => n >= 75)).toBeGreaterThan(behind.findIndex((n) => n <= 25));
		expect(behind).toEqual(expect.arrayContaining([21, 22, 23, 24]));
	});

	it.each([
		['that may make no request', page(records), false],
		[
			'whose first request fails',
			page(records, () => {
				throw new ApiError('Busy', { hint: '', status: 503 });
			}),
			true,
		],
	])('a poll %s leaves all as it was', async (_what, source, may) => {
		const { position } = await begin(page(records), nothing);
		const before = { ...position, newestAt: START + 100 * MINUTE, knownUpTo: START + 50 * MINUTE };
		const polled = await follow(before, { ...source, mayRequest: () => may }, nothing);
		expect(polled.position).toStrictEqual(before);
		expect(polled.isWhole).toBe(false);
	});

	it('what was read is known by the clock of the service, up to the first page of the poll', async () => {
		const { position } = await begin(page(records), nothing);
		const stretch: Stretch = {
			after: '30',
			by: START + 30 * MINUTE,
			backTo: START,
			kind: 'unread',
		};
		const stretches = [isOldestFirst ? { ...stretch, upTo: START + 60 * MINUTE } : stretch];
		const firstAt = START + 170 * MINUTE;
		let requests = 0;
		const client = fakeList(
			() => records,
			(_after, { onDate }) => onDate?.(firstAt + requests++ * MINUTE),
		);
		const before = { ...position, knownUpTo: START, stretches };
		const polled = await follow(before, { ...page(records), client }, nothing);
		expect(requests).toBeGreaterThan(2);
		expect(polled.position.knownUpTo).toBe(firstAt);
	});
});

it('a look back does not begin after a record of which an earlier reading has shown that it is gone', async () => {
	const records = recordsAt(minutes, true).filter(({ id }) => id !== '120');
	const trail = [60, 120, 159].map((n) => ({ id: String(n), at: START + n * MINUTE }));
	const looks = [
		{ at: 0, from: START + 125 * MINUTE, after: '120' },
		{ at: 0, from: START + 65 * MINUTE, after: '60' },
	];
	const newestAt = START + 159 * MINUTE;
	const before: Position = { ...positionAt(newestAt), order: 'oldestFirst', trail, looks };
	const nothing = async () => undefined;
	const refused = await follow(before, page(records), nothing);
	expect(refused.failure).toBeDefined();
	const { onward, failure } = await follow(refused.position, page(records), nothing);
	expect([onward?.stretches.map(({ after }) => after), failure]).toEqual([['60', '60'], undefined]);
	if (onward === undefined) return;
	expect((await readOn(onward, page(records), nothing)).failure).toBeUndefined();
});

it('an event without a time is as old as the record before it, also where a reading begins, in a list that begins with the oldest event', async () => {
	const newestAt = START + 159 * MINUTE;
	const [anchor, place] = [155, 156];
	const records = recordsAt(minutes, true).map((record) =>
		record.id === String(place) ? { ...record, createdAt: '' } : record,
	);
	const position: Position = {
		...{ ...positionAt(newestAt), newestAt, order: 'oldestFirst' },
		trail: [
			{ id: String(anchor), at: START + anchor * MINUTE },
			{ id: '159', at: newestAt },
		],
	};
	const seen = new Map<string, number | undefined>();
	await follow(position, page(records), async (listed) => {
		for (const { event, by } of listed) seen.set(event.id, by);
		return undefined;
	});
	expect(seen.get(String(place))).toBe(START + anchor * MINUTE);
});

it('new events are read that come before the last record of the poll before, in a list that begins with the oldest event', async () => {
	const newestAt = START + 159 * MINUTE;
	const before = recordsAt(minutes, true);
	const { position } = await begin(page(before), async () => undefined);
	expect(position.trail.at(-1)?.id).toBe('159');
	// More than end a reading, then one that is no newer.
	const added = [...Array.from({ length: 25 }, (_unused, n) => newestAt + 1 + n), newestAt].map(
		(at, n) => ({ id: `added ${n}`, createdAt: new Date(at).toISOString() }),
	);
	const later = { id: 'later', createdAt: new Date(newestAt + 30 * MINUTE).toISOString() };
	const records = [...before.slice(0, -1), ...added, ...before.slice(-1), later];
	const given = new Set<string>();
	await follow(position, page(records), async (listed) => {
		for (const { event } of listed) given.add(event.id);
		return undefined;
	});
	expect([...added, later].filter(({ id }) => !given.has(id))).toEqual([]);
});

it('late events in the wrong order turn no list', async () => {
	const newestAt = START + 159 * MINUTE;
	const late = Array.from({ length: 15 }, (_unused, n) => newestAt - n * 10_000);
	const records = recordsAt([...minutes, ...late], true);
	const position: Position = {
		...{ ...positionAt(newestAt), order: 'oldestFirst' },
		trail: [{ id: '159', at: newestAt }],
	};
	const { failure } = await follow(position, page(records), async () => undefined);
	expect(failure).toBeUndefined();
});

describe('a list that turns', () => {
	it.each([
		['newest', 'oldest', false],
		['oldest', 'newest', true],
	])(
		'from the %s to the %s event is a failure, and loses nothing',
		async (_from, now, isOldestFirst) => {
			const given: string[] = [];
			const onPage = async (listed: readonly Listed[]): Promise<undefined> => {
				given.push(...listed.map(({ event }) => event.id));
			};
			const asBefore = (count: number) => recordsAt(minutes.slice(0, count), isOldestFirst);
			let position: Position = (await begin(page(asBefore(100)), onPage)).position;
			position = (await follow(position, page(asBefore(130)), onPage)).position;
			const turned = asBefore(160).reverse();
			const { position: after, failure } = await follow(position, page(turned), onPage);
			expect(failure?.message).toContain(`now begins with the ${now} event`);
			expect(hintOf(failure)).toMatch(/^Publish the workflow again/);
			given.length = 0;
			const next = await follow(after, page(turned), onPage);
			expect(next.failure).toBeUndefined();
			for (let n = 130; n < 160; n++) expect(given).toContain(String(n));
		},
	);
});
