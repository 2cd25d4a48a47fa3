/** The package: what the build makes of the sources, what npm packs, and what `index.js` exports. */
import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { z } from 'zod/v4';
import packageJson from '../../package.json';
import { makeScene, removeScenes, ROOT } from '../support/commands';

afterAll(removeScenes);

const entries = [...packageJson.n8n.nodes, ...packageJson.n8n.credentials];

it('exports each class that n8n loads', () => {
	const code = readFileSync(join(ROOT, 'index.js'), 'utf8');
	const asked: string[] = [];
	const required = { exports: {} };
	runInNewContext(code, {
		module: required,
		require: (path: string) => {
			asked.push(path);
			return { [path]: true };
		},
	});
	expect(asked.map((path) => path.replace('./', '').concat('.js')).sort()).toEqual(entries.sort());
	expect(Object.keys(required.exports).sort()).toEqual(asked.sort());
});

it('needs no other package at run time, since n8n installs none', () => {
	const needed = ['dependencies', 'optionalDependencies', 'bundleDependencies'];
	expect(Object.keys(packageJson).filter((key) => needed.includes(key))).toEqual([]);
	const { peerDependencies, peerDependenciesMeta } = packageJson;
	expect(Object.keys(peerDependencies)).toEqual(['n8n-workflow']);
	expect(peerDependenciesMeta['n8n-workflow'].optional).toBe(true);
	expect(packageJson.keywords).toContain('n8n-community-node-package');
});

