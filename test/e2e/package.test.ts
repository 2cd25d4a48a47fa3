/** The package as published: complete, with nothing else in it, loadable by n8n, and identical in every build. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LazyPackageDirectoryLoader } from 'n8n-core';
import { z } from 'zod/v4';
import { buildPackage, installPackage } from '../support/n8n/package';

const MINUTES = 60_000;
jest.setTimeout(5 * MINUTES);

const ROOT = resolve(__dirname, '..', '..');

const ALLOWED = [
	/^(package\.json|index\.js|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE)$/,
	/^docs\/[a-z0-9-]+\.md$/,
	/^examples\/([a-z-]+\.json|docker\/(Dockerfile|compose\.yaml))$/,
	/^dist\/(THIRD-PARTY-NOTICES|sbom\.cdx\.json)$/,
	/^dist\/(known|types|methods)\/\w+\.json$/,
	/^dist\/(credentials|nodes|n8n|lib)\/[\w./-]+\.js$/,
	/^dist\/(credentials|nodes)\/[\w/]+(\.dark)?\.svg$/,
	/^dist\/nodes\/\w+\/\w+\.node\.json$/,
	/^dist\/nodes\/\w+\/__schema__\/v[\d.]+\/\w+\/\w+\.json$/,
];

let folder: string;
let tgz: string;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'asset-service-package-'));
	tgz = await buildPackage(join(folder, 'first'));
	execFileSync('tar', ['-xzf', tgz, '-C', folder]);
});
afterAll(() => {
	rmSync(folder, { recursive: true, force: true });
});

const packed = (file: string): string => readFileSync(join(folder, 'package', file), 'utf8');

it('contains what is published, and nothing else', () => {
	const files = execFileSync('tar', ['-tzf', tgz], { encoding: 'utf8' })
		.trim()
		.split('\n')
		.map((file) => file.replace(/^package\//, ''));
	expect(files.filter((file) => !ALLOWED.some((allowed) => allowed.test(file)))).toEqual([]);
	expect(files.length).toBeGreaterThan(100);
});

it('has no dead link in its README', () => {
	const links = [...packed('README.md').matchAll(/(?:\]\(|src=")(\.\/[^)"#]+)/g)].map(
		([, link = '']) => link,
	);
	expect(links.length).toBeGreaterThan(3);
	// The package contains no pictures: npm's page gets them from the repository.
	const home = (link: string) =>
		link.startsWith('./docs/pictures/') ? ROOT : join(folder, 'package');
	expect(links.filter((link) => !existsSync(join(home(link), link)))).toEqual([]);
});

it('names every bundled package with its licence, in the notices and in the bill of materials', () => {
	const Bom = z.object({
		components: z.array(z.object({ name: z.string(), version: z.string() })),
	});
	const { components } = Bom.parse(JSON.parse(packed('dist/sbom.cdx.json')));
	const names = components.map(({ name }) => name);
	expect(names).toEqual(expect.arrayContaining(['ioredis', 'undici', 'zod']));
	const notices = packed('dist/THIRD-PARTY-NOTICES');
	for (const { name, version } of components) expect(notices).toContain(`${name} ${version} (`);
	expect(notices).toContain('Apache License');
});

it('is described to n8n’s own loader, which loads a node when it is used', async () => {
	const userFolder = join(folder, 'user');
	await installPackage(tgz, userFolder);
	const modules = join(userFolder, '.n8n', 'nodes', 'node_modules');
	// Provided by n8n itself.
	symlinkSync(resolve('node_modules', 'n8n-workflow'), join(modules, 'n8n-workflow'));
	const loader = new LazyPackageDirectoryLoader(join(modules, 'n8n-nodes-asset-service'));
	await loader.loadAll();
	expect(loader.isLazyLoaded).toBe(true);
	const { type } = loader.getNode('assetService');
	expect('description' in type && type.description.displayName).toBe('Asset Service');
	expect(Object.keys(loader.known.nodes).sort()).toEqual([
		'assetService',
		'assetServicePollTrigger',
		'assetServiceStationTrigger',
		'assetServiceTrigger',
	]);
	expect(Object.keys(loader.known.credentials).sort()).toEqual([
		'assetServiceApi',
		'assetServiceSigningSecretApi',
	]);
});

it('is installed by the command of the README, without any other package', () => {
	const [, command = ''] = /^(npm install --prefix .*)$/m.exec(packed('README.md')) ?? [];
	const home = join(folder, 'home');
	const installed = join(home, '.n8n', 'nodes', 'node_modules');
	execFileSync('sh', ['-c', command.replace(/~\/n8n-nodes-asset-service-\S+\.tgz/, tgz)], {
		env: { ...process.env, HOME: home },
		stdio: 'pipe',
	});
	// n8n's own code uses its copy of n8n-workflow; a second copy would not be the same.
	expect(readdirSync(installed).filter((name) => !name.startsWith('.'))).toEqual([
		'n8n-nodes-asset-service',
	]);
});

it('finds the file of the thread that works on the ledger in SQLite', () => {
	const lib = join(folder, 'package', 'dist', 'lib');
	const program = `
		const threads = require('node:worker_threads');
		const started = [];
		threads.Worker = class extends threads.Worker {
			constructor(file, options) {
				started.push(file, options.workerData.file);
				super(file, options);
			}
		};
		const { ledgerKey, openLedger } = require(process.argv[1]);
		openLedger({ log: () => undefined }).then(async (ledger) => {
			const { state } = await ledger.claim(ledgerKey('workflow', 'event'));
			await ledger.close();
			process.stdout.write(JSON.stringify({ state, started }));
		});`;
	const output = execFileSync(process.execPath, ['-e', program, join(lib, 'ledger')], {
		env: { ...process.env, ASSET_SERVICE_LEDGER_SQLITE_PATH: join(folder, 'ledger.sqlite') },
		encoding: 'utf8',
	});
	expect(JSON.parse(output)).toEqual({
		state: 'claimed',
		started: [
			join(lib, 'shared', 'threadEntry.js'),
			join(lib, 'ledger', 'sqlite', 'ledgerFile.js'),
		],
	});
});

it('is identical, byte for byte, in a second build', async () => {
	const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
	expect(hash(await buildPackage(join(folder, 'second')))).toBe(hash(tgz));
});
