/** Lints files that have changed since they were last clean, and the files that depend on them: `npm run lint`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { z } from 'zod/v4';
import { lintKeys } from './keys';

const ROOT = join(__dirname, '..', '..');
/** Removed along with the installed packages. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'asset-service-lint.json');
const NOT_OURS = new Set(['.git', 'node_modules', 'dist', 'coverage']);
const LINTED = /(\.[cm]?[jt]s|^package\.json)$/;

const Cache = z.record(z.string(), z.string());

function readCache(): z.infer<typeof Cache> {
	try {
		return Cache.parse(JSON.parse(readFileSync(CACHE, 'utf8')));
	} catch {
		// No cache yet, or in another format: lint everything.
		return {};
	}
}

function filesIn(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
		if (NOT_OURS.has(entry.name)) return [];
		const path = join(folder, entry.name);
		return entry.isDirectory() ? filesIn(path) : [relative(ROOT, path)];
	});
}

function compilerOptions(): ts.CompilerOptions {
	const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) =>
		ts.sys.readFile(path),
	) as {
		config: unknown;
	};
	return ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, ROOT)
		.options;
}

/** Prints ESLint's findings in these files, and returns the files that have any. */
async function findFaulty(files: readonly string[]): Promise<Set<string>> {
	if (files.length === 0) return new Set();
	// Takes a second to load and is rarely needed.
	const { ESLint } = await import('eslint');
	const eslint = new ESLint({ cwd: ROOT, warnIgnored: false });
	const results = await eslint.lintFiles([...files]);
	const formatter = await eslint.loadFormatter('stylish');
	console.error(await formatter.format(results));
	const faulty = results.filter(({ errorCount, warningCount }) => errorCount + warningCount > 0);
	return new Set(faulty.map(({ filePath }) => relative(ROOT, filePath)));
}

async function main(): Promise<void> {
	const files = filesIn(ROOT);
	const keys = lintKeys({ root: ROOT, files, compilerOptions: compilerOptions() });
	const before = readCache();
	const linted = files.filter((file) => LINTED.test(file));
	const faulty = await findFaulty(linted.filter((file) => before[file] !== keys.get(file)));
	const clean = linted.filter((file) => !faulty.has(file));
	mkdirSync(dirname(CACHE), { recursive: true });
	writeFileSync(
		CACHE,
		JSON.stringify(Object.fromEntries(clean.map((file) => [file, keys.get(file)]))),
	);
	if (faulty.size > 0) process.exitCode = 1;
}

void main();
