/** The fields that the editor shows for each operation before its first execution match its output. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveOutputSchemaPath } from 'n8n-core';
import { AssetService } from '../../../nodes/AssetService/AssetService.node';
import { resources } from '../../../nodes/AssetService/resources';
import { operationSchemas } from '../../../scripts/schemas/operations';

const ROOT = join(__dirname, '../../..');
const NODE = join(ROOT, 'nodes/AssetService');

it('match the output of the operations with the simulator (otherwise: npm run docs:schemas)', async () => {
	const generated = await operationSchemas(new AssetService());
	const kept = readdirSync(join(NODE, '__schema__'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.json'))
		.map((file) => join('nodes/AssetService/__schema__', file));
	expect(kept.sort()).toEqual([...generated.keys()].sort());
	for (const [file, schema] of generated) {
		expect([file, JSON.parse(readFileSync(join(ROOT, file), 'utf8'))]).toEqual([
			file,
			{ ...schema, version: 1 },
		]);
	}
});

const operations = Object.entries(resources).flatMap(([resource, each]) =>
	Object.keys(each.operations).map((operation) => [resource, operation] as const),
);
const { version } = new AssetService().description;

it.each(operations)('n8n finds those of %s.%s', (resource, operation) => {
	const ref = { nodeDir: NODE, version: Number(version), resource, operation };
	expect(existsSync(resolveOutputSchemaPath(ref) ?? '')).toBe(true);
});
