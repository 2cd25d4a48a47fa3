/** Reads the ledger's entries directly in its store, and counts them by kind. */
import { ledgerKey } from '../../../lib/ledger';
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

/** The entry of an event, for a message. */
export async function entryInRedis(
	url: string,
	workflowId: string,
	eventId: string,
): Promise<string> {
	const key = `${KEY_PREFIX}${ledgerKey(workflowId, eventId)}`;
	const text = await withRedis(url, async (client) => await client.get(key));
	return JSON.stringify(decode(text ?? undefined) ?? 'no entry');
}
