/** Installing without a registry, and uninstalling: the commands of the docs, in a clone, and a fresh n8n. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCheckout } from '../support/checkout';
import { OWN_TYPES, ownTypes } from '../support/n8n/ownTypes';
import { createN8nClient } from '../support/n8n/rest';
import { startN8n } from '../support/n8n/server';
import { OWNER } from '../support/n8n/world';

/** The first time, n8n is installed. */
jest.setTimeout(25 * 60_000);

it('packs the package and installs the file, n8n has its nodes after the next start, and uninstalling removes it', async () => {
	const checkout = makeCheckout();
	const home = mkdtempSync(join(tmpdir(), 'asset-service-tarball-'));
	try {
		const textOf = (file: string) => readFileSync(join(checkout.folder, file), 'utf8');
		const readme = textOf('README.md');
		const [, commands = ''] = /```sh\n(npm pack [\s\S]*?)```/.exec(readme) ?? [];
		const { status, output } = checkout.run('env', `HOME=${home}`, 'sh', '-ec', commands);
		expect([status, output]).toEqual([0, expect.stringContaining('added 1 package')]);

		const server = await startN8n({ userFolder: home });
		try {
			const client = createN8nClient(server.url);
			await client.setUpOwner(OWNER);
			expect(await ownTypes(client)).toEqual(OWN_TYPES);
			// n8n knows nothing of a package from a file, so it does not uninstall it.
			await server.stop();
			await server.start({
				N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
				N8N_COMMUNITY_PACKAGES: '[]',
			});
			expect(server.logs()).toContain('communityPackagesManagedByEnv is enabled');
			expect(await ownTypes(client)).toEqual(OWN_TYPES);
		} finally {
			await server.kill();
		}
		const installed = join(home, '.n8n/nodes/node_modules/n8n-nodes-asset-service');
		expect(existsSync(installed)).toBe(true);
		const [, uninstall = ''] = /^ *(npm uninstall .*)$/m.exec(textOf('docs/run.md')) ?? [];
		expect(checkout.run('env', `HOME=${home}`, 'sh', '-ec', uninstall).status).toBe(0);
		expect(existsSync(installed)).toBe(false);
	} finally {
		rmSync(home, { recursive: true, force: true });
		checkout.remove();
	}
});
