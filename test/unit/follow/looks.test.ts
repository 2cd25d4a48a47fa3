/** Looks back over days: what is listed late is found in time, whatever pauses and budgets there are, and costs little. */
import fc from 'fast-check';
import { begin, follow, type Listed, positionAt, readOn, type Source } from '../../../lib/follow';
import { extendedTrail, LOOKS, OVERLAP_MS } from '../../../lib/follow/position';
import { walkPages } from '../../../lib/service/paging';
import { LATEST_MS } from '../../../lib/station/common/settings';
import { casesOf } from '../../support/cases';

/** How many histories are tried. */
const RUNS = casesOf({ few: 2, all: 12 });
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 10);

interface Event {
	readonly id: string;
	readonly at: number;
	readonly listedAt: number;
	/** `at`, as it is listed. */
	readonly createdAt: string;
}

const eventOf = (id: string, at: number, listedAt = at): Event => ({
	...{ id, at, listedAt, createdAt: new Date(at).toISOString() },
});

interface Network {
	readonly isOldestFirst: boolean;
	/** Milliseconds between two events that are listed in time. */
	readonly everyMs: number;
	readonly pageSize: number;
	/** Of the trigger; any by default. */
	readonly latestMs?: number;
	/** How long before the publication the list begins. */
	readonly pastMs?: number;
}

/** A list by the times of its events, of which the caller has been given some. */
function worldOf(network: Network) {
	const { everyMs, pageSize, latestMs = Infinity, pastMs = 3 * HOUR } = network;
	/** Oldest first. */
	const list: Event[] = [];
	const placeOf = (at: number): number => {
		let [from, to] = [0, list.length];
		while (from < to) {
			const middle = (from + to) >> 1;
			if ((list[middle]?.at ?? Infinity) < at) from = middle + 1;
			else to = middle;
		}
		return from;
	};
	const waiting: Event[] = [];
	const byId = new Map<string, number>();
	const given = new Set<string>();
	let next = START - pastMs;
	const world = {
		given,
		idBefore: (at: number) => list[placeOf(at) - 1]?.id,
		/** All that are listed late. */
		late: [] as Event[],
		now: START,
		position: positionAt(0),
		requests: 0,
		isOldestFirst: network.isOldestFirst,
		/** An event that is listed this long after its creation, at its place. */
		addLate(at: number, lateMs: number) {
			const n = world.late.length;
			// No two events have the same time, as the list needs it.
			const event = eventOf(`late${n}`, at + 0.1 + n / 100, at + lateMs);
			waiting.push(event);
			world.late.push(event);
		},
		/** The list as it is now. */
		advance() {
			for (; next <= world.now; next += everyMs) {
				list.push(eventOf(`e${next}`, next));
				byId.set(`e${next}`, next);
			}
			for (const event of waiting.filter(({ listedAt }) => listedAt <= world.now)) {
				waiting.splice(waiting.indexOf(event), 1);
				list.splice(placeOf(event.at), 0, event);
				byId.set(event.id, event.at);
			}
		},
		source: (pages: number): Source => ({
			...{ pageSize, now: world.now, latestMs, mayRequest: () => world.requests < pages },
			client: {
				list: (_resource, asked) =>
					walkPages(
						async (limit, after) => {
							world.requests += 1;
							const at = after === undefined ? undefined : byId.get(after);
							const from = at === undefined ? 0 : placeOf(at) + 1;
							const upTo = at === undefined ? list.length : placeOf(at);
							const { isOldestFirst } = world;
							const page = isOldestFirst
								? list.slice(from, from + limit)
								: list.slice(Math.max(0, upTo - limit), upTo).reverse();
							const items = page.map(({ id, createdAt }) => ({ id, createdAt }));
							const hasMore = isOldestFirst ? from + limit < list.length : upTo > limit;
							return { items, hasMore };
						},
						{ ...asked, pageSize },
						() => undefined,
					),
			},
		}),
		take: async (page: readonly Listed[]): Promise<undefined> => {
			for (const { event } of page) given.add(event.id);
		},
		async publish() {
			world.advance();
			world.position = (await begin(world.source(Infinity), world.take)).position;
		},
		/** Follows the list, then looks back, with this many requests in all. */
		async poll(pages = Infinity, mayFail = false) {
			world.advance();
			world.requests = 0;
			const news = await follow(world.position, world.source(pages), world.take);
			const rest = news.onward ? await readOn(news.onward, world.source(pages), world.take) : news;
			world.position = rest.position;
			const failure = rest.failure ?? news.failure;
			// A call of `expect` takes as long as many of these polls.
			if (!mayFail && failure !== undefined) throw failure;
			return failure;
		},
	};
	return world;
}
type World = ReturnType<typeof worldOf>;

