/** A process that tries seeds for `main.ts`, bundled into one file: TypeScript takes long to load. */
import { readFileSync, rmSync } from 'node:fs';
import type { Violation } from '../history/checker/check';
import { loaderOf } from './package';
import { withOwnRedis } from './redis';
import { simulate, type SimulateOptions } from './simulate';

export interface Surroundings {
	/** Whether the ledger is in a Redis. */
	readonly hasRedis: boolean;
	/** Whether stations behave as in the field. */
	readonly isField: boolean;
}

export interface Task extends Surroundings {
	readonly seeds: readonly number[];
	/** The file with the code of the package. */
	readonly code: string;
	/** Ends with the first seed that breaks a promise. */
	readonly isUntilBroken: boolean;
}

export interface Result {
	readonly seed: number;
	readonly violations: readonly Violation[];
	readonly error?: string;
}

export const isBroken = ({ violations, error }: Result): boolean =>
	violations.length > 0 || error !== undefined;

/** Runs `work` with the package, and a Redis if there is to be one. */
export async function withSurroundings<T>(
	{ code, hasRedis, isField }: Surroundings & { readonly code: string },
	work: (options: SimulateOptions) => Promise<T>,
): Promise<T> {
	const loadPackage = loaderOf(code);
	if (!hasRedis) return await work({ loadPackage, isField });
	return await withOwnRedis(async (redis) => await work({ loadPackage, isField, redis }));
}

async function run(task: Task): Promise<void> {
	const code = readFileSync(task.code, 'utf8');
	await withSurroundings({ ...task, code }, async (options) => {
		await trySeeds(task, options);
	});
	process.disconnect();
}

async function trySeeds({ seeds, isUntilBroken }: Task, options: SimulateOptions): Promise<void> {
	const send = (result: Result) =>
		new Promise<void>((resolve) => {
			process.send?.(result, () => {
				resolve();
			});
		});
	try {
		for (const seed of seeds) {
			const result = await judged(seed, options);
			await send(result);
			if (isUntilBroken && isBroken(result)) break;
		}
	} finally {
		rmSync(`/dev/shm/simulation-${process.pid}`, { recursive: true, force: true });
	}
}

async function judged(seed: number, options: SimulateOptions): Promise<Result> {
	try {
		const { violations } = await simulate(seed, options);
		return { seed, violations: violations.slice(0, 5) };
	} catch (error) {
		return {
			seed,
			violations: [],
			error: `the simulation itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
		};
	}
}

const task = process.env['SIMULATION_TASK'];
if (task !== undefined) {
	run(JSON.parse(task) as Task).catch((error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	});
}
