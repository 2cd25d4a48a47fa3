import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type Ledger, ledgerKey } from '../../../lib/ledger';
import { SqliteLedger } from '../../../lib/ledger/sqlite';
import { createSmallDisk, type SmallDisk } from '../../support/mount';
import { holdLog } from '../../support/sqlite';

let disk: SmallDisk;
let path: string;
let ledger: SqliteLedger;

beforeEach(() => {
	disk = createSmallDisk(512);
	path = join(disk.folder, 'ledger', 'events.sqlite');
	ledger = new SqliteLedger({ path });
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

it('claims nothing while the disk is full, not even what its log has almost space for', async () => {
	for (let n = 0; n < 5; n++) await oneEvent(ledger, `whevt_before_${n}`);
	const release = holdLog(path);
	disk.fill();
	for (let n = 0; n < 5; n++) {
		await expect(ledger.claim(ledgerKey('workflow', `whevt_${n}`), 60_000)).rejects.toThrow(
			/the disk is full/,
		);
	}
	release();
	disk.empty();
	for (let n = 0; n < 5; n++) await oneEvent(ledger, `whevt_${n}`);
});

async function oneEvent(ledger: Ledger, id = 'whevt_1'): Promise<void> {
	const key = ledgerKey('workflow', id);
	const answer = await ledger.claim(key, 60_000);
	if (answer.state === 'claimed') await ledger.commit(answer.claim, 1_000_000);
	await ledger.begin([key], 'run', 1_000_000);
}
