/** Runs several tasks at the same time, in order. */

/**
 * Calls `work` for each index below `count`, at most `atOnce` at the same time, each started after the ones before it.
 * After a failure no further call starts; the ones in progress are waited for.
 * @throws the rejection of the call with the lowest index.
 */
export async function inParallel<T>(
	count: number,
	atOnce: number,
	work: (index: number) => Promise<T>,
): Promise<T[]> {
	const results: T[] = [];
	const failures = new Map<number, unknown>();
	let next = 0;
	const lane = async () => {
		while (next < count && failures.size === 0) {
			const index = next++;
			try {
				results[index] = await work(index);
			} catch (error) {
				failures.set(index, error);
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
	if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
	return results;
}
