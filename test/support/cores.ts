/** Measures the time that a busy machine adds, so that time limits can stay strict. */
import { readFileSync } from 'node:fs';

/** Linux counts time in these, see proc_stat(5). */
const MS_PER_TICK = 10;

/**
 * Starts a watch: the returned function gives the milliseconds since then in which these processes and this one were
 * ready to run but had no core, plus the time taken by other virtual machines. Processes that have ended no longer count.
 * 0 on systems other than Linux.
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

/** Time that the main thread has waited for a core: the second number, in nanoseconds. */
function waitedMs(pid: number): number {
	const [, waited = '0'] = read(`/proc/${pid}/schedstat`).split(' ');
	return Number(waited) / 1e6;
}

/** Time that other virtual machines took from this one: the eighth number of the first line. */
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
