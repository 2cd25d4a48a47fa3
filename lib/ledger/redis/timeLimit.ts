/** Limits the time spent waiting for Redis. */

/** Redis has not responded in time. */
export class NoResponse extends Error {}

/** Returns the result of `response`; throws `NoResponse` if it takes longer than `ms` milliseconds. */
export async function within<T>(ms: number, response: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const silence = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(
			() => {
				reject(new NoResponse());
			},
			Math.max(ms, 1),
		);
	});
	try {
		return await Promise.race([response, silence]);
	} finally {
		clearTimeout(timer);
	}
}
