/** Runs the stand-alone simulator until Ctrl-C: `npm run simulator -- --help`. */
import { runCli, type RunningCli } from './cli';

async function main(): Promise<void> {
	const running = await runCli(process.argv.slice(2), (line) => {
		console.log(line);
	});
	let ending: Promise<void> | undefined;
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		// Not `once`: Ctrl-C reaches the program from the terminal, and maybe a second time from its parent process.
		process.on(signal, () => {
			ending ??= end(running);
		});
	}
}

async function end(running: RunningCli): Promise<void> {
	await running.stop();
	console.log('The simulator has ended.');
	// Signal handlers do not keep the process alive, so it ends now.
}

main().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : String(error));
	process.exitCode = 1;
});
