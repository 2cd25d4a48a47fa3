import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type Ledger, ledgerKey } from '../../../lib/ledger';
import type { EventLedger } from '../../../lib/ledger/eventLedger';
import { createSmallDisk, type SmallDisk } from '../../support/mount';
import { holdLog } from '../../support/sqlite';
import { BEGINNING, openSqlite, RETENTION_MS } from '../../unit/ledger/sqlite/world';

let disk: SmallDisk;
let path: string;
let ledger: EventLedger;

beforeEach(() => {
	disk = createSmallDisk(512);
	path = join(disk.folder, 'ledger', 'events.sqlite');
	ledger = openSqlite(path);
});

afterEach(async () => {
	await ledger.close();
	disk.remove();
});

describe('a ledger created on a full disk', () => {
	it.each([0, 4, 8, 16, 24, 32, 40, 48])(
		'reports that the disk is full, with %d KiB left, and works once there is space',
		async (leftKib) => {
			disk.fill();
			const filler = join(disk.folder, 'filler');
			truncateSync(filler, statSync(filler).size - leftKib * 1024);
			await expect(oneEvent(ledger)).rejects.toThrow(
				/events\.sqlite: the disk is full: free some space, or set ASSET_SERVICE_LEDGER_SQLITE_PATH/,
			);
			disk.empty();
			await oneEvent(ledger);
		},
	);
});

it.each([1, 2, 3, 4])(
	'says that a disk of %d inodes has no room for another file',
	async (inodes) => {
		const few = createSmallDisk(512, inodes);
		const onFew = openSqlite(join(few.folder, 'ledger', 'events.sqlite'));
		await expect(oneEvent(onFew)).rejects.toThrow(
			/events\.sqlite: the disk has no room for another file \(its inodes are used up, see df -i\)/,
		);
		await onFew.close();
		few.remove();
	},
);

it('says that a disk must be writable that is read-only', async () => {
	disk.setReadOnly(true);
	await expect(oneEvent(ledger)).rejects.toThrow(
		/events\.sqlite: the file and its folder must be writable by the user that runs n8n.*\(EROFS\)/,
	);
	disk.setReadOnly(false);
	await oneEvent(ledger);
	await ledger.close();
	// Nothing is next to the file: SQLite only says that it cannot open it.
	disk.setReadOnly(true);
	await expect(oneEvent(ledger, 'whevt_2')).rejects.toThrow(
		/events\.sqlite: the file and its folder must be writable by the user that runs n8n/,
	);
	await ledger.close();
	disk.setReadOnly(false);
	await oneEvent(ledger, 'whevt_2');
});

it('claims nothing while the disk is full, not even what its log has almost space for', async () => {
	for (let n = 0; n < 5; n++) await oneEvent(ledger, `whevt_before_${n}`);
	const release = holdLog(path);
	disk.fill();
	for (let n = 0; n < 5; n++) {
		await expect(ledger.claim(ledgerKey('workflow', `whevt_${n}`))).rejects.toThrow(
			/the disk is full/,
		);
	}
	release();
	disk.empty();
	for (let n = 0; n < 5; n++) await oneEvent(ledger, `whevt_${n}`);
});

async function oneEvent(ledger: Ledger, id = 'whevt_1'): Promise<void> {
	const key = ledgerKey('workflow', id);
	const answer = await ledger.claim(key);
	if (answer.state === 'claimed') await ledger.commit([answer.claim], RETENTION_MS);
	await ledger.begin([key], BEGINNING);
}
