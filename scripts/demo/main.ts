/** `npm run demo`: sets up a real n8n with the package and the simulated service, and shows a spectator around; with `--once`, figures. */
import { Command } from 'commander';
import { log, messageOf } from '../command';
import { ACTS } from './acts';
import { type Figure, isRight, table } from './report';
import { setStage, type Stage } from './stage';
import { guide } from './tour';

/** The exit code that a shell reports for a command ended by Ctrl-C. */
const INTERRUPTED = 130;

async function main(): Promise<void> {
	const { once } = new Command('npm run demo --')
		.description('Shows the Asset Service nodes at work in a real n8n, on this machine only.')
		.option(
			'--once',
			'no tour: count executions, and exit with code 0 only if all figures are right',
		)
		.parse()
		.opts<{ once?: true }>();

	const stage = await setStage(log);
	try {
		if (!once) {
			await guide(stage, log, { input: process.stdin, signal: interruption.signal });
			return;
		}
		const figures = await play(stage);
		if (isInterrupted()) throw new Error('Interrupted before the figures were complete.');
		report(figures);
	} finally {
		log('Stopping ...');
		await stage.stop();
	}
}

const isInterrupted = (): boolean => interruption.signal.aborted;

async function play(stage: Stage): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const act of ACTS) {
		if (isInterrupted()) break;
		figures.push(...(await act(stage, log)));
	}
	return figures;
}

function report(figures: readonly Figure[]): void {
	console.log(`\n${table(figures)}\n`);
	if (figures.every(isRight)) return;
	console.log('Some figures are wrong.\n');
	process.exitCode = 1;
}

/** The first Ctrl-C lets the current step end and cleans up. n8n and the simulator do not receive it themselves. */
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
	process.on(name, () => {
		if (!isInterrupted()) log('Interrupted: stopping after the current step ...');
		interruption.abort();
	});
}

main().catch((error: unknown) => {
	// An interrupted step such as npm fails with its own error, which is not worth reporting.
	if (!isInterrupted()) console.error(`\n${messageOf(error)}`);
	process.exitCode = isInterrupted() ? INTERRUPTED : 1;
});
