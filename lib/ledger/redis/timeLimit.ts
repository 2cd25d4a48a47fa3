/** Limits the time spent waiting for Redis. */

/** Redis has not responded in time. */
export class NoAnswer extends Error {}

/** Returns the result of `answer`; throws `NoAnswer` if it takes longer than `ms` milliseconds. */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const silence = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(
			() => {
				reject(new NoAnswer());
			},
			Math.max(ms, 1),
		);
	});
	try {
		return await Promise.race([answer, silence]);
	} finally {
		clearTimeout(timer);
	}
}
