/** Builds and packs this package, and installs it into an n8n user folder in the same steps as n8n's own installer. */
import { createHash } from 'node:crypto';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod/v4';
import { cacheFolder } from '../cache';
import { withLock } from '../lock';
import type { Log } from '../log';
import { npm, run } from './npm';

const ROOT = resolve(__dirname, '..', '..', '..');

/** The build uses all files of the checkout except these. */
const NOT_BUILT = new Set([
	'.git',
	'.ci',
	'.github',
	'node_modules',
	'dist',
	'coverage',
	'simulator',
	'test',
	'scripts',
]);

/** A pack that is unused for this long is removed, in milliseconds. */
const KEEP_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns the path of the packed package (.tgz): `$ASSET_SERVICE_PACKAGE` if set, otherwise a pack of the current
 * sources, built unless the same sources were packed before. The build works on a copy, so it does not disturb `dist`
 * or another build. Throws with the end of the output of the failed step.
 */
export async function packPackage({ log }: { readonly log: Log }): Promise<string> {
	const ready = process.env.ASSET_SERVICE_PACKAGE;
	if (ready) {
		if (!existsSync(ready))
			throw new Error(`ASSET_SERVICE_PACKAGE names ${ready}, which does not exist.`);
		return resolve(ready);
	}
	const folder = join(cacheFolder(), 'packages');
	const packOnce = (): Promise<string> =>
		withCopy(async (copy) => {
			const target = join(folder, `${fingerprint(copy)}.tgz`);
			if (!existsSync(target)) {
				log('Building and packing the package ...');
				renameSync(await build(copy, folder), target);
			}
			touch(target);
			removeUnused(folder);
			return target;
		});
	return await withLock(join(folder, 'build.lock'), packOnce, {
		onWait: () => {
			log('Another process is packing the package; waiting for it ...');
		},
	});
}

/** Always builds and packs the current sources into the folder; returns the path of the pack. */
export async function buildPackage(destination: string): Promise<string> {
	mkdirSync(destination, { recursive: true });
	return await withCopy((copy) => build(copy, destination));
}

/** Runs `work` with a copy of all files that a build reads. */
async function withCopy<T>(work: (copy: string) => Promise<T>): Promise<T> {
	const copy = mkdtempSync(join(tmpdir(), 'asset-service-build-'));
	try {
		for (const entry of readdirSync(ROOT)) {
			if (!NOT_BUILT.has(entry)) cpSync(join(ROOT, entry), join(copy, entry), { recursive: true });
		}
		return await work(copy);
	} finally {
		rmSync(copy, { recursive: true, force: true });
	}
}

/** A hash of every file's path and content, including the lock file of the build tools. */
function fingerprint(folder: string): string {
	const hash = createHash('sha256');
	for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
		const path = join(folder, file);
		if (!statSync(path).isFile()) continue;
		const content = readFileSync(path);
		hash.update(`${file}\0${content.length}\0`).update(content);
	}
	return hash.digest('hex').slice(0, 16);
}

const PackAnswer = z.array(z.object({ filename: z.string() })).length(1);

async function build(copy: string, destination: string): Promise<string> {
	const modules = join(ROOT, 'node_modules');
	// Windows lets every user create a junction.
	symlinkSync(modules, join(copy, 'node_modules'), 'junction');
	await run(process.execPath, [join(modules, 'gulp', 'bin', 'gulp.js'), '--silent'], { cwd: copy });
	const answer = await npm(
		['pack', '--json', '--ignore-scripts', `--pack-destination=${destination}`],
		{
			cwd: copy,
		},
	);
	const [packed] = PackAnswer.parse(JSON.parse(answer));
	if (!packed) throw new Error('npm pack named no file.');
	return join(destination, packed.filename);
}

function touch(file: string): void {
	const now = new Date();
	utimesSync(file, now, now);
}

function removeUnused(folder: string): void {
	for (const name of readdirSync(folder)) {
		const file = join(folder, name);
		if (name.endsWith('.tgz') && Date.now() - statSync(file).mtimeMs > KEEP_MS)
			rmSync(file, { force: true });
	}
}

const Manifest = z.looseObject({ name: z.string(), version: z.string() });

/**
 * Installs a pack as n8n does when an owner adds a community package: unpacks it into `.n8n/nodes/node_modules`,
 * removes development and peer dependencies, runs `npm install` inside it and notes its version next to it
 * (n8n 2.41, CommunityPackagesService.downloadPackage).
 */
export async function installPackage(tgz: string, userFolder: string): Promise<void> {
	const nodes = join(userFolder, '.n8n', 'nodes');
	const unpacked = join(nodes, 'unpacked');
	mkdirSync(unpacked, { recursive: true });
	await run('tar', ['-xzf', tgz, '-C', unpacked, '--strip-components=1'], { cwd: nodes });

	const manifestFile = join(unpacked, 'package.json');
	const manifest = Manifest.parse(JSON.parse(readFileSync(manifestFile, 'utf8')));
	const notWanted = ['devDependencies', 'peerDependencies', 'optionalDependencies'];
	const stripped = Object.entries(manifest).filter(([key]) => !notWanted.includes(key));
	writeJson(manifestFile, Object.fromEntries(stripped));

	const folder = join(nodes, 'node_modules', manifest.name);
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(join(folder, '..'), { recursive: true });
	renameSync(unpacked, folder);
	await npm(
		[
			'install',
			'--bin-links=false',
			'--install-strategy=shallow',
			'--ignore-scripts',
			'--package-lock=false',
		],
		{ cwd: folder },
	);
	writeJson(join(nodes, 'package.json'), {
		name: 'installed-nodes',
		private: true,
		dependencies: { [manifest.name]: manifest.version },
	});
}

function writeJson(file: string, content: unknown): void {
	writeFileSync(file, JSON.stringify(content, null, 2));
}
