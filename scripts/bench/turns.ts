/** Measures several things in turn, because the load of the machine changes from second to second. */
import { median } from './median';

/** The results of each, turn by turn. Every second turn runs in reverse order, so none always follows the same one. */
export async function inTurns<T, M>(
	all: readonly T[],
	turns: number,
	measure: (one: T) => Promise<M>,
): Promise<{ one: T; values: M[] }[]> {
	const rows = all.map((one) => ({ one, values: [] as M[] }));
	for (let turn = 0; turn < turns; turn += 1) {
		for (const { one, values } of turn % 2 === 0 ? rows : rows.toReversed())
			values.push(await measure(one));
	}
	return rows;
}

/** Ratio to the same turn of the base; the median of the turns. */
export function ratioTo(base: readonly number[], values: readonly number[]): number {
	return median(values.map((value, turn) => value / (base[turn] ?? Number.NaN)));
}
