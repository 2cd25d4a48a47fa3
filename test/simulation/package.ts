/** The package's own code, from its sources, as a function that runs it with the surroundings of a simulated process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { build } from 'esbuild';
import type * as Entry from './entry';
import type { Fault } from './faults';

const ROOT = join(__dirname, '..', '..');

/** The globals that a process gets in place of those of Node. */
export const GLOBALS = [
	...['require', 'module', 'exports', 'process', 'Date', 'Math', 'performance'],
	...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'],
	'FinalizationRegistry',
] as const;

export type Surroundings = Readonly<Record<(typeof GLOBALS)[number], unknown>>;

/** Loads all modules of the package once more: the state of a module is that of one process. */
export type LoadPackage = (surroundings: Surroundings) => typeof Entry;

/** Throws if the text of the fault is not found exactly once. */
export async function bundlePackage(fault?: Fault): Promise<LoadPackage> {
	const { outputFiles } = await build({
		entryPoints: [join(__dirname, 'entry.ts')],
		...{ bundle: true, write: false, platform: 'node', format: 'cjs', target: 'node24' },
		external: ['n8n-workflow', 'zod/*', 'undici/*', 'ioredis'],
		plugins: fault === undefined ? [] : [plugin(fault)],
		logLevel: 'silent',
	});
	const code = outputFiles[0]?.text ?? '';
	const script = new Script(`(function (${GLOBALS.join(', ')}) {${code}\n})`, {
		filename: 'package.js',
	});
	const run = script.runInThisContext() as (...given: unknown[]) => void;
	return (surroundings) => {
		const module = { exports: {} };
		const all = { ...surroundings, module, exports: module.exports };
		run(...GLOBALS.map((name) => all[name]));
		return module.exports as typeof Entry;
	};
}

function plugin({ name, changes }: Fault) {
	const files = new Map(changes.map(({ file }) => [join(ROOT, file), file]));
	return {
		name,
		setup(
			bundler: Parameters<NonNullable<Parameters<typeof build>[0]['plugins']>[number]['setup']>[0],
		) {
			bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
				const changed = files.get(path);
				if (changed === undefined) return undefined;
				return { contents: withFault({ name, changes }, changed), loader: 'ts' };
			});
		},
	};
}

/** The text of the file with the fault in it. */
export function withFault(
	{ name, changes }: Pick<Fault, 'name' | 'changes'>,
	file: string,
): string {
	let text = readFileSync(join(ROOT, file), 'utf8');
	for (const change of changes) {
		if (change.file !== file) continue;
		const parts = text.split(change.find);
		if (parts.length !== 2) {
			throw new Error(`The fault "${name}" finds its text ${parts.length - 1} times in ${file}`);
		}
		text = parts.join(change.replace);
	}
	return text;
}
