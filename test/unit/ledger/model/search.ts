/** Goes through every world that the protocol can reach, breadth first, and shows the shortest way to one that must not be. */
import {
	DEAD,
	firstWorld,
	GIVEN_UP,
	later,
	LEASE_MS,
	type LedgerModel,
	moves,
	type World,
} from './protocol';

export interface Search {
	/** Worlds that differ in more than the numbers of copies and runs. */
	readonly states: number;
	/** What must not be, and the steps that lead there; undefined when nothing is wrong. */
	readonly fault: { readonly what: string; readonly steps: readonly string[] } | undefined;
}

interface Visited {
	readonly world: World;
	readonly from: string | undefined;
	readonly what: string;
}

/** `attempts` is how many starts of an execution there can be at a time. */
export function search(
	ledger: LedgerModel,
	{ copies, attempts }: { copies: number; attempts: number },
): Search {
	const first = firstWorld(copies, attempts);
	const visited = new Map<string, Visited>([
		[nameOf(first), { world: first, from: undefined, what: '' }],
	]);
	// A map yields what is added to it while it is gone through: the queue of the search.
	for (const [name, { world }] of visited) {
		const what = faultOf(world, ledger);
		if (what) return { states: visited.size, fault: { what, steps: wayTo(visited, name) } };
		for (const [what, next] of moves(world, ledger)) {
			const nextName = nameOf(next);
			if (!visited.has(nextName)) visited.set(nextName, { world: next, from: name, what });
		}
	}
	return { states: visited.size, fault: undefined };
}

function faultOf(world: World, ledger: LedgerModel): string | undefined {
	const { entry, attempts } = world;
	if (attempts.filter((attempt) => attempt === 'on').length > 1) return 'two runs continued';
	if (world.isAcknowledged && !world.hasBeenStored) return 'acknowledged, and never stored';
	if (entry?.state === 'begun' && entry.run === GIVEN_UP) return 'given up, and begun all the same';
	// What has begun in a process that died is n8n's crash during an execution, which no ledger can tell from its end.
	if (world.isAcknowledged && entry?.state !== 'begun' && !canStartLater(world, ledger)) {
		return 'acknowledged, and no later copy could start it';
	}
	return undefined;
}

/** Whether a copy that arrives when lease or grace is over is handed over, and its run begins. */
function canStartLater(world: World, ledger: LedgerModel): boolean {
	const nobody = GIVEN_UP - 1;
	const ask = { kind: 'claim', claim: nobody, leaseMs: LEASE_MS } as const;
	const claimed = ledger(later(world.entry), ask, 0);
	if (claimed.answer !== 'claimed') return false;
	return ledger(claimed.entry, { kind: 'begin', run: nobody, retentionMs: 1 }, 0).answer === true;
}

/** One name for all worlds that differ only in the numbers of copies and runs: what holds for one holds for the others. */
function nameOf(world: World): string {
	const { entry, copies, attempts } = world;
	const holder = entry?.state === 'pending' ? entry.holder : undefined;
	const by = entry?.state === 'stored' ? entry.holder : undefined;
	const begun = entry?.state === 'begun' ? entry.run : undefined;
	const numbered = {
		holder: holder === DEAD || by !== undefined,
		run: Number(begun) < 0 ? begun : undefined,
		// Counts on and on, and decides nothing here.
		attempts: 0,
	};
	const parts = [
		JSON.stringify({ ...entry, ...numbered }),
		...copies
			.map(
				(copy, index) =>
					`${copy}${index === holder ? ', holds' : ''}${index === by ? ', stored' : ''}`,
			)
			.sort(),
		...attempts.map((each, index) => (index === begun ? `${each}, has begun` : each)).sort(),
		...[world.isStored, world.hasBeenStored, world.isAcknowledged],
	];
	return parts.join(' ');
}

function wayTo(visited: ReadonlyMap<string, Visited>, name: string): string[] {
	const steps: string[] = [];
	for (let at = visited.get(name); at?.from !== undefined; at = visited.get(at.from)) {
		steps.unshift(at.what);
	}
	return steps;
}