/** Of the events that are late at most so long and were listed by then, those that no poll has found. */
const missing = (world: World, lateMs: number, listedBy: number): Event[] =>
	world.late.filter(
		({ id, at, listedAt }) =>
			at > START && listedAt - at <= lateMs && listedAt <= listedBy && !world.given.has(id),
	);

interface Stretch {
	/** Between two polls. */
	readonly minutes: number;
	readonly polls: number;
	/** That each poll may read. */
	readonly pages: number;
}

const stretch: fc.Arbitrary<Stretch> = fc.record({
	minutes: fc.oneof(
		{ weight: 3, arbitrary: fc.constant(1) },
		{ weight: 2, arbitrary: fc.integer({ min: 2, max: 90 }) },
		{ weight: 1, arbitrary: fc.integer({ min: 90, max: 30 * 60 }) },
	),
	polls: fc.integer({ min: 1, max: 60 }),
	pages: fc.oneof(fc.constant(Infinity), fc.integer({ min: 2, max: 20 })),
});
const history = fc.record({
	isOldestFirst: fc.boolean(),
	pageSize: fc.integer({ min: 2, max: 10 }),
	/** The last poll of each comes after a pause as long as its polls are apart. */
	stretches: fc.array(stretch, { minLength: 1, maxLength: 10 }),
	late: fc.array(
		fc.record({
			share: fc.integer({ min: 0, max: 1_000 }).map((n) => n / 1_000),
			lateMs: fc.oneof(
				fc.integer({ min: 0, max: OVERLAP_MS }),
				...LOOKS.map(({ lateMs }) => fc.integer({ min: lateMs / 2, max: lateMs })),
			),
		}),
		{ maxLength: 40 },
	),
});
/** Longer histories are cut. */
const LONGEST_MS = 3 * DAY;

/** When a history polls, and how much it may read each time. */
function* pollsOf(stretches: readonly Stretch[]): Generator<{ at: number; pages: number }> {
	let at = START;
	for (const { minutes, polls, pages } of stretches) {
		for (let n = 0; n < polls; n += 1) {
			at += minutes * MINUTE;
			if (at > START + LONGEST_MS) return;
			yield { at, pages };
		}
	}
}

/** What the position says has been read is what the caller was given. */
function expectFound(world: World): void {
	const { position, now } = world;
	if (position.stretches.length > 0 || position.isBehind === true) return;
	const ofLooks = LOOKS.map(({ lateMs }, n) =>
		missing(world, lateMs, position.looks[n]?.at ?? START),
	);
	expect([missing(world, OVERLAP_MS, now), ...ofLooks]).toEqual([[], ...LOOKS.map(() => [])]);
}

