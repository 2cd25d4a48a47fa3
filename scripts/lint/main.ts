/** Checks files that have changed since they were last clean, and the files that depend on them: types and rules, `npm run lint`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { z } from 'zod/v4';
import { lintKeys } from './keys';
import { findMistyped } from './types';

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
		// No cache yet, or in another format: check everything.
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

function readConfig(): ts.ParsedCommandLine {
	const host: ts.ParseConfigFileHost = {
		...ts.sys,
		onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
			throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
		},
	};
	const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, 'tsconfig.json'), {}, host);
	if (config === undefined) throw new Error('tsconfig.json cannot be read.');
	return config;
}

/** Prints ESLint's findings in these files, and returns the files that have any. */
async function findBreaches(program: ts.Program, files: readonly string[]): Promise<string[]> {
	// Takes a second to load and is rarely needed.
	const { ESLint } = await import('eslint');
	const parserOptions = { projectService: false, programs: [program] };
	const eslint = new ESLint({
		cwd: ROOT,
		warnIgnored: false,
		overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions } },
	});
	const results = await eslint.lintFiles([...files]);
	const formatter = await eslint.loadFormatter('stylish');
	console.error(await formatter.format(results));
	return results
		.filter(({ errorCount, warningCount }) => errorCount + warningCount > 0)
		.map(({ filePath }) => relative(ROOT, filePath));
}

/** The files with errors. The rules ask for the types that the check of types has already found: once for both is half the work. */
async function findFaulty(files: readonly string[], config: ts.ParsedCommandLine) {
	if (files.length === 0) return new Set<string>();
	const program = ts.createProgram({
		rootNames: config.fileNames,
		options: config.options,
		configFileParsingDiagnostics: ts.getConfigFileParsingDiagnostics(config),
	});
	return new Set([...findMistyped(program, ROOT, files), ...(await findBreaches(program, files))]);
}

async function main(): Promise<void> {
	const files = filesIn(ROOT);
	const config = readConfig();
	const keys = lintKeys({ root: ROOT, files, compilerOptions: config.options });
	const before = readCache();
	const checked = files.filter((file) => LINTED.test(file));
	const stale = checked.filter((file) => before[file] !== keys.get(file));
	const faulty = await findFaulty(stale, config);
	const clean = checked.filter((file) => !faulty.has(file));
	mkdirSync(dirname(CACHE), { recursive: true });
	writeFileSync(
		CACHE,
		JSON.stringify(Object.fromEntries(clean.map((file) => [file, keys.get(file)]))),
	);
	if (faulty.size > 0) process.exitCode = 1;
}

void main();
