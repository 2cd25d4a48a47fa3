/** Runs the command of the simulation, for tests. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Its status and, if that is not 0, its output: the seed, the rule and the shortest history. */
export function tried(...args: readonly string[]): { status: number | null; output: string } {
	const { status, stdout, stderr } = spawnSync(
		process.execPath,
		['--import', 'tsx', join(__dirname, 'main.ts'), ...args],
		{ encoding: 'utf8', maxBuffer: 2 ** 28 },
	);
	return { status, output: status === 0 ? '' : `${stdout}${stderr}` };
}
