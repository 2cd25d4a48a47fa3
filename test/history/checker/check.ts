/** Judges a history by all rules that it says enough for. */
import type { Line } from '../history';
import { type Rule, RULES } from './rules';
import { View } from './view';

export interface Violation {
	readonly rule: string;
	readonly at: number;
	readonly message: string;
}

export function check(history: readonly Line[]): Violation[] {
	const view = new View(history);
	return rulesOf(view)
		.flatMap(({ name, check: violationsOf }) =>
			[...violationsOf(view)].map((found) => ({ rule: name, ...found })),
		)
		.sort((a, b) => a.at - b.at);
}

/** The names of the rules that judge the history. */
export function judges(history: readonly Line[]): string[] {
	return rulesOf(new View(history)).map(({ name }) => name);
}

const rulesOf = (view: View): Rule[] => RULES.filter(({ needs }) => view.holds(...needs));
