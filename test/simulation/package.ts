/** The package's own code as a function that runs it with the surroundings of a simulated process. */
import { Script } from 'node:vm';
import type * as Entry from './entry';

/** The globals that a process gets in place of those of Node. */
const GLOBALS = [
	...['require', 'module', 'exports', 'process', 'Date', 'Math', 'performance'],
	...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'],
	'__dirname',
] as const;

export type Surroundings = Readonly<Record<(typeof GLOBALS)[number], unknown>>;

/** Loads all modules of the package once more: the state of a module is that of one process. */
export type LoadPackage = (surroundings: Surroundings) => typeof Entry;

export function loaderOf(code: string): LoadPackage {
	const script = new Script(`(function (${GLOBALS.join(', ')}) {${code}\n})`, {
		filename: 'package.js',
	});
	const run = script.runInThisContext() as (...given: unknown[]) => void;
	const schemas = new SharedSchemas();
	return (surroundings) => {
		const module = { exports: {} };
		const load = surroundings.require as (name: string) => unknown;
		schemas.begin();
		const all = {
			...{ ...surroundings, module, exports: module.exports },
			require: (name: string) => (name.startsWith('zod/') ? schemas.module(name) : load(name)),
		};
		run(...GLOBALS.map((name) => all[name]));
		schemas.end();
		return module.exports as typeof Entry;
	};
}

type Make = (...given: unknown[]) => unknown;

/**
 * The schemas that the package makes when it is loaded: they are the same in each process, and have no state, but making and
 * compiling them would take longer than all else of loading.
 */
class SharedSchemas {
	/** In the order in which loading makes them. */
	readonly #made: unknown[] = [];
	readonly #modules = new Map<string, Readonly<Record<string, unknown>>>();
	/** How many this load has made; undefined when none runs. */
	#count: number | undefined;

	begin(): void {
		this.#count = 0;
	}

	end(): void {
		this.#count = undefined;
	}

	module(name: string): unknown {
		const known = this.#modules.get(name);
		if (known !== undefined) return known;
		// eslint-disable-next-line @typescript-eslint/no-require-imports
		const own = require(name) as Readonly<Record<string, unknown>>;
		const shared = Object.fromEntries(
			Object.entries(own).map(([key, value]) => {
				const isMaker = typeof value === 'function' && /^[a-z]/.test(key) && !/parse/i.test(key);
				return [key, isMaker ? this.#once(value as Make) : value];
			}),
		);
		this.#modules.set(name, shared);
		return shared;
	}

	#once(make: Make): Make {
		return (...given) => {
			if (this.#count === undefined) return make(...given);
			const n = this.#count++;
			// What it is made of counts first: arguments are made before it, in each load.
			return (this.#made[n] ??= make(...given));
		};
	}
}
