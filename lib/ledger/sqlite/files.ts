/** The files of the SQLite ledger on the disk: made, told apart, closed to others and synced. */
import {
	chmodSync,
	closeSync,
	fdatasync,
	mkdirSync,
	openSync,
	realpathSync,
	statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { printable } from '../../shared/printable';
import { errorField, LedgerUnavailableError } from '../common/errors';

/** An open file, of which only this is needed: to bring what was written to it to the disk. */
export interface SyncedFile {
	datasync(): Promise<void>;
	close(): void;
}

/** The file itself: SQLite keeps its log beside that. */
export function withoutLinks(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// It is missing, and opening it says so.
		return path;
	}
}

/** The write-ahead log of a database file. */
export function logOf(path: string): string {
	return `${path}-wal`;
}

const datasync = promisify(fdatasync);

export function openSyncedFile(path: string): SyncedFile {
	const file = openSync(path, 'r+');
	return {
		datasync: () => datasync(file),
		close: () => {
			closeSync(file);
		},
	};
}

/** Changes whenever somebody writes to the database. */
export function progressAt(path: string): string {
	const of = (file: string) => {
		const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
		return stats && `${stats.mtimeNs}:${stats.size}`;
	};
	return `${of(path)} ${of(logOf(withoutLinks(path)))}`;
}

/** Makes the file and its folder when they are missing, readable by the owner alone. Throws for a link that leads nowhere. */
export function createFile(path: string): void {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	try {
		// Only when there is none: closing any handle of a file that SQLite has open drops SQLite's locks.
		closeSync(openSync(path, 'ax', 0o600));
	} catch (error) {
		if (errorField(error, 'code') !== 'EEXIST') throw error;
		if (statSync(path, { throwIfNoEntry: false })) return;
		throw new LedgerUnavailableError(
			`The event ledger is not available. ${printable(path, 500)} is a symbolic link to a file that does not exist: remove the link or correct it, or set ASSET_SERVICE_LEDGER_SQLITE_PATH to a file elsewhere.`,
			{ cause: error },
		);
	}
}

/** A ledger that was copied into its place may be readable by everybody, and SQLite gives the files beside it the same mode. */
export function closeToOthers(path: string): void {
	for (const file of [path, logOf(path), `${path}-shm`]) {
		try {
			chmodSync(file, 0o600);
		} catch {
			// It is another user's, or missing: using it says what is wrong.
		}
	}
}

/** Tells a file from one that has taken its place; undefined when there is none. */
export function identityOf(path: string): string | undefined {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats && `${stats.dev}:${stats.ino}`;
}
