/** Faults of the past, as changes of the sources: the simulation has to find each of them. */

export interface Fault {
	readonly name: string;
	readonly changes: readonly {
		/** From the root of the repository. */
		readonly file: string;
		/** Occurs exactly once. */
		readonly find: string;
		readonly replace: string;
	}[];
}

export const FAULTS: readonly Fault[] = [];
