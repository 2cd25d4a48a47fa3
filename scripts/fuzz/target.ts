/** A fuzz target. */
import type { IAsyncProperty, IProperty } from 'fast-check';

export interface Target {
	readonly name: string;
	readonly property: IProperty<unknown> | IAsyncProperty<unknown>;
	/** Counts of how far the inputs got: a target that never accepts any proves nothing. */
	readonly reached: Readonly<Record<string, number>>;
}

/** Counts how often each name is passed. */
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
