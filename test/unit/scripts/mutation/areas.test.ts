import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AREAS } from '../../../../scripts/mutation/areas';

const ROOT = join(__dirname, '../../../..');

/** The patterns that one with choices in braces stands for. */
function choicesOf(pattern: string): string[] {
	const [found, before = '', choices = '', after = ''] =
		/^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
	if (found === undefined) return [pattern];
	return choices.split(',').flatMap((choice) => choicesOf(before + choice + after));
}

/** Stars are in names of files only. */
function fits(pattern: string): boolean {
	const folder = join(ROOT, dirname(pattern));
	const name = basename(pattern).replaceAll('.', '\\.').replaceAll('*', '.*');
	return existsSync(folder) && readdirSync(folder).some((file) => RegExp(`^${name}$`).test(file));
}

it.each(Object.entries(AREAS))('every file that the area %s names is there', (_area, parts) => {
	const patterns = parts.flatMap(({ mutate, tests }) => [...mutate, ...tests]);
	expect(patterns.flatMap(choicesOf).filter((pattern) => !fits(pattern))).toEqual([]);
});
