/** SQLite file errors for operators: the path, and what to do. */
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { printable } from '../../shared/text';
import { errorField, LedgerUnavailableError } from '../common/errors';

const MOVE_IT = 'or set ASSET_SERVICE_LEDGER_SQLITE_PATH to a file elsewhere';
const NOT_WRITABLE = `the file and its folder must be writable by the user that runs n8n: correct the permissions, ${MOVE_IT}`;
const FULL = `the disk is full: free some space, ${MOVE_IT}`;
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
	const errcode = errorField(error, 'errcode');
	return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Whether another connection holds the lock; it may be free a moment later. */
export function isBusy(error: unknown): boolean {
	const code = resultCode(error);
	return code === BUSY || code === LOCKED;
}

/** The error that SQLite throws when another connection holds the lock. */
export function busyError(): Error {
	return Object.assign(new Error('database is locked'), { errcode: BUSY });
}

export function sqliteUnavailableError(path: string, error: unknown): LedgerUnavailableError {
	if (error instanceof LedgerUnavailableError) return error;
	const result = resultCode(error);
	const field = errorField(error, 'code');
	const system = typeof field === 'string' ? field : 'unknown error';
	const known = result === undefined ? (BY_SYSTEM_CODE[system] ?? NOT_OPENED) : BY_RESULT[result];
	const advice = result === IO_ERROR && isFull(path) ? FULL : known;
	const code = result === undefined ? system : `SQLite error ${result}`;
	return new LedgerUnavailableError(
		`The event ledger is not available. ${printable(path, 500)}: ${advice ?? `SQLite failed: check the system log, ${MOVE_IT}`} (${code}).`,
	);
}

/** SQLite does not distinguish a full disk from a failed one when it cannot create the files next to its own. */
function isFull(path: string): boolean {
	try {
		const { bavail, bsize } = statfsSync(dirname(path));
		return bavail * bsize < LITTLE_SPACE_BYTES;
	} catch {
		return false;
	}
}
