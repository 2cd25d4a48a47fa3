/** Lets one process at a time do some work on this host, and frees the lock when its holder dies. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { waitFor } from './wait';

/** SQLite's result code for a file that another process has locked. */
const SQLITE_BUSY = 5;

/**
 * Runs `work` while holding the lock `file` (created if missing, never removed).
 * The lock is the operating system's lock on an SQLite file, so a killed process leaves none behind.
 * Throws if it is not free within `timeoutMs` (20 minutes).
 */
export async function withLock<T>(
	file: string,
	work: () => Promise<T>,
	options: { readonly onWait?: () => void; readonly timeoutMs?: number } = {},
): Promise<T> {
	mkdirSync(dirname(file), { recursive: true });
	const database = new DatabaseSync(file);
	let told = false;
	try {
		await waitFor(
			() => {
				if (tryLock(database)) return true;
				if (!told) options.onWait?.();
				told = true;
				return undefined;
			},
			{
				what: `the lock ${file}, which another process holds`,
				timeoutMs: options.timeoutMs ?? 20 * 60_000,
				everyMs: 500,
			},
		);
		return await work();
	} finally {
		database.close();
	}
}

function tryLock(database: DatabaseSync): boolean {
	try {
		database.exec('BEGIN EXCLUSIVE');
		return true;
	} catch (error) {
		if ((error as { errcode?: unknown }).errcode === SQLITE_BUSY) return false;
		throw error;
	}
}
