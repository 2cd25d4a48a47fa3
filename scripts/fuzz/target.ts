/** One thing that is fuzzed. */
import type { IAsyncProperty, IProperty } from 'fast-check';

export interface Target {
	readonly name: string;
	readonly property: IProperty<unknown> | IAsyncProperty<unknown>;
	/** How often an input got how far: a target that never accepts anything shows nothing. */
	readonly reached: Readonly<Record<string, number>>;
}

/** Counts under a name of its own each time. */
export function counter(): {
	readonly reached: Record<string, number>;
	readonly count: (what: string) => void;
} {
	const reached: Record<string, number> = {};
	return {
		reached,
		count: (what) => {
			reached[what] = (reached[what] ?? 0) + 1;
		},
	};
}
