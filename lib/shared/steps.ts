/** Long work in steps, between which other work of the process runs: lists without a bound are gone through and sorted in pieces. */
import { setImmediate } from 'node:timers/promises';
import { chunksOf } from './pace';

/** Long work that yields between its steps, so that its caller can let other work run. */
export type Steps<T> = Generator<undefined, T>;

/** Runs all steps at once. */
export function inOneGo<T>(work: Steps<T>): T {
	let step = work.next();
	while (step.done !== true) step = work.next();
	return step.value;
}

/** Of a long list, between two steps. */
const IN_A_STEP = 200;

/** Does the work for each of a long list. */
export function* inSteps<T>(all: Iterable<T>, work: (one: T) => void): Steps<void> {
	let count = 0;
	for (const one of all) {
		work(one);
		count += 1;
		if (count % IN_A_STEP === 0) yield;
	}
}

/** `flatMap` of a long list. */
export function* flatMapped<T, R>(all: Iterable<T>, of: (one: T) => readonly R[]): Steps<R[]> {
	const found: R[] = [];
	yield* inSteps(all, (one) => {
		for (const each of of(one)) found.push(each);
	});
	return found;
}

type Comparison<T> = (a: T, b: T) => number;

/** `toSorted` of a long list: sorted pieces are merged in pairs. */
export function* sortedInSteps<T>(all: readonly T[], compare: Comparison<T>): Steps<T[]> {
	if (all.length <= IN_A_STEP) {
		yield;
		return all.toSorted(compare);
	}
	let pieces: T[][] = [];
	for (let n = 0; n < all.length; n += IN_A_STEP) {
		pieces.push(all.slice(n, n + IN_A_STEP).sort(compare));
		yield;
	}
	while (pieces.length > 1) {
		const merged: T[][] = [];
		for (const [first = [], second = []] of chunksOf(pieces, 2)) {
			merged.push(yield* mergedOf(first, second, compare));
		}
		pieces = merged;
	}
	return pieces[0] ?? [];
}

/** Of equal ones, those of the first list come first. */
function* mergedOf<T>(
	first: readonly T[],
	second: readonly T[],
	compare: Comparison<T>,
): Steps<T[]> {
	const isLater = (n: number, m: number) => compare(second[m] as T, first[n] as T) >= 0;
	if (second.length === 0 || isLater(first.length - 1, 0)) return first.concat(second);
	if (!isLater(0, second.length - 1)) return second.concat(first);
	const result: T[] = [];
	for (let [n, m] = [0, 0]; n < first.length || m < second.length;) {
		const isFirst = m === second.length || (n < first.length && isLater(n, m));
		result.push((isFirst ? first[n++] : second[m++]) as T);
		if (result.length % IN_A_STEP === 0) yield;
	}
	return result;
}

/** As long as one step of `inTurns` works, in milliseconds. */
const STEP_MS = 10;

/** Lets other work of the process run between the steps. `check` is called then: it throws if nobody waits for the result any more. */
export async function inTurns<T>(work: Steps<T>, check?: () => void): Promise<T> {
	for (let since = performance.now(); ;) {
		const step = work.next();
		if (step.done === true) return step.value;
		if (performance.now() - since < STEP_MS) continue;
		await setImmediate();
		check?.();
		since = performance.now();
	}
}
