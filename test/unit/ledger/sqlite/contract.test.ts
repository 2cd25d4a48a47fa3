import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteLedger } from '../../../../lib/ledger/sqlite';
import { describeLedgerContract } from '../contract/suite';

describeLedgerContract('sqlite', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
	let now = Date.now();
	return {
		open: (onUnknown) =>
			new SqliteLedger({ path: join(folder, 'ledger.sqlite'), now: () => now, onUnknown }),
		advance: async (ms) => {
			now += ms;
		},
		setBack: (ms) => {
			now -= ms;
		},
		dispose: async () => {
			rmSync(folder, { recursive: true });
		},
	};
});
