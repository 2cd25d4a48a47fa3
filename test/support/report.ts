/** Prints the figures that a test has measured, one per line, without Jest's frames around console output. */
export function report(line: string): void {
	process.stderr.write(`    ${line}\n`);
}

/** A summary of durations, which are milliseconds, shortest first. */
export function summary(durations: readonly number[]): string {
	const at = (share: number): string =>
		(durations[Math.ceil(durations.length * share) - 1] ?? Number.NaN).toFixed(0);
	return `median ${at(0.5)} ms, 95 % within ${at(0.95)} ms, longest ${at(1)} ms (${durations.length} events)`;
}
