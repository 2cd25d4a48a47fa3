/** One name, one meaning: each type of the product is defined in one place. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '..', '..');

function typesIn(text: string): string[] {
	const { statements } = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
	return statements.flatMap((statement) => {
		const isType =
			ts.isInterfaceDeclaration(statement) ||
			ts.isTypeAliasDeclaration(statement) ||
			ts.isClassDeclaration(statement) ||
			ts.isEnumDeclaration(statement);
		return isType && statement.name ? [statement.name.text] : [];
	});
}

it('finds interfaces, types and classes, exported or not', () => {
	const text = 'interface A {}\nexport type B<T> = T;\nexport class C {}\nconst d = class E {};';
	expect(typesIn(text)).toEqual(['A', 'B', 'C']);
});

it('defines each name once', () => {
	const listed = execFileSync(
		'git',
		[
			'ls-files',
			'--cached',
			'--others',
			'--exclude-standard',
			'lib',
			'n8n',
			'nodes',
			'credentials',
		],
		{ cwd: ROOT, encoding: 'utf8' },
	);
	const files = listed
		.split('\n')
		.filter((file) => file.endsWith('.ts') && existsSync(join(ROOT, file)));
	expect(files.length).toBeGreaterThan(100);
	const places = new Map<string, string[]>();
	for (const file of files) {
		for (const name of typesIn(readFileSync(join(ROOT, file), 'utf8'))) {
			places.set(name, [...(places.get(name) ?? []), file]);
		}
	}
	expect([...places].filter(([, { length }]) => length > 1)).toEqual([]);
});
