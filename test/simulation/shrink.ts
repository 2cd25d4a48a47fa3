/** The shortest history that still breaks a rule, by leaving out what was done to the world. */
import type { Violation } from '../history/checker/check';
import { simulate, type Simulated, type SimulateOptions } from './simulate';

/** The most runs that it may take. */
const MOST_RUNS = 150;

interface Shortest extends Simulated {
	readonly violation: Violation;
}

/** Leaves out halves, then quarters, and so on, as long as the same rule is broken. Undefined if the seed breaks none. */
export async function shortest(
	seed: number,
	options: SimulateOptions,
): Promise<Shortest | undefined> {
	let runs = 0;
	const run = async (
		without: ReadonlySet<number>,
		rule?: string,
	): Promise<Shortest | undefined> => {
		runs += 1;
		const simulated = await simulate(seed, { ...options, without });
		const violation = simulated.violations.find(
			(found) => rule === undefined || found.rule === rule,
		);
		return violation && { ...simulated, violation };
	};
	let best = await run(new Set());
	if (best === undefined) return undefined;
	const { rule } = best.violation;
	let kept = [...best.plan.actions.keys()];
	const all = kept.length;
	for (let size = Math.ceil(all / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
		for (let from = 0; from < kept.length && runs < MOST_RUNS;) {
			const rest = [...kept.slice(0, from), ...kept.slice(from + size)];
			const without = new Set(
				Array.from({ length: all }, (_, n) => n).filter((n) => !rest.includes(n)),
			);
			const shorter = await run(without, rule);
			if (shorter === undefined) from += size;
			else [best, kept] = [shorter, rest];
		}
	}
	return best;
}
