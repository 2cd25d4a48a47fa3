import {
	appendFileSync,
	mkdtempSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerFiles, openSyncedFile } from '../../../../lib/ledger/sqlite/files';

describe('the files of the ledger in SQLite', () => {
	let folder: string;
	let path: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		path = join(folder, 'ledger.sqlite');
	});

	afterEach(() => {
		rmSync(folder, { recursive: true });
	});

	it('show every write to the database or its log, also through a link', () => {
		const link = join(folder, 'link');
		symlinkSync(path, link);
		const writes = [
			() => undefined,
			() => {
				writeFileSync(path, 'a');
			},
			() => {
				writeFileSync(`${path}-wal`, 'b');
			},
			() => {
				appendFileSync(`${path}-wal`, 'c');
			},
			() => {
				utimesSync(path, 1_000, 1_000);
			},
			() => {
				utimesSync(`${path}-wal`, 1_000, 2_000);
			},
		];
		const seen = writes.map((write) => {
			write();
			const progress = new LedgerFiles(path).progress();
			expect(new LedgerFiles(path).progress()).toBe(progress);
			return `${progress} ${new LedgerFiles(link).progress()}`;
		});
		expect(new Set(seen).size).toBe(writes.length);
		expect(new Set(seen.map((each) => each.split(' ').at(-1))).size).toBe(4);
	});

	it('may be missing', () => {
		expect(new LedgerFiles(path).resolved).toBe(path);
	});

	it('can be synced as long as they are open', async () => {
		writeFileSync(path, '');
		const file = openSyncedFile(path);
		await file.datasync();
		file.close();
		await expect(file.datasync()).rejects.toThrow(/EBADF/);
	});
});
