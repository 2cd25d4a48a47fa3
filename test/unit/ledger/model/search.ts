/** Goes through every world that the protocol can reach, breadth first, and shows the shortest way to one that must not be. */
import {
	firstWorld,
	later,
	LEASE_MS,
	type LedgerModel,
	moves,
	NOBODY,
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

/** `rows` is how many runs n8n can have stored at a time. */
export function search(
	ledger: LedgerModel,
	{ copies, rows }: { copies: number; rows: number },
): Search {
	const first = firstWorld(copies, rows);
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
	const { entry, rows } = world;
	if (rows.filter((row) => row === 'on').length > 1) return 'two runs went on';
	if (world.isAcknowledged && !world.hasBeenStored) return 'acknowledged, and never stored';
	// A run that has begun and is lost then is n8n's crash during a run, which no ledger can tell from its end.
	const isLost = rows.every((row) => row === 'none') && entry?.state !== 'begun';
	if (world.isAcknowledged && isLost && !canStartLater(world, ledger)) {
		return 'acknowledged, lost by n8n, and no later copy starts it';
	}
	return undefined;
}

/** Whether a copy that comes in when lease or grace is over is handed over, and its run begins. */
function canStartLater(world: World, ledger: LedgerModel): boolean {
	const ask = { kind: 'claim', claim: NOBODY - 1, leaseMs: LEASE_MS } as const;
	const claimed = ledger(later(world.entry), ask, 0);
	if (claimed.answer !== 'claimed') return false;
	return (
		ledger(claimed.entry, { kind: 'begin', run: NOBODY - 1, retentionMs: 1 }, 0).answer === true
	);
}

/** One name for all worlds that differ in the numbers of copies and runs alone: what holds for one holds for the others. */
function nameOf({ entry, copies, rows, hasBeenStored, isAcknowledged }: World): string {
	const holder = entry?.state === 'pending' ? entry.holder : undefined;
	const begun = entry?.state === 'begun' ? entry.run : undefined;
	const numbered = { holder: holder === NOBODY, run: begun === NOBODY };
	const parts = [
		JSON.stringify({ ...entry, ...numbered }),
		...copies.map((copy, index) => (index === holder ? `${copy}, holds` : copy)).sort(),
		...rows.map((row, index) => (index === begun ? `${row}, has begun` : row)).sort(),
		...[hasBeenStored, isAcknowledged],
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
