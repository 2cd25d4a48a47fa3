import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { lintKeys } from '../../../../scripts/lint/keys';

const FILES = {
	'package.json': '{}',
	'package-lock.json': '{}',
	'eslint.config.mjs': 'export default [];',
	'tsconfig.json': '{}',
	'lib/types.ts': 'export type Answer = Promise<void>;',
	'lib/ask.ts': `import type { Answer } from './types';\nexport declare function ask(): Answer;`,
	'lib/use.ts': `export async function use() { await (await import('./ask')).ask(); }`,
	'lib/round.ts': `export * from './about';`,
	'lib/about.ts': `export * from './round';`,
	'lib/missing.ts': `import './later';`,
	'n8n/alone.ts': 'export const alone = 1;',
	'nodes/A/A.node.ts': 'export class A {}',
};

describe('the key under which a lint result is kept', () => {
	let root: string;

	beforeEach(() => {
		root = mkdtempSync(join(tmpdir(), 'lint-'));
		for (const [file, text] of Object.entries(FILES)) write(file, text);
	});
	afterEach(() => {
		rmSync(root, { recursive: true });
	});

	function write(file: string, text: string): void {
		mkdirSync(dirname(join(root, file)), { recursive: true });
		writeFileSync(join(root, file), text);
	}

	const keys = (): Map<string, string> =>
		lintKeys({
			root,
			files: readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
				statSync(join(root, file)).isFile(),
			),
			compilerOptions: { moduleResolution: ts.ModuleResolutionKind.Node10 },
		});

	/** The files, besides the one written, that are linted again. */
	function staleAfter(file: string, text: string): string[] {
		const before = keys();
		write(file, text);
		const after = keys();
		return Object.keys(FILES).filter(
			(each) => each !== file && before.get(each) !== after.get(each),
		);
	}

	it('stays the same as long as nothing changes', () => {
		expect(keys()).toEqual(keys());
	});

	it('changes with the file, and with each file that it imports, directly or not', () => {
		const before = keys().get('lib/types.ts');
		const stale = staleAfter('lib/types.ts', 'export type Answer = void;');
		expect(stale).toEqual(['lib/ask.ts', 'lib/use.ts']);
		expect(keys().get('lib/types.ts')).not.toBe(before);
	});

	it('changes for files that import one another', () => {
		expect(staleAfter('lib/about.ts', `export * from './round';\n`)).toEqual(['lib/round.ts']);
	});

	it('changes when a file appears that an import did not find', () => {
		expect(staleAfter('lib/later.ts', 'export {};')).toEqual(['lib/missing.ts']);
	});

	it.each(['package-lock.json', 'eslint.config.mjs', 'tsconfig.json', 'lib/global.d.ts'])(
		'changes for every file with %s',
		(file) => {
			const others = Object.keys(FILES).filter((each) => each !== file);
			expect(staleAfter(file, '{ }')).toEqual(others);
		},
	);

	it('changes for what n8n’s rules apply to with the manifest and with any node', () => {
		expect(staleAfter('package.json', '{ }')).toEqual(['n8n/alone.ts', 'nodes/A/A.node.ts']);
		expect(staleAfter('nodes/A/a.svg', '<svg/>')).toEqual([
			'package.json',
			'n8n/alone.ts',
			'nodes/A/A.node.ts',
		]);
	});
});
