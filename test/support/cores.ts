/** What a busy machine adds to a bound in seconds, measured, so that the bound itself can stay strict. */
import { readFileSync } from 'node:fs';

/** Linux counts time in these, see proc_stat(5). */
const MS_PER_TICK = 10;

/**
 * Starts a watch: it tells for how many milliseconds since then these processes and this one wanted to run and had no
 * core, and the machine none for any. What a process did before it ended counts no more. 0 where it is not Linux.
 */
export function watchCores(...pids: readonly number[]): () => number {
	const all = [...new Set([process.pid, ...pids])];
	const before = new Map(all.map((pid) => [pid, waitedMs(pid)]));
	const stolenBefore = stolenMs();
	return () => {
		const waited = all.map((pid) => Math.max(0, waitedMs(pid) - (before.get(pid) ?? 0)));
		return waited.reduce((sum, ms) => sum + ms, stolenMs() - stolenBefore);
	};
}

/** The time of the main thread in the queue for a core: the second number, in nanoseconds. */
function waitedMs(pid: number): number {
	const [, waited = '0'] = read(`/proc/${pid}/schedstat`).split(' ');
	return Number(waited) / 1e6;
}

/** What other machines took of this one: the eighth number of the first line. */
function stolenMs(): number {
	const [, , , , , , , , stolen = '0'] = read('/proc/stat').split(/\s+/, 9);
	return Number(stolen) * MS_PER_TICK;
}

function read(file: string): string {
	try {
		return readFileSync(file, 'utf8');
	} catch {
		// Another system, or the process has ended.
		return '';
	}
}
