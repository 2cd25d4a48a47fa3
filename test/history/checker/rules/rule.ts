/** The form of a rule. */
import type { Fact } from '../../history';
import type { View } from '../view';

export interface Found {
	readonly at: number;
	readonly message: string;
}

export interface Rule {
	readonly name: string;
	/** Sentences, or cells of tables, as they stand in the docs. */
	readonly promised: readonly {
		readonly in:
			| 'README.md'
			| 'docs/nodes.md'
			| 'docs/promises.md'
			| 'docs/station-trigger.md'
			| 'docs/troubleshooting.md';
		readonly text: string;
	}[];
	/** A history that cannot say all of this would pass by accident, so the rule does not judge it. */
	readonly needs: readonly Fact[];
	readonly check: (view: View) => Iterable<Found>;
}
