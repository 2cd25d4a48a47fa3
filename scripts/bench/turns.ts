/** Measures several things in turns, because what else the machine does changes from one second to the next. */
import { median } from './median';

/** What each of them gave, turn by turn. Every other turn goes backwards, so that none always follows the same one. */
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

/** To the same turn of the base; the median of the turns. */
export function ratioTo(base: readonly number[], values: readonly number[]): number {
	return median(values.map((value, turn) => value / (base[turn] ?? Number.NaN)));
}
