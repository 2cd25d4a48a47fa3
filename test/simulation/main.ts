/**
 * Simulates seeds and judges their histories: `npm run simulate -- --seeds 10000`, on all cores. `--from 5000` begins at another
 * seed, `--also 17,18` adds some, `--seed 17` prints the history of one, `--faults` shows after how many seeds each fault of the past is found. With
 * `--redis`, the ledger is in a real Redis, which takes longer. With `--field`, stations behave as in the
 * field, and what is reported of them is judged by what truly happened.
 */
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { textOf } from '../history/history';
import { bundlePackage, bundleWorker } from './bundle';
import { type Fault, FAULTS } from './faults';
import { shortest } from './shrink';
import { simulate } from './simulate';
import { isBroken, type Result, type Task, withSurroundings } from './worker';

const ROOT = join(__dirname, '..', '..');

/** A fault that so many seeds do not find shows a hole in the simulation. */
const SEEDS_PER_FAULT = 2_000;

/** A process that has simulated so many seeds makes room for another: enough that loading and compiling cost little for each. */
const SEEDS_PER_PROCESS = 250;

/** Most of what a simulation creates is soon of no use: room for it makes collecting it cheap. */
const NODE_OPTIONS = ['--max-semi-space-size=64'];

const { values } = parseArgs({
	options: {
		seeds: { type: 'string', default: '1000' },
		from: { type: 'string', default: '1' },
		also: { type: 'string', default: '' },
		seed: { type: 'string' },
		redis: { type: 'boolean', default: false },
		field: { type: 'boolean', default: false },
		jobs: { type: 'string', default: String(availableParallelism()) },
		faults: { type: 'boolean', default: false },
		only: { type: 'string', default: '' },
		most: { type: 'string', default: String(SEEDS_PER_FAULT) },
	},
});

const SURROUNDINGS = { hasRedis: values.redis, isField: values.field };

async function main(): Promise<void> {
	if (values.seed !== undefined) await showSeed(Number(values.seed));
	else if (values.faults) await Workers.with(findFaults);
	else await Workers.with(trySeeds);
}

async function trySeeds(workers: Workers): Promise<void> {
	const [from, seeds, jobs] = [Number(values.from), Number(values.seeds), Number(values.jobs)];
	const startedAt = performance.now();
	const broken: Result[] = [];
	let done = 0;
	const code = await workers.program();
	const also = values.also.split(',').filter((seed) => seed !== '');
	const all = [...Array.from({ length: seeds }, (_unused, n) => from + n), ...also.map(Number)];
	const waiting = chunksOf(all, jobs);
	const worker = async () => {
		for (let chunk = waiting.shift(); chunk; chunk = waiting.shift()) {
			const task = { seeds: chunk, ...SURROUNDINGS, code, isUntilBroken: false };
			await workers.run(task, (result) => {
				done += 1;
				if (!isBroken(result)) return;
				broken.push(result);
				console.log(textOfBroken(result));
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
	console.log(`${broken.length} of ${done} seeds broke a promise.`);
	const [first] = broken.sort((a, b) => a.seed - b.seed);
	if (first && first.error === undefined) await showShortest(first.seed);
	process.exitCode = 1;
}

function textOfBroken({ seed, violations: [first], error }: Result): string {
	return `seed ${seed}: ${error ?? `"${first?.rule ?? ''}": ${first?.message ?? ''}`}`;
}

async function showShortest(seed: number): Promise<void> {
	const found = await withSurroundings(
		{ ...SURROUNDINGS, code: await bundlePackage() },
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
	const fault = FAULTS.find(({ name }) => name === values.only);
	const { history, violations } = await withSurroundings(
		{ ...SURROUNDINGS, code: await bundlePackage(fault) },
		async (options) => await simulate(seed, options),
	);
	console.log(textOf(history));
	for (const { rule, message } of violations) console.log(`${rule}: ${message}`);
}

async function findFaults(workers: Workers): Promise<void> {
	const waiting = FAULTS.filter(({ name }) => name.includes(values.only));
	const [from, most] = [Number(values.from), Number(values.most)];
	let missed = 0;
	const worker = async () => {
		for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
			const { name, isInRedis: hasRedis = values.redis } = fault;
			const code = await workers.program(fault);
			let found: Result | undefined;
			for (const seeds of chunksOf(Array.from({ length: most }, (_unused, n) => from + n))) {
				if (found !== undefined) break;
				const task = { seeds, ...SURROUNDINGS, hasRedis, code, isUntilBroken: true };
				await workers.run(task, (result) => {
					if (isBroken(result)) found ??= result;
				});
			}
			if (found === undefined) missed += 1;
			const how = found?.error ?? found?.violations[0]?.rule;
			console.log(
				found
					? `${name}: found by seed ${found.seed} (${how ?? ''})`
					: `${name}: NOT FOUND in ${most} seeds from ${from} on`,
			);
		}
	};
	await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
	if (missed > 0) process.exitCode = 1;
}

/** At least as many as there are jobs. */
function chunksOf(seeds: readonly number[], jobs = 1): (readonly number[])[] {
	const size = Math.min(SEEDS_PER_PROCESS, Math.ceil(seeds.length / jobs));
	const chunks: (readonly number[])[] = [];
	for (let at = 0; at < seeds.length; at += size) chunks.push(seeds.slice(at, at + size));
	return chunks;
}

/** The programs of processes that try seeds. */
class Workers {
	readonly #folder: string;
	#programs = 0;

	private constructor(folder: string) {
		this.#folder = folder;
	}

	/** They find the dependencies from there. */
	static async with(work: (workers: Workers) => Promise<void>): Promise<void> {
		const cache = join(ROOT, 'node_modules', '.cache');
		mkdirSync(cache, { recursive: true });
		const folder = mkdtempSync(join(cache, 'simulation-'));
		try {
			writeFileSync(join(folder, 'worker.cjs'), await bundleWorker());
			await work(new Workers(folder));
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	}

	/** The file with the package, and the fault in it. */
	async program(fault?: Fault): Promise<string> {
		const file = join(this.#folder, `package-${++this.#programs}.cjs`);
		writeFileSync(file, await bundlePackage(fault));
		return file;
	}

	/** Runs a task in a process of its own. */
	async run(task: Task, onResult: (result: Result) => void): Promise<void> {
		const child = fork(join(this.#folder, 'worker.cjs'), [], {
			env: { ...process.env, SIMULATION_TASK: JSON.stringify(task) },
			execArgv: NODE_OPTIONS,
		});
		child.on('message', onResult);
		await new Promise<void>((resolve, reject) => {
			child.once('exit', (code) => {
				if (code === 0) resolve();
				else reject(new Error(`A process of the simulation ended with code ${code ?? 'none'}`));
			});
		});
	}
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
