/** The imports of the product, types included: no file is in a circle, and no folder either, be it with one next to it or the one around it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(__dirname, '..', '..');
const PRODUCT = ['lib', 'n8n', 'nodes', 'credentials', 'simulator'];

const listed = execFileSync(
	'git',
	['ls-files', '--cached', '--others', '--exclude-standard', ...PRODUCT],
	{
		cwd: ROOT,
		encoding: 'utf8',
	},
);
const files = listed
	.split('\n')
	.filter((file) => /(?<!\.d)\.ts$/.test(file) && existsSync(join(ROOT, file)));

/** By file, the files that it imports. */
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): Set<string> {
	const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'));
	const own = importedFiles.filter(({ fileName }) => fileName.startsWith('.'));
	const found = own.flatMap(({ fileName }) => {
		const path = join(dirname(file), fileName);
		return [`${path}.ts`, `${path}/index.ts`].filter((each) => files.includes(each));
	});
	return new Set(found);
}

/** Stands for the files that lie in a folder itself. */
const ITSELF = '.';

/** The same between the folders that lie in this one, and the files that lie in it. */
function importsBetweenFoldersOf(
	parent: string,
	graph: ReadonlyMap<string, ReadonlySet<string>> = imports,
): Map<string, Set<string>> {
	const folderOf = (file: string) => {
		if (!file.startsWith(`${parent}/`)) return undefined;
		const [folder = '', ...rest] = file.slice(parent.length + 1).split('/');
		return rest.length > 0 ? folder : ITSELF;
	};
	const folders = new Map<string, Set<string>>();
	for (const [file, imported] of graph) {
		const from = folderOf(file);
		if (from === undefined) continue;
		const to = folders.get(from) ?? new Set();
		folders.set(from, to);
		for (const each of imported) {
			const other = folderOf(each);
			if (other !== undefined && other !== from) to.add(other);
		}
	}
	return folders;
}

const parents = [
	...new Set(files.flatMap((file) => [dirname(file), dirname(dirname(file))])),
].filter((folder) => importsBetweenFoldersOf(folder).size > 1);

/** One circle, as the way around it; undefined where there is none. */
function circleIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string | undefined {
	const done = new Set<string>();
	const visit = (node: string, way: readonly string[]): string | undefined => {
		if (way.includes(node)) return [...way.slice(way.indexOf(node)), node].join(' -> ');
		if (done.has(node)) return undefined;
		for (const next of graph.get(node) ?? []) {
			const circle = visit(next, [...way, node]);
			if (circle !== undefined) return circle;
		}
		done.add(node);
		return undefined;
	};
	for (const node of graph.keys()) {
		const circle = visit(node, []);
		if (circle !== undefined) return circle;
	}
	return undefined;
}

it('reads the imports of every file', () => {
	expect(files.length).toBeGreaterThan(150);
	expect(imports.get('lib/poll/index.ts')).toContain('lib/poll/poll.ts');
});

it('finds a circle where there is one', () => {
	const graph = new Map([
		['a', new Set(['b'])],
		['b', new Set(['c'])],
		['c', new Set(['b'])],
	]);
	expect(circleIn(graph)).toBe('b -> c -> b');
});

it('finds a circle between a folder and the files around it', () => {
	const graph = new Map([
		['lib/a/index.ts', new Set(['lib/a/inner/b.ts'])],
		['lib/a/inner/b.ts', new Set(['lib/a/other/c.ts'])],
		['lib/a/other/c.ts', new Set(['lib/a/d.ts'])],
		['lib/a/d.ts', new Set<string>()],
	]);
	expect(circleIn(importsBetweenFoldersOf('lib/a', graph))).toBe('. -> inner -> other -> .');
	expect(circleIn(importsBetweenFoldersOf('lib', graph))).toBeUndefined();
});

it('has no circle of files', () => {
	expect(circleIn(imports)).toBeUndefined();
});

it.each(parents)('has no circle between the folders of %s', (parent) => {
	expect(circleIn(importsBetweenFoldersOf(parent))).toBeUndefined();
});
