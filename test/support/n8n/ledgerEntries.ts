/** Counts the ledger's entries by kind, directly in its store. */
import { decode, type Entry } from '../../../lib/ledger/life/entry';
import { type RedisServer, withRedis } from '../redis';
import { withDatabase } from '../sqlite';
import { KEY_PREFIX } from './ledgerClock';

const countOf = (kind: Entry['kind'], texts: readonly unknown[]): number =>
	texts.filter((text) => decode(String(text))?.kind === kind).length;

/** Entries in SQLite for events that are being handed over. */
export function countClaimsInSqlite(file: string): number {
	return withDatabase(file, (database) => {
		const rows = database.prepare('SELECT text FROM entry').all();
		return countOf(
			'pending',
			rows.map(({ text }) => text),
		);
	});
}

/** Entries of this kind in one Redis or in all nodes of a cluster. */
export async function countInRedis(
	kind: Entry['kind'],
	servers: readonly Pick<RedisServer, 'url'>[],
): Promise<number> {
	const counts = servers.map(({ url }) =>
		withRedis(url, async (client) => {
			const keys = await client.keys(`${KEY_PREFIX}*`);
			return countOf(kind, await Promise.all(keys.map((key) => client.get(key))));
		}),
	);
	return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
