/** Checks of the Docker example that need no Docker: its commands put the package where n8n looks, and n8n reads its settings. */
import { execFileSync, spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { scanDirectoryForPackages } from 'n8n-core';
import { z } from 'zod/v4';
import { silent } from '../support/log';
import { ensureN8n } from '../support/n8n/install';
import { OWN_TYPES, ownTypes } from '../support/n8n/ownTypes';
import { packPackage } from '../support/n8n/package';
import { createN8nClient } from '../support/n8n/rest';
import { startN8n } from '../support/n8n/server';
import { OWNER } from '../support/n8n/world';

/** The first time, n8n is installed. */
jest.setTimeout(25 * 60_000);
const EXAMPLE = join(__dirname, '..', '..', 'examples', 'docker');
const dockerfile = readFileSync(join(EXAMPLE, 'Dockerfile'), 'utf8');
const compose = readFileSync(join(EXAMPLE, 'compose.yaml'), 'utf8');

const lineOf = (word: string): string =>
	new RegExp(`^${word} (.*)$`, 'm').exec(dockerfile)?.[1] ?? '';

let home: string;

beforeAll(() => {
	home = mkdtempSync(join(tmpdir(), 'asset-service-image-'));
});
afterAll(() => {
	rmSync(home, { recursive: true, force: true });
});

it('the image has the package where n8n looks, at each start and whatever is on the volume', async () => {
	const install = lineOf('RUN')
		.replace('/home/node', home)
		.replace(/\/opt\/\S+\.tgz/, await packPackage({ log: silent }));
	execFileSync('sh', ['-c', install], { stdio: 'pipe' });
	const [, , ...entrypoint] = z.array(z.string()).parse(JSON.parse(lineOf('ENTRYPOINT')));
	// The stand-in for the entrypoint of n8n's own image prints how it was called.
	const original = join(home, 'docker-entrypoint.sh');
	writeFileSync(original, '#!/bin/sh\necho "called with $*"\n', { mode: 0o755 });
	const [shell = '', ...args] = entrypoint.map((part) =>
		part.replace('/docker-entrypoint.sh', original),
	);
	const env = { PATH: process.env.PATH, HOME: home };
	for (const volume of ['empty', 'used']) {
		const said = execFileSync(shell, [...args, 'worker'], { env, encoding: 'utf8' });
		expect([volume, said]).toEqual([volume, 'called with worker\n']);
	}
	const modules = join(home, '.n8n', 'nodes', 'node_modules');
	// On the volume is only a link, which an uninstallation has to remove.
	expect(lstatSync(join(modules, 'n8n-nodes-asset-service')).isSymbolicLink()).toBe(true);
	const loaders = await scanDirectoryForPackages(modules);
	expect(loaders.map(({ packageName }) => packageName)).toEqual(['n8n-nodes-asset-service']);
	// n8n includes n8n-workflow; a second copy in the image would not be n8n's own.
	expect(readdirSync(join(home, 'packages', 'node_modules'))).not.toContain('n8n-workflow');
});

it('n8n starts with what the image has, with its nodes, and is healthy by the command of the compose file until it stops', async () => {
	const [, script = ''] = /^ +- "(fetch\(.*)"$/m.exec(compose) ?? [];
	const server = await startN8n({ userFolder: home });
	const health = () => {
		const command = script.replace('localhost:5678', `127.0.0.1:${server.port}`);
		return spawnSync(process.execPath, ['--eval', command], { encoding: 'utf8' });
	};
	try {
		const client = createN8nClient(server.url);
		await client.setUpOwner(OWNER);
		expect(await ownTypes(client)).toEqual(OWN_TYPES);
		expect(health()).toMatchObject({ status: 0, stderr: '' });
	} finally {
		await server.stop();
	}
	expect(health()).toMatchObject({ status: 1, stderr: '' });
});

it('n8n reads every setting of the compose file', async () => {
	const modules = join(dirname(await ensureN8n({ log: silent })), '..', '..');
	const folders = ['@n8n/config/dist', 'n8n/dist/modules/community-packages'];
	const known = folders.map((folder) => textBelow(join(modules, folder))).join('\n');
	const names = [...compose.matchAll(/^ +((?:N8N|EXECUTIONS|QUEUE|DB)_[A-Z0-9_]+):/gm)];
	expect(names.length).toBeGreaterThan(10);
	const unknown = names.filter(([, name = '']) => !known.includes(`'${name}'`));
	expect(unknown.map(([, name]) => name)).toEqual([]);
});

function textBelow(folder: string): string {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const scripts = files.filter((file) => file.endsWith('.js'));
	return scripts.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
}
