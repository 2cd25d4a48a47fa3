/** How much a test tries: a little among the unit tests, and all of it in the project `thorough` of `jest.config.js`. */

/** Set by that project. */
export const isThorough = 'isThorough' in globalThis;

interface Cases {
	readonly few: number;
	readonly all: number;
	/** `RUNS` by default. */
	readonly variable?: string;
}

/** How many cases are tried; an environment variable sets another number. */
export const casesOf = ({ few, all, variable = 'RUNS' }: Cases): number =>
	Number(process.env[variable] ?? (isThorough ? all : few));
