/** Counts the ledger's entries by their state, past the ledger itself. */
import { DatabaseSync } from 'node:sqlite';
import { Redis } from '../../../lib/vendor/ioredis';
import type { RedisServer } from '../redis';
import { KEY_PREFIX } from './ledgerClock';

/** Entries in SQLite of events that are being handed over. */
export function countClaimsInSqlite(file: string): number {
	const database = new DatabaseSync(file, { readOnly: true });
	try {
		const row = database.prepare('SELECT count(*) AS claims FROM entry WHERE state = 0').get();
		return Number(row?.['claims']);
	} finally {
		database.close();
	}
}

/** Entries of this kind in one Redis or in all nodes of a cluster. */
export async function countInRedis(
	kind: 'claimed' | 'begun',
	servers: readonly Pick<RedisServer, 'url'>[],
): Promise<number> {
	const counts = servers.map(async ({ url }) => {
		const client = new Redis(url);
		try {
			const keys = await client.keys(`${KEY_PREFIX}*`);
			const values = await Promise.all(keys.map((key) => client.get(key)));
			return values.filter((value) => value?.startsWith(kind === 'claimed' ? 'p:' : 'b:')).length;
		} finally {
			client.disconnect();
		}
	});
	return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
