/** Helpers shared by the commands. */
import type { Log } from '../test/support/log';

const started = performance.now();

/** Prints a line of progress with the seconds since the command started. */
export const log: Log = (line) => {
	const seconds = Math.round((performance.now() - started) / 1000);
	console.log(`${String(seconds).padStart(4)} s  ${line}`);
};

export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);

/** An error ends the command with its message and exit code 1. */
export function runCommand(main: () => Promise<void>): void {
	main().catch((error: unknown) => {
		console.error(messageOf(error));
		process.exitCode = 1;
	});
}
