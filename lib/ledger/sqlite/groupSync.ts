/** Syncs a file for all waiting callers at once, so that a burst of commits costs one sync. */

export class GroupSync {
	readonly #sync: () => Promise<void>;
	#running: Promise<void> = Promise.resolve();
	#next: Promise<void> | undefined;

	/** `sync` writes the file to disk; it never runs twice at the same time. */
	constructor(sync: () => Promise<void>) {
		this.#sync = sync;
	}

	/** Resolves when all writes before this call are on disk; rejects if the sync fails. */
	async reached(): Promise<void> {
		// The current sync may have begun before the write: the next one serves all callers until it begins.
		this.#next ??= this.#running
			.catch(() => undefined)
			.then(() => {
				this.#next = undefined;
				this.#running = this.#sync();
				return this.#running;
			});
		await this.#next;
	}

	/** Resolves when no caller waits any more, whatever the result. */
	async idle(): Promise<void> {
		await (this.#next ?? this.#running).catch(() => undefined);
	}
}
