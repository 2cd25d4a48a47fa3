/** Bounds the time that is spent on waiting for Redis. */

/** Redis has not answered in time. */
export class NoAnswer extends Error {}

/** What `answer` brings; throws `NoAnswer` when it takes longer than `ms` milliseconds. */
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
