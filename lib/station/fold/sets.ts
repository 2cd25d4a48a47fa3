/** Sets of what messages say: the same whatever the order of the messages, and however often they are listed. */

interface Timed {
	readonly t: number;
	readonly id?: string | undefined;
}

/** By time, then by ID. */
export function inOrder(a: Timed, b: Timed): number {
	if (a.t !== b.t) return a.t - b.t;
	const [first = '', second = ''] = [a.id, b.id];
	return first < second ? -1 : first > second ? 1 : 0;
}

/**
 * Adds the element to the sorted set, or puts `join` of both in the place of the one that is the same; of more than
 * `most`, the newest stay. Returns whether the set changed.
 */
export function add<T extends Timed>(
	set: T[],
	added: T,
	most: number,
	isSame: (known: T) => boolean,
	join: (known: T, added: T) => T = earlier,
): boolean {
	const index = set.findIndex(isSame);
	const known = set[index];
	const next = known === undefined ? added : join(known, added);
	// Most of what a poll reads was read by the poll before.
	if (known !== undefined && isEqual(known, next)) return false;
	if (known !== undefined) set.splice(index, 1);
	const place = set.findLastIndex((other) => inOrder(other, next) <= 0) + 1;
	set.splice(place, 0, next);
	if (set.length <= most) return true;
	return set.shift() !== next;
}

/** The lists in them can be long: they are compared if all else is the same. */
function isEqual<T extends object>(known: T, next: T): boolean {
	if (known === next) return true;
	const [before, after] = [Object.entries(known), Object.entries(next)];
	if (before.length !== after.length) return false;
	const fields = new Map<string, unknown>(after);
	const others = before.filter(([name, value]) => value !== fields.get(name));
	return (
		others.every(([, value]) => typeof value === 'object') &&
		others.every(([name, value]) => JSON.stringify(value) === JSON.stringify(fields.get(name)))
	);
}

/** The one that was created first. */
export function earlier<T extends Timed>(known: T, added: T): T {
	return inOrder(added, known) < 0 ? added : known;
}
