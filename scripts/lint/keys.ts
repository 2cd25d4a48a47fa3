/**
 * A key per source file: while it stays the same, so does ESLint's result. Rules that use types depend on more than the
 * file's own text, so ESLint's own cache, which only compares that text, misses problems caused by types in other files.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

interface Sources {
	readonly root: string;
	/** All files that are linted or read by a rule, relative to the root. */
	readonly files: readonly string[];
	readonly compilerOptions: ts.CompilerOptions;
}

/** Installed packages, rules and compiler settings, which every file depends on. */
const OF_ALL = /^(package-lock\.json|eslint\.config\.mjs|tsconfig[^/]*\.json|.*\.d\.ts)$/;
/** n8n's rules read the manifest and the other files of the package, and apply to these. */
const OF_PACKAGE = /^(package\.json$|nodes\/|credentials\/)/;
const UNDER_PACKAGE_RULES = /^(package\.json$|nodes\/|credentials\/|n8n\/)/;

/** For each file, a hash of everything that its result depends on: its direct and indirect imports, and the settings. */
export function lintKeys({ root, files, compilerOptions }: Sources): Map<string, string> {
	const contents = new Map<string, string>();
	const contentOf = (file: string): string => {
		const known = contents.get(file);
		if (known !== undefined) return known;
		const path = join(root, file);
		const content = existsSync(path) ? readFileSync(path, 'utf8') : '';
		contents.set(file, content);
		return content;
	};
	const hashOf = (parts: readonly string[]): string => {
		const hash = createHash('sha256').update(process.version);
		for (const part of [...parts].sort()) {
			const content = contentOf(part);
			hash.update(`${part}\0${content.length}\0`).update(content);
		}
		return hash.digest('hex');
	};

	const imports = new Map<string, readonly string[]>();
	const importsOf = (file: string): readonly string[] => {
		const known = imports.get(file);
		if (known) return known;
		const found = /\.[cm]?[jt]s$/.test(file) ? findImports(file, contentOf(file)) : [];
		imports.set(file, found);
		return found;
	};
	const findImports = (file: string, text: string): string[] => {
		const { importedFiles, referencedFiles } = ts.preProcessFile(text, true, true);
		const path = join(root, file);
		const resolved = importedFiles.flatMap(
			({ fileName }) =>
				ts.resolveModuleName(fileName, path, compilerOptions, ts.sys).resolvedModule
					?.resolvedFileName ?? [],
		);
		return [...resolved, ...referencedFiles.map(({ fileName }) => join(dirname(path), fileName))]
			.filter((target) => !target.includes('/node_modules/'))
			.map((target) => relative(root, target));
	};
	const closureOf = (file: string): Set<string> => {
		const reached = new Set([file]);
		// Iterating over a set includes entries added during the loop.
		for (const each of reached) for (const target of importsOf(each)) reached.add(target);
		return reached;
	};

	const common = hashOf(files.filter((file) => OF_ALL.test(file)));
	const ofPackage = hashOf(files.filter((file) => OF_PACKAGE.test(file)));
	return new Map(
		files.map((file) => {
			const more = UNDER_PACKAGE_RULES.test(file) ? ofPackage : '';
			return [file, [common, more, hashOf([...closureOf(file)])].join(' ')];
		}),
	);
}
