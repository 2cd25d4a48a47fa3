/** Of a sorted list, how many come before: `isBefore` holds for the first of them and for none after one for which it does not. */
export function countBefore(length: number, isBefore: (index: number) => boolean): number {
	let [low, high] = [0, length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isBefore(middle)) low = middle + 1;
		else high = middle;
	}
	return low;
}
