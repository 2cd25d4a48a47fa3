/** The files of the SQLite ledger on disk: creates, identifies and protects them, and says what to do when one fails. */
import {
	accessSync,
	chmodSync,
	closeSync,
	constants,
	existsSync,
	mkdirSync,
	openSync,
	realpathSync,
	statfsSync,
	statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { printable } from '../../shared/text';
import { fieldOf } from '../../shared/values';
import { LedgerUnavailableError } from '../common/store';

/** The write-ahead log: SQLite puts it next to the file that links lead to. */
export function logOf(path: string): string {
	return `${withoutLinks(path)}-wal`;
}

/** Distinguishes a file from one that replaced it; undefined if there is none. */
export function identityOf(path: string): string | undefined {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats && `${stats.dev}:${stats.ino}`;
}

/** A ledger that was copied here may be readable by everybody, and SQLite gives the files next to it the same mode. */
export function closeToOthers(path: string): void {
	const file = withoutLinks(path);
	for (const each of [file, `${file}-wal`, `${file}-shm`]) {
		try {
			chmodSync(each, 0o600);
		} catch {
			// It belongs to another user, or is missing: using it reports the error.
		}
	}
}

function withoutLinks(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		// The file is missing; opening it reports that.
		return path;
	}
}

/** Node reports ENOENT if it cannot create a folder on a read-only disk (seen in Node 20 and 24). */
function createFolder(path: string): void {
	try {
		mkdirSync(path, { recursive: true, mode: 0o700 });
	} catch (error) {
		accessSync(existingFolder(join(path, 'file')), constants.W_OK);
		throw error;
	}
}

/** The nearest folder above the file that exists. */
function existingFolder(path: string): string {
	let folder = dirname(path);
	while (!existsSync(folder)) folder = dirname(folder);
	return folder;
}

/** Creates the file and its folder if missing, readable only by the owner. Throws for a broken link. */
export function createFile(path: string): void {
	createFolder(dirname(path));
	try {
		// Only if there is none: closing any handle of a file that SQLite has open drops SQLite's locks.
		closeSync(openSync(path, 'ax', 0o600));
	} catch (error) {
		if (fieldOf(error, 'code') !== 'EEXIST') throw error;
		if (statSync(path, { throwIfNoEntry: false })) return;
		throw new LedgerUnavailableError(
			`The event ledger is not available. ${printable(path, 500)} is a symbolic link to a file that does not exist: remove the link or correct it, or set ASSET_SERVICE_LEDGER_SQLITE_PATH to a file elsewhere.`,
			{ cause: error },
		);
	}
}

const MOVE_IT = 'or set ASSET_SERVICE_LEDGER_SQLITE_PATH to a file elsewhere';
const NOT_WRITABLE = `the file and its folder must be writable by the user that runs n8n: correct the permissions, ${MOVE_IT}`;
const FULL = `the disk is full: free some space, ${MOVE_IT}`;
const NO_INODES = `the disk has no room for another file (its inodes are used up, see df -i): delete files that nobody needs, ${MOVE_IT}`;
const FAILED = `the disk failed or is full: check the system log and free some space, ${MOVE_IT}`;
const NOT_OPENED = `it cannot be opened or created there: correct the path and the permissions of its folder, ${MOVE_IT}`;
const DAMAGED =
	'it is damaged, or not an SQLite file: stop n8n, move the file and the files next to it that end in -wal and -shm to another folder, and start n8n; ' +
	'events that have already started may then start again when they are delivered again';

/** SQLite's primary result codes (https://www.sqlite.org/rescode.html). */
const BUSY = 5;
const LOCKED = 6;
const IO_ERROR = 10;
/** The space that SQLite needs to open a file and to write once. */
const LITTLE_SPACE_BYTES = 64 * 1024;
const BY_RESULT: Readonly<Record<number, string>> = {
	[BUSY]:
		'another process keeps it locked for over 250 ms: look for a backup or a shell that has it open for writing',
	[LOCKED]:
		'another connection keeps it locked for over 250 ms: look for a backup or a shell that has it open for writing',
	8: NOT_WRITABLE,
	[IO_ERROR]: FAILED,
	11: DAMAGED,
	13: FULL,
	14: NOT_OPENED,
	26: DAMAGED,
};
const BY_SYSTEM_CODE: Readonly<Record<string, string>> = {
	EACCES: NOT_WRITABLE,
	EPERM: NOT_WRITABLE,
	EROFS: NOT_WRITABLE,
	ENOSPC: FULL,
	EDQUOT: FULL,
	EIO: FAILED,
};

/** SQLite's primary result code, if the error is from `node:sqlite`. */
function resultCode(error: unknown): number | undefined {
	const errcode = fieldOf(error, 'errcode');
	return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Whether another connection holds the lock; it may be free a moment later. */
export function isBusy(error: unknown): boolean {
	const code = resultCode(error);
	return code === BUSY || code === LOCKED;
}

export function sqliteUnavailableError(path: string, error: unknown): LedgerUnavailableError {
	if (error instanceof LedgerUnavailableError) return error;
	const result = resultCode(error);
	const field = fieldOf(error, 'code');
	const system = typeof field === 'string' ? field : 'unknown error';
	const known = result === undefined ? (BY_SYSTEM_CODE[system] ?? NOT_OPENED) : BY_RESULT[result];
	const isUnclear = result === IO_ERROR || known === NOT_OPENED || known === FULL;
	const right = known === NOT_OPENED && isReadOnly(path) ? NOT_WRITABLE : known;
	const advice = (isUnclear ? shortageOf(path) : undefined) ?? right;
	// A number says nothing to a user, unless the words leave the cause open.
	const isOpen = advice === undefined || advice === FAILED;
	const code = result === undefined ? system : isOpen && `SQLite error ${result}`;
	const words = advice ?? `SQLite failed: check the system log, ${MOVE_IT}`;
	return new LedgerUnavailableError(
		`The event ledger is not available. ${printable(path, 500)}: ${words}${code ? ` (${code})` : ''}.`,
	);
}

/** Whether the folder is there and may not be written: SQLite says only that it cannot create the files next to its own. */
function isReadOnly(path: string): boolean {
	try {
		accessSync(dirname(path), constants.W_OK);
		return false;
	} catch (error) {
		const code = fieldOf(error, 'code');
		return typeof code === 'string' && BY_SYSTEM_CODE[code] === NOT_WRITABLE;
	}
}

/** What the disk lacks: SQLite does not say that when it cannot create the files next to its own, and the system not which of the two. */
function shortageOf(path: string): string | undefined {
	try {
		const { bavail, bsize, files, ffree } = statfsSync(existingFolder(path));
		// Some file systems count no inodes.
		if (files > 0 && ffree === 0) return NO_INODES;
		return bavail * bsize < LITTLE_SPACE_BYTES ? FULL : undefined;
	} catch {
		return undefined;
	}
}
