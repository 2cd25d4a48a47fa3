/**
 * The promises of the package, one rule each. A rule knows the history and nothing of the code. It names the sentences in the
 * docs that promise it; `docs.test.ts` holds both together.
 */
import { EXECUTIONS } from './executions';
import { HAND_OVERS } from './handOvers';
import { LISTS } from './lists';
import { MISSED } from './missed';
import type { Rule } from './rule';
import { STATIONS } from './stations';

export type { Found, Rule } from './rule';

export const RULES: readonly Rule[] = [
	...HAND_OVERS,
	...EXECUTIONS,
	...MISSED,
	...LISTS,
	...STATIONS,
];