it(
	'a look back that is over has found all that is as late as it is for, whatever pauses and budgets there were',
	async () => {
		await fc.assert(
			fc.asyncProperty(history, async ({ stretches, late, ...network }) => {
				const world = worldOf({ ...network, everyMs: 40 * SECOND });
				const polls = [...pollsOf(stretches)];
				const lastAt = polls.at(-1)?.at ?? START;
				for (const { share, lateMs } of late) {
					world.addLate(START + Math.round((lastAt - START) * share), lateMs);
				}
				await world.publish();
				let lastPollAt = START;
				for (const { at, pages } of polls) {
					world.now = at;
					await world.poll(pages);
					expect(world.requests).toBeLessThanOrEqual(Math.max(2, pages));
					expectFound(world);
					const { stretches, looks, isBehind = false } = world.position;
					for (const [n, { everyMs }] of LOOKS.entries()) {
						// They are due by time, once nothing is unread.
						if (isBehind || stretches.some(({ kind }) => kind === 'unread')) continue;
						const dueSince = at - (looks[n]?.at ?? 0);
						expect(dueSince).toBeLessThan(Math.max(everyMs, at - lastPollAt));
					}
					if (pages === Infinity) expect(stretches).toEqual([]);
					lastPollAt = at;
				}
				// Polls that may read what they need find all of it.
				for (let n = 0; n < 26; n += 1) {
					world.now += HOUR;
					await world.poll();
				}
				expect(missing(world, HOUR, world.now)).toEqual([]);
			}),
			{ numRuns: RUNS },
		);
	},
	RUNS * 4_000,
);

describe('an event that is listed right after a poll that looked back', () => {
	it.each([
		[2 * MINUTE, 1],
		[10 * MINUTE, 60],
		[HOUR, 24 * 60],
	])(
		'is found, %d ms late, within %d minutes, in a list of either order',
		async (lateMs, within) => {
			for (const isOldestFirst of [false, true]) {
				const world = worldOf({ isOldestFirst, everyMs: 50 * SECOND, pageSize: 10 });
				await world.publish();
				const minutes = async (count: number) => {
					for (let n = 0; n < count; n += 1) {
						world.now += MINUTE;
						await world.poll();
					}
				};
				// Both looks back are due then.
				await minutes(24 * 60 + 1);
				expect(world.position.looks.map(({ at }) => at)).toEqual([world.now, world.now]);
				world.addLate(world.now + 1 - lateMs, lateMs);
				await minutes(within);
				expect([...world.given]).toContain('late0');
			}
		},
	);
});

it.each([
	['Poll Trigger', Infinity, 24, false, 5.5],
	['Station Trigger', LATEST_MS, 6, false, 4.5],
	['Poll Trigger', Infinity, 24, true, 5.5],
	['Station Trigger', LATEST_MS, 6, true, 4.5],
])(
	'with a poll each minute, the %s (of events up to %d ms old) makes over %d hours (oldest first: %s) at most %d requests for each page of new events',
	async (_trigger, latestMs, hours, isOldestFirst, most) => {
		// As 9 events per second in pages of 100.
		const network = { isOldestFirst, everyMs: 2_778, pageSize: 4 };
		const world = worldOf({ ...network, latestMs, pastMs: 26 * HOUR });
		await world.publish();
		const looks = LOOKS.map(({ lateMs, everyMs }) => ({
			at: START - everyMs,
			from: START - everyMs - lateMs,
			after: isOldestFirst ? world.idBefore(START - everyMs - lateMs) : undefined,
		}));
		world.position = { ...world.position, looks };
		let requests = 0;
		for (let n = 0; n < hours * 60; n += 1) {
			world.now += MINUTE;
			await world.poll(200);
			requests += world.requests;
		}
		const pages = (hours * HOUR) / network.everyMs / network.pageSize;
		expect(requests / pages).toBeLessThanOrEqual(most);
		expect(requests / pages).toBeGreaterThan(most - 0.5);
	},
	60_000,
);

