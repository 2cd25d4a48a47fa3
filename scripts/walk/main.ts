/** `npm run walk`: the way of a new user by the words of the README, in a real browser, from the package to the first incident; prints the time of each step. */
import { Command } from 'commander';
import { log, runCommand } from '../command';
import { readingSeconds } from './readme';
import { type Step, walk } from './walk';

/** How long a user takes for a click, or to paste a value: an estimate. */
const SECONDS_PER_ACTION = 3;

async function main(): Promise<void> {
	const { args } = new Command('npm run walk --')
		.description('Walks from the README to the first incident, and prints how long each step took.')
		.argument('[stations...]', 'one walk per number; 40 and 4,000 by default')
		.parse();
	const sizes = args.length > 0 ? args.map(Number) : [40, 4_000];
	for (const stations of sizes) {
		log(`A service with ${stations} stations ...`);
		print(stations, await walk(stations, log));
	}
}

function print(stations: number, steps: readonly Step[]): void {
	const machine = sum(steps, ({ seconds }) => seconds);
	const actions = sum(steps, (step) => step.actions);
	const reading = readingSeconds();
	const rows = [
		...steps.map(({ name, seconds, ...step }) => [name, seconds.toFixed(1), step.actions]),
		['In all', machine.toFixed(1), actions],
	];
	console.log(`\n${stations} stations`);
	console.table(rows.map(([Step, Seconds, Actions]) => ({ Step, Seconds, Actions })));
	const user = reading + actions * SECONDS_PER_ACTION;
	console.log(
		`With a user: ${Math.round(machine + user)} s (${reading} s to read at 200 words per minute, ${SECONDS_PER_ACTION} s per action)\n`,
	);
}

function sum(steps: readonly Step[], of: (step: Step) => number): number {
	return steps.reduce((total, step) => total + of(step), 0);
}

runCommand(main);
