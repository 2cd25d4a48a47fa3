/** A fault of the past, as a change of the sources. */

export interface Fault {
	readonly name: string;
	readonly changes: readonly Change[];
	/** Whether it shows only with the ledger in Redis. */
	readonly isInRedis?: boolean;
}

interface Change {
	/** From the root of the repository. */
	readonly file: string;
	/** Occurs exactly once. */
	readonly find: string;
	readonly replace: string;
}

/** A fault that is one change. */
export function fault(name: string, file: string, find: string, replace: string): Fault {
	return { name, changes: [{ file, find, replace }] };
}
