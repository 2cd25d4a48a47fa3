/** Judges a history by all rules. */
import type { Line } from '../history';
import { RULES } from './rules';
import { View } from './view';

export interface Violation {
	readonly rule: string;
	readonly at: number;
	readonly message: string;
}

export function check(history: readonly Line[]): Violation[] {
	const view = new View(history);
	return RULES.flatMap(({ name, check: violationsOf }) =>
		[...violationsOf(view)].map((found) => ({ rule: name, ...found })),
	).sort((a, b) => a.at - b.at);
}
