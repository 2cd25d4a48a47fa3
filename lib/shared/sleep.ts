/** A pause that can be cancelled and need not keep the process alive. */

/** Resolves after `ms` milliseconds, or rejects with the signal's reason if it is aborted before that. */
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
			// The reason is the caller's own; without one, AbortSignal gives an AbortError.
			reject(signal?.reason as Error);
		};
		if (!keepAlive) timer.unref();
		if (signal?.aborted) abort();
		else signal?.addEventListener('abort', abort, { once: true });
	});
}

/** Between half of `ms` and all of it, so that those who wait for the same thing do not retry together. */
export function jittered(ms: number): number {
	return ms * (0.5 + Math.random() / 2);
}
