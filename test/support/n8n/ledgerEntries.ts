/** Counts the ledger's entries by state, directly in its store. */
import { type RedisServer, withRedis } from '../redis';
import { withDatabase } from '../sqlite';
import { KEY_PREFIX } from './ledgerClock';

/** Entries in SQLite for events that are being handed over. */
export function countClaimsInSqlite(file: string): number {
	return withDatabase(file, (database) => {
		const row = database.prepare('SELECT count(*) AS claims FROM entry WHERE state = 0').get();
		return Number(row?.['claims']);
	});
}

/** Entries of this kind in one Redis or in all nodes of a cluster. */
export async function countInRedis(
	kind: 'claimed' | 'begun',
	servers: readonly Pick<RedisServer, 'url'>[],
): Promise<number> {
	const counts = servers.map(({ url }) =>
		withRedis(url, async (client) => {
			const keys = await client.keys(`${KEY_PREFIX}*`);
			const values = await Promise.all(keys.map((key) => client.get(key)));
			return values.filter((value) => value?.startsWith(kind === 'claimed' ? 'p:' : 'b:')).length;
		}),
	);
	return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
