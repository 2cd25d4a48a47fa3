/** `npm run dev`: a real n8n with the package and the simulator. After a source changes, the package is packed and installed and n8n restarted. */
import { watch } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackage, packPackage } from '../../test/support/n8n/package';
import { log, messageOf, runCommand } from '../command';
import { setStage } from '../demo/stage';

const ROOT = resolve(__dirname, '..', '..');
const WATCHED = ['credentials', 'nodes', 'n8n', 'lib'];
/** An editor can write several files at once. */
const SETTLE_MS = 300;

async function main(): Promise<void> {
	const stopping = new AbortController();
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => {
			stopping.abort();
		});
	}
	const stage = await setStage(log);
	const { world, simulator, endpoint } = stage;
	const changes = new Set<string>();
	const watchers = WATCHED.map((folder) =>
		watch(resolve(ROOT, folder), { recursive: true }, () => {
			changes.add(folder);
		}),
	);
	try {
		console.log(
			[
				'',
				`Editor     ${world.url}`,
				`Sign in    ${world.owner.email}  ${world.owner.password}`,
				`Service    ${simulator.baseUrl} (simulated)`,
				`An event   curl -X POST ${simulator.baseUrl}/_simulator/events`,
				`Webhook    ${endpoint.url}`,
				'',
				`Watching ${WATCHED.join(', ')}. Press Ctrl-C to stop and remove its data.`,
				'',
			].join('\n'),
		);
		while (!stopping.signal.aborted) {
			await sleep(SETTLE_MS);
			if (changes.size === 0) continue;
			changes.clear();
			try {
				await installPackage(await packPackage({ log }), world.userFolder);
				log('Starting n8n again ...');
				await world.restart();
				log('Ready.');
			} catch (error) {
				log(messageOf(error));
			}
		}
	} finally {
		for (const watcher of watchers) watcher.close();
		log('Stopping ...');
		await stage.stop();
	}
}

runCommand(main);
