/**
 * Simulates seeds and judges their histories: `npm run simulate -- --seeds 10000`, on all cores. `--from 5000` begins at another
 * seed, `--seed 17` prints the history of one, `--faults` shows after how many seeds each fault of the past is found.
 */
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { check, type Violation } from '../history/checker/check';
import { textOf } from '../history/history';
import { FAULTS } from './faults';
import { bundlePackage } from './package';
import { shortest } from './shrink';
import { simulate } from './simulate';

/** A fault that so many seeds do not find shows a hole in the simulation. */
const SEEDS_PER_FAULT = 2_000;

interface Task {
	readonly from: number;
	readonly to: number;
	readonly step: number;
	/** The name of a fault to put in; the task ends when it is found. */
	readonly fault?: string;
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
	await Promise.all(
		Array.from({ length: jobs }, (_, n) =>
			inChild({ from: from + n, to: from + seeds - 1, step: jobs }, (result) => {
				done += 1;
				if (result.violations.length > 0 || result.error !== undefined) broken.push(result);
			}),
		),
	);
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
	const found = await shortest(seed, await bundlePackage());
	if (found === undefined) return;
	console.log(
		`\nThe shortest history found of seed ${seed}, which breaks "${found.violation.rule}":\n`,
	);
	console.log(textOf(found.history));
	console.log(`\n${found.violation.message}`);
}

async function showSeed(seed: number): Promise<void> {
	const { history } = await simulate(seed, {
		loadPackage: await bundlePackage(faultNamed(values.only)),
	});
	console.log(textOf(history));
	for (const { rule, message } of check(history)) console.log(`${rule}: ${message}`);
}

async function findFaults(): Promise<void> {
	const waiting = FAULTS.filter(({ name }) => name.includes(values.only));
	const most = Number(values.most);
	let missed = 0;
	const worker = async () => {
		for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
			const { name } = fault;
			let found: Result | undefined;
			await inChild({ from: 1, to: most, step: 1, fault: name }, (result) => {
				if (result.violations.length > 0 || result.error !== undefined) found ??= result;
			});
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

const faultNamed = (name: string | undefined) => FAULTS.find((fault) => fault.name === name);

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

async function asChild({ from, to, step, fault }: Task): Promise<void> {
	const loadPackage = await bundlePackage(faultNamed(fault));
	const send = (result: Result) =>
		new Promise<void>((resolve) => {
			process.send?.(result, () => {
				resolve();
			});
		});
	try {
		for (let seed = from; seed <= to; seed += step) {
			const result = await judged(seed);
			await send(result);
			if (fault !== undefined && (result.violations.length > 0 || result.error !== undefined))
				break;
		}
	} finally {
		rmSync(`/dev/shm/simulation-${process.pid}`, { recursive: true, force: true });
	}
	process.disconnect();

	async function judged(seed: number): Promise<Result> {
		try {
			const { history } = await simulate(seed, { loadPackage });
			return { seed, violations: check(history).slice(0, 5) };
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
