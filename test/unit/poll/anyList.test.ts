/** Polls of any list, with any budget and any trouble, against what the list has shown: each wanted event starts once. */
import fc from 'fast-check';
import { LedgerUnavailableError } from '../../../lib/ledger';
import { ApiError } from '../../../lib/service';
import { casesOf } from '../../support/cases';
import { MINUTE, pollWorld } from './pollWorld';

/** How many lists are tried. */
const RUNS = casesOf({ few: 15, all: 120 });

interface Arrival {
	/** Minutes between its creation and its listing. */
	readonly late: number;
	/** Seconds between them, as well, in a list in which all events have a time. */
	readonly seconds: number;
	/** Seconds by which its place in the list is wrong. */
	readonly jitter: number;
	readonly isWanted: boolean;
	/** Whether n8n cannot store its first execution. */
	readonly isRefused: boolean;
	/** Whether the service says when it was created, in a list in which only most events have a time. */
	readonly hasTime: boolean;
}

interface Step {
	readonly minutes: number;
	readonly arrivals: readonly Arrival[];
	/** Events that are listed after the first request of the poll. */
	readonly meanwhile: number;
	readonly budget: number;
	readonly fault: { readonly kind: 'none' | 'fails' | 'refuses' | 'kills'; readonly at: number };
}

const arrival: fc.Arbitrary<Arrival> = fc.record({
	late: fc.oneof(
		{ weight: 6, arbitrary: fc.constant(0) },
		{ weight: 2, arbitrary: fc.integer({ min: 1, max: 20 }) },
		{ weight: 1, arbitrary: fc.integer({ min: 20, max: 60 }) },
	),
	seconds: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 59 })),
	jitter: fc.integer({ min: 0, max: 30 }),
	isWanted: fc.boolean(),
	isRefused: fc.boolean(),
	hasTime: fc.integer({ min: 0, max: 4 }).map((drawn) => drawn > 0),
});
const step: fc.Arbitrary<Step> = fc.record({
	minutes: fc.oneof(
		{ weight: 4, arbitrary: fc.integer({ min: 0, max: 2 }) },
		{ weight: 1, arbitrary: fc.integer({ min: 0, max: 200 }) },
	),
	arrivals: fc.array(arrival, { maxLength: 20 }),
	meanwhile: fc.integer({ min: 0, max: 3 }),
	budget: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(1_000)),
	fault: fc.record({
		kind: fc.constantFrom('none', 'none', 'fails', 'refuses', 'kills'),
		at: fc.integer({ min: 1, max: 4 }),
	}),
});
const network = fc.record({
	isOldestFirst: fc.boolean(),
	/** Which events the service says the time of. If not of all, its list is in order, newest first. */
	times: fc.constantFrom('all', 'most'),
	startFrom: fc.constantFrom('now' as const, 'retained' as const),
	pageSize: fc.integer({ min: 3, max: 12 }),
	batchSize: fc.integer({ min: 1, max: 5 }),
	before: fc.array(arrival, { maxLength: 30 }),
	steps: fc.array(step, { minLength: 1, maxLength: 8 }),
});
type Network = typeof network extends fc.Arbitrary<infer T> ? T : never;

interface Listed extends Arrival {
	/** How many were listed before it. */
	readonly n: number;
	readonly id: string;
	readonly at: number;
	readonly position: number;
	readonly eventType: 'any';
	readonly createdAt?: string;
}

