/** Bundles what the processes of a simulation run, from its sources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Fault } from './faults';

const ROOT = join(__dirname, '..', '..');

/** The package's own code. Throws if the text of the fault is not found exactly once. */
export async function bundlePackage(fault?: Fault): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [join(__dirname, 'entry.ts')],
		...{ bundle: true, write: false, platform: 'node', format: 'cjs', target: 'node24' },
		external: ['n8n-workflow', 'zod/*', 'undici/*', 'ioredis'],
		define: { __dirname: JSON.stringify(__dirname) },
		plugins: fault === undefined ? [THREADS] : [THREADS, plugin(fault)],
		logLevel: 'silent',
	});
	return outputFiles[0]?.text ?? '';
}

/** The program of `worker.ts`. */
export async function bundleWorker(): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [join(__dirname, 'worker.ts')],
		...{ bundle: true, write: false, platform: 'node', format: 'cjs', target: 'node24' },
		...{ packages: 'external', logLevel: 'silent' },
	});
	return outputFiles[0]?.text ?? '';
}

/** A process of the simulation has threads of its own (`hostProcess.ts`). */
const THREADS: Plugin = {
	name: 'threads',
	setup(bundler) {
		bundler.onResolve({ filter: /shared\/thread$/ }, () => ({
			path: 'simulation:thread',
			external: true,
		}));
	},
};

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
