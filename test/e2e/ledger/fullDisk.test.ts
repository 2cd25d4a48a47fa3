import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type Ledger, ledgerKey } from '../../../lib/ledger';
import { SqliteLedger } from '../../../lib/ledger/sqlite';
import { createSmallDisk, type SmallDisk } from '../../support/mount';

describe('a ledger created on a full disk', () => {
	let disk: SmallDisk;
	let ledger: SqliteLedger;

	beforeEach(() => {
		disk = createSmallDisk(512);
		ledger = new SqliteLedger({ path: join(disk.folder, 'ledger', 'events.sqlite') });
	});

	afterEach(async () => {
		await ledger.close();
		disk.remove();
	});

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

async function oneEvent(ledger: Ledger): Promise<void> {
	const key = ledgerKey('workflow', 'whevt_1');
	const answer = await ledger.claim(key, 60_000);
	if (answer.state === 'claimed') await ledger.commit(answer.claim, 1_000_000);
	await ledger.begin([key], 'run', 1_000_000);
}
