/** Prints the figures that a test has measured, in one line each, past Jest's own frames around console output. */
export function report(line: string): void {
	process.stderr.write(`    ${line}\n`);
}
