import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '../../../../lib/ledger/sqlite/store';
import { describeLedgerContract } from '../contract/suite';

describeLedgerContract('sqlite', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
	let wall = Date.now();
	let monotonic = 1_000_000;
	const clock = { now: () => wall, monotonic: () => monotonic, boot: 'boot' };
	return {
		openStore: () => new SqliteStore({ path: join(folder, 'ledger.sqlite'), clock }),
		advance: async (ms) => {
			wall += ms;
			monotonic += ms;
		},
		setBack: (ms) => {
			wall -= ms;
		},
		dispose: async () => {
			rmSync(folder, { recursive: true });
		},
	};
});
