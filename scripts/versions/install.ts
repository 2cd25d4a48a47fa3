/** Installs any version of n8n into the cache folder, once, without a lock file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import type { Log } from '../../test/support/log';
import { ensureN8n, installOnce } from '../../test/support/n8n/install';

const SERVER = join(__dirname, '..', '..', 'test', 'support', 'n8n', 'server', 'package.json');

const Server = z.object({
	dependencies: z.object({ n8n: z.string() }),
	overrides: z.record(z.string(), z.string()),
});

/** Older versions get this one from a host that is not an npm registry. */
const FURTHER_OVERRIDES = { xlsx: 'npm:@e965/xlsx@0.20.3' };

/**
 * Returns n8n's start file. The version of the end-to-end tests is installed as there, with its lock file. If a version
 * cannot be installed, such as one with a package missing from the registry, throws with the end of npm's output.
 */
export async function installVersion(version: string, log: Log): Promise<string> {
	const { dependencies, overrides } = Server.parse(JSON.parse(readFileSync(SERVER, 'utf8')));
	if (version === dependencies.n8n) return await ensureN8n({ log });

	const manifest = {
		private: true,
		dependencies: { n8n: version },
		overrides: { ...overrides, ...FURTHER_OVERRIDES },
	};
	return await installOnce({
		name: `n8n-${version}`,
		title: 'once, 2.5 GB',
		prepare(folder) {
			writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
		},
		install: ['install', '--ignore-scripts', '--no-package-lock'],
		log,
	});
}
