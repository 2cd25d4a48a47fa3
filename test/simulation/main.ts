/**
 * Simulates seeds and judges their histories: `npm run simulate -- --seeds 10000`, on all cores. `--from 5000` begins at another
 * seed, `--seed 17` prints the history of one, `--faults` shows after how many seeds each fault of the past is found. With
 * `--redis`, the ledger is in a real Redis, which takes longer. With `--field`, stations behave as in the
 * field, and what is reported of them is judged by what truly happened.
 */
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Violation } from '../history/checker/check';
import { textOf } from '../history/history';
import { FAULTS } from './faults';
import { bundlePackage } from './package';
import { withOwnRedis } from './redis';
import { shortest } from './shrink';
import { simulate, type SimulateOptions } from './simulate';

/** A fault that so many seeds do not find shows a hole in the simulation. */
const SEEDS_PER_FAULT = 2_000;

/** A process that has simulated so many seeds makes room for another: the databases of simulated processes fill its memory. */
const SEEDS_PER_PROCESS = 250;

interface Task {
	readonly from: number;
	readonly to: number;
	/** The name of a fault to put in; the task ends when it is found. */
	readonly fault?: string;
	/** Whether the ledger is in a Redis. */
	readonly hasRedis: boolean;
	/** Whether stations behave as in the field. */
	readonly isField: boolean;
}

interface Result {
	readonly seed: number;
	readonly violations: readonly Violation[];
	readonly error?: string;
}

const { values } = parseArgs({
	options: {
		seeds: { type: 'string', default: '1000' },
		from: { type: 'string', default: '1' },
		seed: { type: 'string' },
		redis: { type: 'boolean', default: false },
		field: { type: 'boolean', default: false },
		jobs: { type: 'string', default: String(availableParallelism()) },
		faults: { type: 'boolean', default: false },
		only: { type: 'string', default: '' },
		most: { type: 'string', default: String(SEEDS_PER_FAULT) },
	},
});

async function main(): Promise<void> {
	if (values.seed !== undefined) await showSeed(Number(values.seed));
	else if (values.faults) await findFaults();
	else await trySeeds();
}

async function trySeeds(): Promise<void> {
	const [from, seeds, jobs] = [Number(values.from), Number(values.seeds), Number(values.jobs)];
	const startedAt = performance.now();
	const broken: Result[] = [];
	let done = 0;
	const waiting = chunksOf(from, from + seeds - 1);
	const worker = async () => {
		for (let task = waiting.shift(); task; task = waiting.shift()) {
			await inChild(task, (result) => {
				done += 1;
				if (isBroken(result)) broken.push(result);
			});
		}
	};
	await Promise.all(Array.from({ length: jobs }, worker));
	const seconds = (performance.now() - startedAt) / 1000;
	console.log(
		`${done} seeds in ${Math.round(seconds)} s: ${(done / seconds).toFixed(1)} per second, ${(done / seconds / jobs).toFixed(1)} per second and core`,
	);
	if (broken.length === 0) {
		console.log('Every history kept all promises.');
		return;
	}
	broken.sort((a, b) => a.seed - b.seed);
	for (const { seed, violations, error } of broken.slice(0, 20)) {
		const [first] = violations;
		console.log(`seed ${seed}: ${error ?? `"${first?.rule ?? ''}": ${first?.message ?? ''}`}`);
	}
	console.log(`${broken.length} of ${done} seeds broke a promise.`);
	const [first] = broken;
	if (first && first.error === undefined) await showShortest(first.seed);
	process.exitCode = 1;
}

async function showShortest(seed: number): Promise<void> {
	const found = await withSurroundings(
		{ hasRedis: values.redis, isField: values.field },
		async (options) => await shortest(seed, options),
	);
	if (found === undefined) return;
	console.log(
		`\nThe shortest history found of seed ${seed}, which breaks "${found.violation.rule}":\n`,
	);
	console.log(textOf(found.history));
	console.log(`\n${found.violation.message}`);
}

async function showSeed(seed: number): Promise<void> {
	const options = { fault: values.only, hasRedis: values.redis, isField: values.field };
	const { history, violations } = await withSurroundings(
		options,
		async (options) => await simulate(seed, options),
	);
	console.log(textOf(history));
	for (const { rule, message } of violations) console.log(`${rule}: ${message}`);
}

async function findFaults(): Promise<void> {
	const waiting = FAULTS.filter(({ name }) => name.includes(values.only));
	const most = Number(values.most);
	let missed = 0;
	const worker = async () => {
		for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
			const { name, isInRedis: hasRedis = values.redis } = fault;
			let found: Result | undefined;
			for (const chunk of chunksOf(1, most)) {
				if (found !== undefined) break;
				await inChild({ ...chunk, fault: name, hasRedis }, (result) => {
					if (isBroken(result)) found ??= result;
				});
			}
			if (found === undefined) missed += 1;
			const how = found?.error ?? found?.violations[0]?.rule;
			console.log(
				found
					? `${name}: found by seed ${found.seed} (${how ?? ''})`
					: `${name}: NOT FOUND in ${most} seeds`,
			);
		}
	};
	await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
	if (missed > 0) process.exitCode = 1;
}

/** Runs `work` with the package, the fault of this name in it, and a Redis if there is to be one. */
async function withSurroundings<T>(
	{ fault, hasRedis, isField }: Pick<Task, 'fault' | 'hasRedis' | 'isField'>,
	work: (options: SimulateOptions) => Promise<T>,
): Promise<T> {
	const loadPackage = await bundlePackage(FAULTS.find(({ name }) => name === fault));
	if (!hasRedis) return await work({ loadPackage, isField });
	return await withOwnRedis(async (redis) => await work({ loadPackage, isField, redis }));
}

function chunksOf(from: number, to: number): Task[] {
	const count = Math.ceil((to - from + 1) / SEEDS_PER_PROCESS);
	return Array.from({ length: count }, (_unused, n) => {
		const first = from + n * SEEDS_PER_PROCESS;
		const last = Math.min(first + SEEDS_PER_PROCESS - 1, to);
		return { from: first, to: last, hasRedis: values.redis, isField: values.field };
	});
}

const isBroken = ({ violations, error }: Result): boolean =>
	violations.length > 0 || error !== undefined;

/** Runs a task in a process of its own. */
async function inChild(task: Task, onResult: (result: Result) => void): Promise<void> {
	const child = fork(__filename, [], {
		env: { ...process.env, SIMULATION_TASK: JSON.stringify(task) },
	});
	child.on('message', onResult);
	await new Promise<void>((resolve, reject) => {
		child.once('exit', (code) => {
			if (code === 0) resolve();
			else reject(new Error(`A process of the simulation ended with code ${code ?? 'none'}`));
		});
	});
}

async function asChild(task: Task): Promise<void> {
	await withSurroundings(task, async (options) => {
		await trySeedsOf(task, options);
	});
	process.disconnect();
}

async function trySeedsOf({ from, to, fault }: Task, options: SimulateOptions): Promise<void> {
	const send = (result: Result) =>
		new Promise<void>((resolve) => {
			process.send?.(result, () => {
				resolve();
			});
		});
	try {
		for (let seed = from; seed <= to; seed++) {
			const result = await judged(seed);
			await send(result);
			if (fault !== undefined && isBroken(result)) break;
		}
	} finally {
		rmSync(`/dev/shm/simulation-${process.pid}`, { recursive: true, force: true });
	}

	async function judged(seed: number): Promise<Result> {
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
}

const task = process.env['SIMULATION_TASK'];
const running = task === undefined ? main() : asChild(JSON.parse(task) as Task);
running.catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