it('a look back waits for what is unread, and goes on in the next polls', async () => {
	const world = worldOf({ isOldestFirst: false, everyMs: SECOND, pageSize: 10 });
	await world.publish();
	world.now += MINUTE;
	await world.poll();
	// 720 pages are missed, and a poll may read 100.
	world.now += 2 * HOUR;
	const left: [unread: boolean, looks: number][] = [];
	for (let n = 0; n < 13; n += 1) {
		await world.poll(100);
		const { stretches } = world.position;
		const isUnread = stretches.some(({ kind }) => kind === 'unread');
		left.push([isUnread, stretches.filter(({ kind }) => kind === 'look').length]);
		world.now += MINUTE;
	}
	expect(left.findIndex(([isUnread]) => !isUnread)).toBe(8);
	expect(left.slice(0, 8)).toEqual(Array(8).fill([true, 0]));
	expect(left.at(-1)).toEqual([false, 0]);
});

it('looks back in a list that begins with its oldest event: the shorter look first', async () => {
	const world = worldOf({ isOldestFirst: true, everyMs: SECOND, pageSize: 10 });
	await world.publish();
	world.now += MINUTE;
	await world.poll();
	const at = world.now - 2 * DAY;
	const lookBack = (ms: number) => {
		const from = world.now - ms;
		return { at, from, after: world.idBefore(from) };
	};
	world.position = { ...world.position, looks: [lookBack(20 * MINUTE), lookBack(2 * HOUR)] };
	const left: number[] = [];
	for (let n = 0; n < 4; n += 1) {
		world.now += MINUTE;
		await world.poll(100);
		left.push(world.position.stretches.length);
	}
	// Each poll reads 80 pages of it: the shorter look has 120 of them.
	expect(left).toEqual([2, 1, 1, 1]);
});

it('looks back at once after the clock was set back', async () => {
	const world = worldOf({ isOldestFirst: false, everyMs: 10 * SECOND, pageSize: 10 });
	await world.publish();
	world.now += MINUTE;
	await world.poll();
	const { looks } = world.position;
	const ahead = looks.map((look) => ({ ...look, at: world.now + 2 * HOUR }));
	world.position = { ...world.position, looks: ahead };
	world.now += MINUTE;
	await world.poll();
	expect(world.position.looks[0]?.at).toBe(world.now);
});

it('loses nothing that was still unread when the list was turned round', async () => {
	const world = worldOf({ isOldestFirst: true, everyMs: SECOND, pageSize: 10 });
	await world.publish();
	world.now += MINUTE;
	await world.poll();
	world.addLate(world.now - 30 * SECOND, 60 * SECOND);
	for (let n = 0; n < 20; n += 1) {
		world.now += MINUTE;
		// As many as the new events need.
		await world.poll(6);
	}
	expect(world.position.stretches).toMatchObject([{ kind: 'unread' }]);
	world.isOldestFirst = false;
	world.now += MINUTE;
	// Not as far as the late event.
	expect(await world.poll(70, true)).toMatchObject({
		message: expect.stringContaining('now begins with the newest event') as string,
	});
	world.now += MINUTE;
	await world.poll();
	expect(missing(world, OVERLAP_MS, world.now)).toEqual([]);
});

it.each([5, 11, 60, 61])(
	'the trail of a list has a record near any time of the last hours, with polls each minute and pages of %d seconds',
	(seconds) => {
		let trail: { id: string; at: number }[] = [];
		for (let at = START; at < START + DAY; at += MINUTE) {
			const read: typeof trail = [];
			for (let page = at; page < at + MINUTE; page += seconds * SECOND)
				read.push({ id: '', at: page });
			trail = extendedTrail(trail, read);
		}
		const newestAt = trail.at(-1)?.at ?? 0;
		const gaps = trail.slice(1).map(({ at }, n) => {
			const before = trail[n]?.at ?? -Infinity;
			return (at - before) / Math.max(MINUTE + SECOND, (newestAt - before) / 12);
		});
		expect(Math.max(...gaps)).toBeLessThanOrEqual(1);
		expect(trail[0]?.at).toBeLessThan(newestAt - 20 * HOUR);
		expect(trail.length).toBeLessThan(160);
	},
);
