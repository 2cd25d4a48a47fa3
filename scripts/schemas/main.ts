/** `npm run docs:schemas`: writes the schemas of the action node's output and the sample events, both from the simulator. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { runCommand } from '../command';
import { operationSchemas } from './operations';
import { SAMPLES_PAGE, samplesPage } from './sampleEvents';

/** By its whole name: tsx takes `AssetService.node.json` for it otherwise. */
const NODE = '../../nodes/AssetService/AssetService.node.ts';

const ROOT = resolve(__dirname, '..', '..');

runCommand(async () => {
	const { AssetService } = (await import(
		NODE
	)) as typeof import('../../nodes/AssetService/AssetService.node');
	rmSync(resolve(ROOT, 'nodes/AssetService/__schema__'), { recursive: true, force: true });
	for (const [file, schema] of await operationSchemas(new AssetService())) {
		const path = resolve(ROOT, file);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, `${JSON.stringify({ ...schema, version: 1 }, null, 2)}\n`);
		console.log(file);
	}
	writeFileSync(resolve(ROOT, SAMPLES_PAGE), samplesPage());
	console.log(SAMPLES_PAGE);
});