function worldOf({ times, startFrom, pageSize, batchSize, ...network }: Network) {
	const isOldestFirst = network.isOldestFirst && times === 'all';
	const list: Listed[] = [];
	const refused = new Set<string>();
	const world = pollWorld({
		...{ startFrom, pageSize, batchSize },
		isWanted: ({ id }) => list.some((each) => each.id === id && each.isWanted),
		// Kills are those of a process that n8n had saved nothing of.
		memory: { read: () => undefined, write: () => undefined },
		// Each request takes a millisecond.
		clock: () => world.requests.length,
	});
	world.list = list;
	world.fate = async (ids) => {
		const isRefused = list.some(
			(each) => ids.includes(each.id) && each.isRefused && !refused.has(each.id),
		);
		if (isRefused && ids.length === 1) for (const id of ids) refused.add(id);
		return isRefused ? 'unstored' : 'succeeded';
	};
	const byPlace = (a: Listed, b: Listed) => a.position - b.position || a.n - b.n;
	const add = (arrivals: readonly Arrival[]) => {
		for (const drawn of arrivals) {
			const jitter = times === 'all' ? drawn.jitter : 0;
			const hasTime = times === 'all' || drawn.hasTime;
			const n = list.length;
			const seconds = times === 'all' ? drawn.seconds : 0;
			const at = world.now - drawn.late * MINUTE - seconds * 1_000;
			list.push({
				...{ ...drawn, jitter, hasTime, n, id: `e${n}`, eventType: 'any' },
				...{ at, position: at - jitter * 1_000 },
				...(hasTime && { createdAt: new Date(at).toISOString() }),
			});
		}
		list.sort((a, b) => (isOldestFirst ? byPlace(a, b) : byPlace(b, a)));
	};
	return Object.assign(world, { all: list, add });
}
type World = ReturnType<typeof worldOf>;

/** A poll of the step, with its trouble. */
async function take(world: World, { minutes, arrivals, meanwhile, budget, fault }: Step) {
	world.now += minutes * MINUTE;
	world.add(arrivals);
	let requests = 0;
	world.onRequest = () => {
		requests += 1;
		if (requests === 2) world.add(Array.from({ length: meanwhile }, () => ORDINARY));
		if (requests !== fault.at) return;
		if (fault.kind === 'fails') throw new ApiError('Busy', { hint: '', status: 503 });
		if (fault.kind === 'refuses') throw new ApiError('Unknown cursor', { hint: '', status: 404 });
	};
	const swap = jest.spyOn(world.ledger, 'swapRecord');
	// What a poll has not written when it is killed is lost.
	if (fault.kind === 'kills') swap.mockRejectedValue(new LedgerUnavailableError('Killed'));
	await world.poll({ budgetMs: budget }).catch(() => undefined);
	swap.mockRestore();
	world.onRequest = () => undefined;
	expect(world.requests.length).toBeLessThanOrEqual(Math.max(2, budget) + 1);
}
const ORDINARY: Arrival = {
	...{ late: 0, seconds: 0, jitter: 0 },
	...{ isWanted: true, isRefused: false, hasTime: true },
};

/** Polls until the deepest readings have come to their ends, each within a small budget. */
async function quiet(world: World, pageSize: number) {
	const polls = 4 + Math.ceil(world.all.length / pageSize / 5);
	for (const minutes of [11, 61, 25 * 60, 1]) {
		world.now += minutes * MINUTE;
		for (let n = 0; n < polls; n++) await world.poll({ budgetMs: 20 });
	}
}

it(
	'starts every wanted event that was created after the publication once, and no other',
	async () => {
		await fc.assert(
			fc.asyncProperty(network, async (network) => {
				const world = worldOf(network);
				// A list without any time cannot be followed.
				world.add([{ ...ORDINARY, isWanted: false }, ...network.before]);
				const listedBefore = new Set(world.all.map(({ id }) => id));
				if (network.startFrom === 'now') await world.poll({ budgetMs: 1_000 });
				const publishedAt = world.state().publishedAt;
				for (const step of network.steps) await take(world, step);
				await quiet(world, network.pageSize);
				const isNew = ({ id, at, hasTime }: Listed) =>
					network.startFrom === 'retained' ||
					(hasTime && at > publishedAt) ||
					(at >= publishedAt && !listedBefore.has(id));
				// Created before, as no poll can know of an event without a time that is listed later.
				const isDoubtful = ({ id, hasTime }: Listed) => !hasTime && !listedBefore.has(id);
				const wanted = world.all.filter(({ isWanted }) => isWanted);
				const doubtful = new Set(
					wanted.filter((each) => !isNew(each) && isDoubtful(each)).map(({ id }) => id),
				);
				const started = world.started().filter((id) => !doubtful.has(id));
				expect(started.sort()).toEqual(
					wanted
						.filter(isNew)
						.map(({ id }) => id)
						.sort(),
				);
				expect(new Set(world.started()).size).toBe(world.started().length);
				for (let n = 0; n < 2; n++) await world.poll({ budgetMs: 1_000 });
				expect(world.state().position.stretches).toEqual([]);
			}),
			{ numRuns: RUNS },
		);
	},
	RUNS * 1_000,
);
