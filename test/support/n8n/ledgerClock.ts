/** Lets hours and days pass for the ledger while the test takes seconds: moves every entry closer to its end. */
import { join } from 'node:path';
import { decode, encode, type Entry } from '../../../lib/ledger/life/entry';
import { withRedis } from '../redis';
import { withDatabase } from '../sqlite';

/** Prefix of the keys of entries. */
export const KEY_PREFIX = 'asset-service:ledger:';

/** A redelivery can start a stored event that has not begun by then. */
export const GRACE_MS = 15 * 60_000;
/** The same after any number of claims: each doubles it, up to this. */
export const LONGEST_GRACE_MS = 240 * 60_000;

/** The ledger file of an n8n that is not in queue mode. */
export function ledgerFile(userFolder: string): string {
	return join(userFolder, '.n8n', 'asset-service-ledger.sqlite');
}

/** The text of an entry as it was written so many milliseconds earlier; undefined for another text. */
function earlier(text: string | null, ms: number): string | undefined {
	const entry = decode(text ?? undefined);
	return entry && encode({ ...entry, at: Math.max(0, entry.at - Math.round(ms)) });
}

/** The times that a test file has let pass, each with the moment in Unix milliseconds. */
export const passed: { readonly at: number; readonly ms: number }[] = [];

interface Passing {
	/** Whether entries expire, as they do in that time; true by default. Not where a test lets time pass again and again. */
	readonly expires?: boolean;
	/** Only for entries of this kind; for all by default. */
	readonly only?: Entry['kind'];
}

/** For a ledger in SQLite, whether n8n is running or not. */
export function passTimeInSqlite(
	file: string,
	ms: number,
	{ expires = true }: Omit<Passing, 'only'> = {},
): void {
	passed.push({ at: Date.now(), ms });
	withDatabase(file, (database) => {
		database.function('earlier', (text) => earlier(String(text), ms) ?? null);
		database
			.prepare('UPDATE entry SET expires = expires - :ms, text = coalesce(earlier(text), text)')
			.run({ ms: expires ? Math.round(ms) : 0 });
	});
}

/** Replaces a text unless n8n has written another one in the meantime. ARGV: expected, next, and by how much it expires earlier. */
const AGE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return end
local left = redis.call('PTTL', KEYS[1]) - ARGV[3]
if left > 0 then redis.call('SET', KEYS[1], ARGV[2], 'PX', left) else redis.call('DEL', KEYS[1]) end`;

/** For a ledger in Redis. */
export async function passTimeInRedis(
	url: string,
	ms: number,
	{ expires = true, only }: Passing = {},
): Promise<void> {
	passed.push({ at: Date.now(), ms });
	await withRedis(url, async (client) => {
		for (const key of await client.keys(`${KEY_PREFIX}*`)) {
			const text = await client.get(key);
			const aged = earlier(text, ms);
			if (text === null || aged === undefined) continue;
			if (only !== undefined && decode(text)?.kind !== only) continue;
			await client.eval(AGE, 1, key, text, aged, expires ? Math.round(ms) : 0);
		}
	});
}
