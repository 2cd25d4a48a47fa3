/** A pause that can be cut short and that need not keep the process alive. */

/** Resolves after `ms` milliseconds, or rejects with the signal's reason when that comes first. */
export function sleep(
	ms: number,
	options: { readonly signal?: AbortSignal | undefined; readonly keepAlive?: boolean } = {},
): Promise<void> {
	const { signal, keepAlive = true } = options;
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', abort);
			resolve();
		}, ms);
		const abort = () => {
			clearTimeout(timer);
			// The reason is the caller's own; AbortSignal gives an AbortError when there is none.
			reject(signal?.reason as Error);
		};
		if (!keepAlive) timer.unref();
		if (signal?.aborted) abort();
		else signal?.addEventListener('abort', abort, { once: true });
	});
}

/** Between half of `ms` and all of it, so that those who wait for the same thing do not come back together. */
export function jittered(ms: number): number {
	return ms * (0.5 + Math.random() / 2);
}
