/** What the commands for people have in common. */
import type { Log } from '../test/support/log';

const started = performance.now();

/** A line of progress, with the seconds that the command has taken so far. */
export const log: Log = (line) => {
	const seconds = Math.round((performance.now() - started) / 1000);
	console.log(`${String(seconds).padStart(4)} s  ${line}`);
};

export const messageOf = (error: unknown): string =>
	error instanceof Error ? error.message : String(error);

/** What is thrown ends the command with its message and exit code 1. */
export function runCommand(main: () => Promise<void>): void {
	main().catch((error: unknown) => {
		console.error(messageOf(error));
		process.exitCode = 1;
	});
}
