/** The check of types in some files of a program, as tsc does it for all of them. */
import { join, relative } from 'node:path';
import ts from 'typescript';

/** Prints the errors, and returns the files that have any: all of them if an error is in none, such as one in the settings. */
export function findMistyped(
	program: ts.Program,
	root: string,
	files: readonly string[],
	print: (errors: string) => void = console.error,
): string[] {
	const sources = files.flatMap((file) => program.getSourceFile(join(root, file)) ?? []);
	const errors = ts.sortAndDeduplicateDiagnostics(
		sources.flatMap((source) => ts.getPreEmitDiagnostics(program, source)),
	);
	if (errors.length === 0) return [];
	print(
		ts.formatDiagnosticsWithColorAndContext(errors, {
			getCanonicalFileName: (name) => name,
			getCurrentDirectory: () => root,
			getNewLine: () => '\n',
		}),
	);
	return errors.flatMap(({ file }) => (file ? relative(root, file.fileName) : files));
}
