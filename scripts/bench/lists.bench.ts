/**
 * Lists a hundred thousand assets with this package and with n8n's HTTP Request node with pagination, alternating on one
 * n8n instance. Measures CPU and peak memory of n8n's process. `npx tsx scripts/bench/lists.bench.ts [--assets 100000]`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { startSimulator } from '../../simulator';
import { apiCredential } from '../../test/support/n8n/credentials';
import { createWorld, type World } from '../../test/support/n8n/world';
import { assetList, baseNode, httpRequest, webhook } from '../../test/support/nodes';
import type { NodePlan } from '../../test/support/workflow';
import { cpuMs, post, publish, runsToEnd } from './load';
import { median } from './median';

const ROUNDS = 3;
const PAGE = 100;

const { assets } = new Command('npx tsx scripts/bench/lists.bench.ts')
	.option('--assets <count>', 'number of assets', '100000')
	.parse()
	.opts<{ assets: string }>();

async function main(): Promise<void> {
	const service = await startSimulator({ assets: Number(assets) });
	const world = await createWorld({ log: console.error });
	try {
		const credential = await world.client.createCredential(apiCredential(service));
		const ours = assetList(credential, { returnAll: true, simplify: false });
		const theirs: NodePlan = {
			...httpRequest(`${service.baseUrl}/asset-management/v1/assets`, {
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'assetServiceApi',
				sendQuery: true,
				queryParameters: { parameters: [{ name: 'limit', value: String(PAGE) }] },
				options: { pagination: { pagination: PAGINATION } },
			}),
			credentials: [credential],
		};
		const splitOut = baseNode('splitOut', 1, { fieldToSplitOut: 'data.items', options: {} });
		const lists = {
			'this package': await listing(world, { List: ours }),
			'HTTP Request, one item per page': await listing(world, { List: theirs }),
			'HTTP Request and Split Out': await listing(world, { List: theirs, 'Split Out': splitOut }),
		};
		const spent = Object.values(lists).map(() => ({ cpu: [] as number[], peak: [] as number[] }));
		for (let round = 0; round < ROUNDS; round++) {
			for (const [n, url] of Object.values(lists).entries()) {
				await runsToEnd(world);
				const { cpu, peak } = await measure(world.server.pid, url);
				spent[n]?.cpu.push(cpu);
				spent[n]?.peak.push(peak);
			}
		}
		console.log(`\n${assets} assets, ${PAGE} per page; median of ${ROUNDS} rounds`);
		console.table(
			Object.keys(lists).map((name, n) => ({
				name,
				'CPU (s)': (median(spent[n]?.cpu ?? []) / 1_000).toFixed(1),
				'peak memory (MB)': Math.round(median(spent[n]?.peak ?? [])),
			})),
		);
	} finally {
		await world.dispose();
		await service.stop();
	}
}

/** As n8n's documentation shows it for a cursor in the response. */
const PAGINATION = {
	paginationMode: 'updateAParameterInEachRequest',
	parameters: {
		parameters: [
			{ type: 'qs', name: 'startingAfter', value: '={{ $response.body.data.items.at(-1)?.id }}' },
		],
	},
	paginationCompleteWhen: 'other',
	completeExpression: '={{ !$response.body.data.hasMore }}',
	limitPagesFetched: false,
};

/** A workflow that lists when called, responds when done and saves nothing. */
async function listing(world: World, steps: Readonly<Record<string, NodePlan>>): Promise<string> {
	const one = baseNode('limit', 1, { maxItems: 1 });
	const keepNothing = { saveDataSuccessExecution: 'none' };
	return await publish(
		world,
		webhook({ responseMode: 'lastNode' }),
		{ ...steps, One: one },
		keepNothing,
	);
}

/** CPU in milliseconds, and peak memory in MB. */
async function measure(pid: number, url: string): Promise<{ cpu: number; peak: number }> {
	// Resets Linux's peak, see proc_pid_clear_refs(5).
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
	const before = cpuMs(pid);
	await post(url, '{}', {});
	const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
	return { cpu: cpuMs(pid) - before, peak: Number(peak) / 1024 };
}

void main();
