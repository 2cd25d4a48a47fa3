/** `npm run walk`: the way of a new user in a real browser to the first incident, by the words of the demo or the README; prints the time of each step. */
import { Command } from 'commander';
import { log, runCommand } from '../command';
import { walkDemo } from './demo';
import { readingSeconds } from './readme';
import { type Step, walk } from './walk';

/** How long a user takes for a click, or to paste a value: an estimate. */
const SECONDS_PER_ACTION = 3;
/** From the demo to its first incident, once n8n is installed. */
const MOST_SECONDS = 180;

async function main(): Promise<void> {
	const { args } = new Command('npm run walk --')
		.description(
			'Walks from `npm run demo` to its first incident, or from the README with an own service, and prints how long each step took.',
		)
		.argument(
			'[stations...]',
			'instead of the demo, one walk from the README per number of stations',
		)
		.parse();
	if (args.length === 0) {
		checkDemo(await walkDemo(SECONDS_PER_ACTION, log));
		return;
	}
	for (const stations of args.map(Number)) {
		log(`A service with ${stations} stations ...`);
		print(stations, await walk(stations, log));
	}
}

/** With the time to read and to act, which the walk has waited for. */
function checkDemo(steps: readonly Step[]): void {
	const seconds = sum(steps, (step) => step.seconds);
	show(steps);
	console.log(`From \`npm run demo\` to the first incident: ${Math.round(seconds)} s\n`);
	if (seconds > MOST_SECONDS) throw new Error(`That is more than ${MOST_SECONDS} s.`);
}

function print(stations: number, steps: readonly Step[]): void {
	const machine = sum(steps, ({ seconds }) => seconds);
	const actions = sum(steps, (step) => step.actions);
	const reading = readingSeconds();
	console.log(`\n${stations} stations`);
	show(steps);
	const user = reading + actions * SECONDS_PER_ACTION;
	console.log(
		`With a user: ${Math.round(machine + user)} s (${reading} s to read at 200 words per minute, ${SECONDS_PER_ACTION} s per action)\n`,
	);
}

function show(steps: readonly Step[]): void {
	const all = { name: 'In all', seconds: sum(steps, ({ seconds }) => seconds) };
	const rows = [...steps, { ...all, actions: sum(steps, ({ actions }) => actions) }];
	console.table(
		rows.map(({ name: Step, seconds, actions: Actions }) => ({
			...{ Step, Seconds: seconds.toFixed(1), Actions },
		})),
	);
}

function sum(steps: readonly Step[], of: (step: Step) => number): number {
	return steps.reduce((total, step) => total + of(step), 0);
}

runCommand(main);
