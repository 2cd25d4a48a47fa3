/** Goes through every world that a protocol can reach, breadth first, and shows the shortest way to one that must not be. */
import type * as life from '../../../../lib/ledger/life/steps';

/** The steps in the life of an event, or some that are wrong on purpose. */
export type Steps = typeof life;

export type Move<World> = readonly [what: string, world: World];

export interface Protocol<World> {
	readonly first: World;
	/** Every world that one step can lead to. */
	readonly moves: (world: World, steps: Steps) => Iterable<Move<World>>;
	/** The forbidden condition in this world; undefined if nothing is wrong. */
	readonly faultOf: (world: World, steps: Steps) => string | undefined;
	/** The world without what decides nothing any more. */
	readonly settled: (world: World) => World;
	/** One name for all worlds that differ only in numbers: the same is true for all of them. */
	readonly nameOf: (world: World) => string;
}

export interface Search {
	/** Worlds with different names. */
	readonly states: number;
	/** A forbidden condition and the steps that lead to it; undefined if nothing is wrong. */
	readonly fault: { readonly what: string; readonly steps: readonly string[] } | undefined;
}

interface Visited<World> {
	readonly world: World;
	readonly from: string | undefined;
	readonly what: string;
}

export function search<World>(
	{ first, moves, settled, faultOf, nameOf }: Protocol<World>,
	steps: Steps,
): Search {
	const visited = new Map<string, Visited<World>>([
		[nameOf(first), { world: first, from: undefined, what: '' }],
	]);
	// Iterating over a map includes entries added during the loop: it is the queue of the search.
	for (const [name, { world }] of visited) {
		const what = faultOf(world, steps);
		if (what) return { states: visited.size, fault: { what, steps: wayTo(visited, name) } };
		for (const [what, next] of moves(world, steps)) {
			const nextName = nameOf(next);
			if (visited.has(nextName)) continue;
			visited.set(nextName, { world: settled(next), from: name, what });
		}
	}
	return { states: visited.size, fault: undefined };
}

function wayTo<World>(visited: ReadonlyMap<string, Visited<World>>, name: string): string[] {
	const steps: string[] = [];
	for (let at = visited.get(name); at?.from !== undefined; at = visited.get(at.from)) {
		steps.unshift(at.what);
	}
	return steps;
}
