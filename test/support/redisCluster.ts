/** A real Redis cluster of several nodes on 127.0.0.1, each with its share of the slots and without replicas. */
import { type RedisServer, startRedis, withRedis } from './redis';
import { waitFor } from './wait';

const SLOTS = 16_384;
/** With fewer nodes, they cannot agree that one is down. */
const NODES = 3;

interface RedisCluster {
	readonly nodes: readonly RedisServer[];
	/** As `QUEUE_BULL_REDIS_CLUSTER_NODES` names them. */
	readonly addresses: string;
	/** Resolves when every node reports that the cluster is up and all slots are served. */
	untilUp(): Promise<void>;
	remove(): Promise<void>;
}

/** While a node is down, the others still serve their slots. */
export async function startRedisCluster(): Promise<RedisCluster> {
	const nodes: RedisServer[] = [];
	const cluster: RedisCluster = {
		nodes,
		get addresses() {
			return nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
		},
		async untilUp() {
			await Promise.all(nodes.map(untilUp));
		},
		async remove() {
			for (const node of nodes) await node.remove();
		},
	};
	try {
		while (nodes.length < NODES) nodes.push(await startNode());
		await Promise.all(nodes.map(assignSlots));
		await Promise.all(nodes.map((node) => meet(node, nodes)));
		await cluster.untilUp();
	} catch (error) {
		await cluster.remove();
		throw error;
	}
	return cluster;
}

async function startNode(): Promise<RedisServer> {
	return await startRedis({
		appendOnly: true,
		cluster: 'node',
		args: ['--cluster-require-full-coverage', 'no', '--cluster-node-timeout', '10000'],
	});
}

async function assignSlots(node: RedisServer, index: number): Promise<void> {
	const first = (n: number): number => Math.floor((n * SLOTS) / NODES);
	await withRedis(node.url, (client) =>
		client.cluster('ADDSLOTSRANGE', first(index), first(index + 1) - 1),
	);
}

async function meet(node: RedisServer, nodes: readonly RedisServer[]): Promise<void> {
	await withRedis(node.url, async (client) => {
		for (const { port, busPort } of nodes) {
			if (port !== node.port) await client.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
		}
	});
}

async function untilUp(node: RedisServer): Promise<void> {
	const isUp = (info: string): boolean =>
		info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${SLOTS}`);
	await withRedis(node.url, (client) =>
		waitFor(async () => isUp(await client.cluster('INFO')), {
			what: 'every node to know all slots',
			everyMs: 50,
		}),
	);
}