describe('npm packs', () => {
	let files: string[];
	beforeAll(() => {
		const scene = makeScene();
		scene.copy('package.json', 'index.js', 'docs', 'examples', '.github', 'jest.config.js');
		scene.copy('README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md');
		scene.write('scripts/setup/ensureInstalled.mjs', '');
		scene.write('lib/source.ts', '');
		scene.write('test/unit/some.test.ts', '');
		// The build makes one file of each kind.
		scene.replace(
			'gulp',
			entries.map((file) => `mkdir -p $(dirname ${file}); : > ${file}`).join('\n'),
		);
		const { output } = scene.run('npm', ['pack', '--json', '--dry-run', '--loglevel=error']);
		const Packed = z.array(z.object({ files: z.array(z.object({ path: z.string() })) }));
		const [packed] = Packed.parse(JSON.parse(/^\[[\s\S]*^\]/m.exec(output)?.[0] ?? '[]'));
		files = packed?.files.map(({ path }) => path) ?? [];
	});

	it('what it has built before', () => {
		expect(files).toEqual(expect.arrayContaining([...entries, packageJson.main]));
	});

	it('the docs and examples, without pictures, and nothing that only developers need', () => {
		const folders = new Set(files.map((file) => file.replace(/\/[^/]*$/, '/')));
		expect([...folders].filter((file) => !/^dist\//.test(file)).sort()).toEqual([
			...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'docs/'],
			...['examples/', 'examples/docker/', 'index.js', 'package.json'],
		]);
	});

	it('what its README and docs link to', () => {
		const dead = files
			.filter((file) => file.endsWith('.md'))
			.flatMap((file) =>
				[...readFileSync(join(ROOT, file), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(
					([, link = '']) => join(file, '..', link),
				),
			)
			// npm's page gets the pictures from the repository.
			.filter((target) => !target.startsWith('docs/pictures/'))
			.filter(
				(target) => !files.some((file) => `${file}/`.startsWith(target.replace(/\/?$/, '/'))),
			);
		expect([...new Set(dead)]).toEqual([]);
	});
});

describe('the build', () => {
	const scene = makeScene();
	const built = (file: string) => readFileSync(join(scene.folder, 'built', file), 'utf8');
	const Bom = z.object({
		components: z.array(z.object({ name: z.string(), version: z.string(), purl: z.string() })),
	});
	beforeAll(() => {
		scene.copy('gulpfile.js', 'tsconfig.json', 'tsconfig.build.json', 'lib/vendor');
		const n8n = {
			nodes: ['dist/nodes/A/A.node.js'],
			credentials: ['dist/credentials/C.credentials.js'],
		};
		scene.write('package.json', JSON.stringify({ ...packageJson, n8n }));
		const description = "{ name: 'a', version: 1, group: ['input'], properties: [] }";
		scene.write(
			'nodes/A/A.node.ts',
			`/** A comment. */\nexport class A { description = ${description}; }\n`,
		);
		for (const file of ['A.node.json', 'a.svg', '__schema__/v1.0.0/b/c.json'])
			scene.write(`nodes/A/${file}`, '{}');
		scene.write('credentials/C.credentials.ts', "export class C { name = 'c'; }\n");
		scene.write('credentials/c.svg', '');
		scene.write('n8n/use.ts', `export { parse } from '../lib/vendor/zod';\n`);
		scene.write('test/some.test.ts', '');
		scene.write('dist/nodes/Removed/Removed.node.js', '');
		symlinkSync(join(ROOT, 'node_modules'), join(scene.folder, 'node_modules'));
		const { status, output } = scene.run('node', ['node_modules/gulp/bin/gulp.js', '--silent']);
		expect([status, output]).toEqual([0, '']);
		renameSync(join(scene.folder, 'dist'), join(scene.folder, 'built'));
		renameSync(join(scene.folder, 'node_modules'), join(scene.folder, 'gone'));
	}, 60_000);

	it('has the code file by file, with icons, codex files and schemas, and nothing of an earlier build', () => {
		const files = readdirSync(join(scene.folder, 'built'), { recursive: true, encoding: 'utf8' });
		expect(files.filter((file) => /\.(js|json|svg)$/.test(file)).sort()).toEqual([
			...['credentials/C.credentials.js', 'credentials/c.svg'],
			...['known/credentials.json', 'known/nodes.json'],
			...['lib/vendor/ioredis.js', 'lib/vendor/undici.js', 'lib/vendor/zod.js'],
			...['methods/defined.json', 'methods/referenced.json'],
			...['n8n/use.js', 'nodes/A/A.node.js', 'nodes/A/A.node.json'],
			...['nodes/A/__schema__/v1.0.0/b/c.json', 'nodes/A/a.svg', 'sbom.cdx.json'],
			...['types/credentials.json', 'types/nodes.json'],
		]);
		expect(built('nodes/A/A.node.js')).not.toContain('A comment');
	});

	it('describes its nodes and credentials, so that n8n loads one only when it is used', () => {
		expect(JSON.parse(built('known/nodes.json'))).toMatchObject({
			a: { className: 'A', sourcePath: 'dist/nodes/A/A.node.js' },
		});
		expect(JSON.parse(built('types/nodes.json'))).toMatchObject([{ name: 'a', version: 1 }]);
		expect(JSON.parse(built('types/credentials.json'))).toMatchObject([{ name: 'c' }]);
	});

	it('needs no installed package', () => {
		expect(existsSync(join(scene.folder, 'node_modules'))).toBe(false);
		const use = `
			const { Redis } = require('./built/lib/vendor/ioredis');
			const { Agent } = require('./built/lib/vendor/undici');
			const { parse } = require('./built/n8n/use');
			const { string } = require('./built/lib/vendor/zod');
			console.log(typeof Redis, typeof Agent, parse(string(), 'parsed'));`;
		expect(scene.run('node', ['-e', use]).output).toBe('function function parsed\n');
	});

	it('lists what it has bundled, with the versions and licences', () => {
		const { components } = Bom.parse(JSON.parse(built('sbom.cdx.json')));
		const names = components.map(({ name }) => name);
		expect(names).toEqual(
			expect.arrayContaining(['@ioredis/commands', 'ioredis', 'undici', 'zod']),
		);
		const notices = built('THIRD-PARTY-NOTICES');
		expect(notices).toContain('llhttp 9.3.0 (MIT)');
		expect(notices).toContain('Copyright Fedor Indutny, 2018.');
		// WebAssembly in a file of undici, not an installed package.
		const isEmbedded = ({ name }: { name: string }) => name === 'llhttp';
		expect(components.filter(isEmbedded)).toMatchObject([
			{ purl: 'pkg:github/nodejs/llhttp@v9.3.0' },
		]);
		for (const { name, version } of components.filter((one) => !isEmbedded(one))) {
			const path = join(ROOT, 'node_modules', name, 'package.json');
			expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ name, version });
			expect(notices).toContain(`${name} ${version} (`);
		}
		expect(notices.match(/permission/gi)?.length).toBeGreaterThanOrEqual(names.length);
	});
});
