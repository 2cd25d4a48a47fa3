/** Runs the simulator alone until Ctrl-C: `npm run simulator -- --help`. */
import { runCli, type RunningCli } from './cli';

async function main(): Promise<void> {
	const running = await runCli(process.argv.slice(2), (line) => {
		console.log(line);
	});
	let ending: Promise<void> | undefined;
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		// Again and again: a Ctrl-C reaches the program from the terminal and may come once more from what started it.
		process.on(signal, () => {
			ending ??= end(running);
		});
	}
}

async function end(running: RunningCli): Promise<void> {
	await running.stop();
	console.log('The simulator has ended.');
	// The handlers of signals keep nothing alive: the process ends by itself now.
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : String(error));
	process.exitCode = 1;
});
