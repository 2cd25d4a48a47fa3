/** Lets hours and days pass for the ledger while the test takes seconds: moves every entry closer to its end. */
import { join } from 'node:path';
import { withRedis } from '../redis';
import { withDatabase } from '../sqlite';

/** Prefix of the keys of entries. */
export const KEY_PREFIX = 'asset-service:ledger:';

/** A copy can start a stored event that has not begun by then. */
export const GRACE_MS = 15 * 60_000;

/** The ledger file of an n8n that is not in queue mode. */
export function ledgerFile(userFolder: string): string {
	return join(userFolder, '.n8n', 'asset-service-ledger.sqlite');
}

/** For a ledger in SQLite, whether n8n is running or not. */
export function passTimeInSqlite(file: string, ms: number): void {
	withDatabase(file, (database) => {
		database
			.prepare('UPDATE entry SET expires = expires - :ms, due = due - :ms')
			.run({ ms: Math.round(ms) });
	});
}

/** For a ledger in Redis, where every time of an entry is relative to the end of its retention. */
export async function passTimeInRedis(url: string, ms: number): Promise<void> {
	await withRedis(url, async (client) => {
		for (const key of await client.keys(`${KEY_PREFIX}*`)) {
			const left = await client.pttl(key);
			if (left >= 0) await client.pexpire(key, left - Math.round(ms));
		}
	});
}
