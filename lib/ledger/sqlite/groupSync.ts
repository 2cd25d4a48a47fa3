/** Syncs a file for all who wait at once, so that a burst of commits costs one sync of the disk. */

export class GroupSync {
	readonly #sync: () => Promise<void>;
	#running: Promise<void> = Promise.resolve();
	#next: Promise<void> | undefined;

	/** `sync` brings the file to the disk; it never runs twice at the same time. */
	constructor(sync: () => Promise<void>) {
		this.#sync = sync;
	}

	/** Resolves when everything written before this call is on the disk; rejects when the sync fails. */
	async reached(): Promise<void> {
		// The sync under way may have begun before the write: the next one serves all who come until it begins.
		this.#next ??= this.#running
			.catch(() => undefined)
			.then(() => {
				this.#next = undefined;
				this.#running = this.#sync();
				return this.#running;
			});
		await this.#next;
	}

	/** Resolves when nobody waits any more, whatever came of it. */
	async idle(): Promise<void> {
		await (this.#next ?? this.#running).catch(() => undefined);
	}
}
