/** Lets hours and days pass for the ledger while the test takes seconds: moves every entry closer to its end. */
import { join } from 'node:path';
import { decode, encode } from '../../../lib/ledger/life/entry';
import { withRedis } from '../redis';
import { withDatabase } from '../sqlite';

/** Prefix of the keys of entries. */
export const KEY_PREFIX = 'asset-service:ledger:';

/** A redelivery can start a stored event that has not begun by then. */
export const GRACE_MS = 15 * 60_000;

/** The ledger file of an n8n that is not in queue mode. */
export function ledgerFile(userFolder: string): string {
	return join(userFolder, '.n8n', 'asset-service-ledger.sqlite');
}

/** The text of an entry as it was written so many milliseconds earlier; undefined for another text. */
function earlier(text: string | null, ms: number): string | undefined {
	const entry = decode(text ?? undefined);
	return entry && encode({ ...entry, at: Math.max(0, entry.at - Math.round(ms)) });
}

/** For a ledger in SQLite, whether n8n is running or not. */
export function passTimeInSqlite(file: string, ms: number): void {
	withDatabase(file, (database) => {
		database.function('earlier', (text) => earlier(String(text), ms) ?? null);
		database
			.prepare('UPDATE entry SET expires = expires - :ms, text = coalesce(earlier(text), text)')
			.run({ ms: Math.round(ms) });
	});
}

/** For a ledger in Redis. */
export async function passTimeInRedis(url: string, ms: number): Promise<void> {
	await withRedis(url, async (client) => {
		for (const key of await client.keys(`${KEY_PREFIX}*`)) {
			const text = earlier(await client.get(key), ms);
			const left = (await client.pttl(key)) - Math.round(ms);
			if (text === undefined) continue;
			if (left > 0) await client.set(key, text, 'PX', left);
			else await client.del(key);
		}
	});
}
