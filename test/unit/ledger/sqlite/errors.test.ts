import fs from 'node:fs';
import { LedgerUnavailableError } from '../../../../lib/ledger';
import { isBusy, sqliteUnavailableError } from '../../../../lib/ledger/sqlite/files';

const sqlite = (errcode: number) => Object.assign(new Error('hunter2'), { errcode });
const system = (code: string) => Object.assign(new Error('hunter2'), { code });
const PATH = '/data/ledger.sqlite';
const ELSEWHERE = 'or set ASSET_SERVICE_LEDGER_SQLITE_PATH to a file elsewhere';

describe('an error of SQLite or the system', () => {
	afterEach(() => {
		jest.restoreAllMocks();
	});

	it.each([
		[5, /another process keeps it locked for over 250 ms: look for a backup/],
		[6, /another connection keeps it locked for over 250 ms: look for a backup/],
		[8, /must be writable by the user that runs n8n: correct the permissions/],
		[10, /the disk failed or is full: check the system log/],
		[
			11,
			/is damaged, or not an SQLite file: stop n8n, move the file .*-wal and -shm to another folder/,
		],
		[13, /the disk is full: free some space/],
		[14, /cannot be opened or created there: correct the path/],
		[
			26,
			/is damaged, or not an SQLite file: .* events that have already started may then start again/,
		],
		[1, /SQLite failed: check the system log/],
	])('shows the operator where, and what to do: SQLite error %d', (code, words) => {
		// The primary code is in the lowest byte.
		for (const errcode of [code, code + 0x100, code + 0x1900]) {
			const error = sqliteUnavailableError(PATH, sqlite(errcode));
			expect(error).toBeInstanceOf(LedgerUnavailableError);
			expect(error.message).toMatch(words);
			expect(error.message).toMatch(
				/^(?!.*hunter2)The event ledger is not available\. \/data\/ledger\.sqlite: /,
			);
			// The number is for a cause that the words leave open.
			const [number] = / \(SQLite error \d+\)\.$/.exec(error.message) ?? [];
			expect(number).toBe([1, 10].includes(code) ? ` (SQLite error ${code}).` : undefined);
		}
	});

	it.each([
		['EACCES', /must be writable by the user that runs n8n/],
		['EPERM', /must be writable by the user that runs n8n/],
		['EROFS', /must be writable by the user that runs n8n/],
		['ENOSPC', /the disk is full/],
		['EDQUOT', /the disk is full/],
		['EIO', /the disk failed or is full/],
		['ENOTDIR', /cannot be opened or created there/],
	])('shows the operator where, and what to do: %s', (code, words) => {
		const { message } = sqliteUnavailableError(PATH, system(code));
		expect(message).toMatch(words);
		expect(message.endsWith(`, ${ELSEWHERE} (${code}).`)).toBe(true);
	});

	it('is not known of anything else that was thrown', () => {
		for (const thrown of [undefined, 'hunter2', { code: 7 }]) {
			const { message } = sqliteUnavailableError(PATH, thrown);
			expect(message).toMatch(/cannot be opened or created there.* \(unknown error\)\.$/);
		}
	});

	it('is passed on when it is in words already', () => {
		const known = new LedgerUnavailableError('In words.');
		expect(sqliteUnavailableError(PATH, known)).toBe(known);
	});

	it.each([
		[15, 4_096, /the disk is full: free some space/],
		[16, 4_096, /the disk failed or is full/],
	])(
		'is a full disk with %d blocks left of %d bytes: SQLite cannot tell',
		(bavail, bsize, words) => {
			const left = Object.assign(fs.statfsSync('/'), { bavail, bsize, files: 10, ffree: 5 });
			const statfs = jest.spyOn(fs, 'statfsSync').mockReturnValue(left);
			expect(sqliteUnavailableError(PATH, sqlite(10 + 0x100)).message).toMatch(words);
			expect(statfs).toHaveBeenCalledWith('/');
			expect(sqliteUnavailableError(PATH, sqlite(26)).message).toMatch(/is damaged/);
		},
	);

	it.each([
		['that SQLite cannot open', sqlite(14)],
		['that fails', sqlite(10 + 0x1900)],
		['that the system cannot make', system('ENOSPC')],
	])('is a disk without inodes for a file %s', (_which, error) => {
		const used = Object.assign(fs.statfsSync('/'), { bavail: 1e6, files: 10, ffree: 0 });
		const statfs = jest.spyOn(fs, 'statfsSync').mockReturnValue(used);
		expect(sqliteUnavailableError(PATH, error).message).toMatch(
			/the disk has no room for another file \(its inodes are used up, see df -i\): delete files/,
		);
		// As on Btrfs.
		statfs.mockReturnValue(Object.assign(used, { files: 0 }));
		expect(sqliteUnavailableError(PATH, error).message).not.toMatch(/inodes/);
	});

	it('is a lock that may be free a moment later, or not', () => {
		for (const lock of [sqlite(5), sqlite(6), sqlite(5 + 0x200)]) {
			expect(isBusy(lock)).toBe(true);
		}
		for (const other of [sqlite(13), system('EBUSY'), undefined]) expect(isBusy(other)).toBe(false);
	});
});
