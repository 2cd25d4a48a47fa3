/** Goes through every world that a protocol can reach, breadth first, and shows the shortest way to one that must not be. */
import type * as life from '../../../lib/ledger/life/steps';

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

interface Search {
	/** Worlds with different names. */
	readonly states: number;
	/** A forbidden condition and the steps that lead to it; undefined if nothing is wrong. */
	readonly fault: { readonly what: string; readonly steps: readonly string[] } | undefined;
}

export function search<World>(protocol: Protocol<World>, steps: Steps): Search {
	const { first, moves, settled, faultOf, nameOf } = protocol;
	/** By the name of a world, the name of the one that it was first reached from: worlds would fill a gigabyte. */
	const reached = new Map<string, string | undefined>([[nameOf(first), undefined]]);
	let worlds: [name: string, world: World][] = [[nameOf(first), first]];
	while (worlds.length > 0) {
		const further: typeof worlds = [];
		for (const [name, world] of worlds) {
			const what = faultOf(world, steps);
			if (what) {
				const way = wayTo(name, reached);
				return { states: reached.size, fault: { what, steps: stepsOf(way, protocol, steps) } };
			}
			for (const [, next] of moves(world, steps)) {
				const nextName = nameOf(next);
				if (reached.has(nextName)) continue;
				reached.set(nextName, name);
				further.push([nextName, settled(next)]);
			}
		}
		worlds = further;
	}
	return { states: reached.size, fault: undefined };
}

/** The names after the first one, in order. */
function wayTo(name: string, reached: ReadonlyMap<string, string | undefined>): string[] {
	const from = reached.get(name);
	return from === undefined ? [] : [...wayTo(from, reached), name];
}

/** Goes this way again, and notes each step. */
function stepsOf<World>(
	way: readonly string[],
	{ first, moves, settled, nameOf }: Protocol<World>,
	steps: Steps,
): string[] {
	let at = first;
	return way.map((name) => {
		for (const [what, next] of moves(at, steps)) {
			if (nameOf(next) !== name) continue;
			at = settled(next);
			return what;
		}
		throw new Error('No step leads on.');
	});
}
