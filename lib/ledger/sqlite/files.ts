/** The files of the SQLite ledger on disk: creates, identifies, protects and syncs them. */
import {
	accessSync,
	chmodSync,
	closeSync,
	constants,
	existsSync,
	fdatasync,
	fstatSync,
	fsyncSync,
	ftruncateSync,
	mkdirSync,
	openSync,
	readSync,
	realpathSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { printable } from '../../shared/text';
import { errorField, LedgerUnavailableError } from '../common/errors';

/** An open file whose writes can be synced to disk. */
export interface SyncedFile {
	datasync(): Promise<void>;
	/** All that it contains: a file that was deleted stays readable until it is closed. */
	read(): Buffer;
	close(): void;
}

/** The path with links resolved: SQLite puts its log next to that file. */
export function withoutLinks(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// The file is missing; opening it reports that.
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
		read: () => {
			const bytes = Buffer.alloc(fstatSync(file).size);
			return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0));
		},
		close: () => {
			closeSync(file);
		},
	};
}

/** Writes a deleted file again, synced, unless another process has begun a new one. */
export function restoreFile(path: string, content: Buffer): void {
	const file = openSync(path, 'a', 0o600);
	try {
		if (fstatSync(file).size > 0) return;
		try {
			writeFileSync(file, content);
			fsyncSync(file);
		} catch (error) {
			ftruncateSync(file);
			throw error;
		}
	} finally {
		closeSync(file);
	}
}

/** Whether there is a file with content. */
export function hasContent(path: string): boolean {
	return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Changes whenever a process writes to the database. */
export function progressAt(path: string): string {
	const of = (file: string) => {
		const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
		return stats && `${stats.mtimeNs}:${stats.size}`;
	};
	return `${of(path)} ${of(logOf(withoutLinks(path)))}`;
}

/** Node reports ENOENT if it cannot create a folder on a read-only disk (seen in Node 20 and 24). */
function createFolder(path: string): void {
	try {
		mkdirSync(path, { recursive: true, mode: 0o700 });
	} catch (error) {
		let existing = path;
		while (!existsSync(existing)) existing = dirname(existing);
		accessSync(existing, constants.W_OK);
		throw error;
	}
}

/** Creates the file and its folder if missing, readable only by the owner. Throws for a broken link. */
export function createFile(path: string): void {
	createFolder(dirname(path));
	try {
		// Only if there is none: closing any handle of a file that SQLite has open drops SQLite's locks.
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

/** A ledger that was copied here may be readable by everybody, and SQLite gives the files next to it the same mode. */
export function closeToOthers(path: string): void {
	for (const file of [path, logOf(path), `${path}-shm`]) {
		try {
			chmodSync(file, 0o600);
		} catch {
			// It belongs to another user, or is missing: using it reports the error.
		}
	}
}

/** Distinguishes a file from one that replaced it; undefined if there is none. */
export function identityOf(path: string): string | undefined {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats && `${stats.dev}:${stats.ino}`;
}
