import ts from 'typescript';
import { findMistyped } from '../../../../scripts/lint/types';

const FILES: Readonly<Record<string, string>> = {
	'/right.ts': 'export const right: string = "text";',
	'/wrong.ts': 'export const wrong: string = 1;',
	'/broken.ts': 'export const broken = ;',
	/** In place of TypeScript's own, which take half a second to read. */
	'/globals.d.ts': ['Array<T>', 'Boolean', 'CallableFunction', 'Function', 'IArguments']
		.concat('NewableFunction', 'Number', 'Object', 'RegExp', 'String')
		.map((name) => `interface ${name} {}`)
		.join('\n'),
};

/** What is printed of these files, and which are at fault. */
function check(files: readonly string[], options: ts.CompilerOptions = {}) {
	const compilerOptions = { ...options, types: [], noEmit: true, noLib: true };
	const program = ts.createProgram(Object.keys(FILES), compilerOptions, {
		...ts.createCompilerHost(compilerOptions),
		getSourceFile: (name, version) => ts.createSourceFile(name, FILES[name] ?? '', version),
	});
	let printed = '';
	const faulty = findMistyped(program, '/', files, (errors) => (printed += errors));
	return { faulty, codes: printed.match(/TS\d+/g) };
}

it.each([
	['right.ts', [], null],
	['wrong.ts', ['wrong.ts'], ['TS2322']],
	['broken.ts', ['broken.ts'], ['TS1109']],
	['package.json', [], null],
])('finds what is wrong with the types of %s', (file, faulty, codes) => {
	expect(check([file])).toEqual({ faulty, codes });
});

it('takes all files for faulty if an error is in none of them', () => {
	const { faulty, codes } = check(['right.ts'], { declarationMap: true });
	expect(faulty).toEqual(['right.ts']);
	expect(codes).toEqual(['TS5069']);
});
