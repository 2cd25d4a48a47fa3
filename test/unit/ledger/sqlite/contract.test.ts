import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '../../../../lib/ledger/sqlite/store';
import { describeStoreContract } from '../contract';
import { MemoryStore } from '../memoryStore';

describeStoreContract('SQLite', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
	let now = Date.now();
	const clock = { now: () => now, monotonic: () => now, boot: 'boot' };
	return {
		openStore: () => new SqliteStore({ path: join(folder, 'ledger.sqlite'), clock }),
		advance: async (ms) => {
			now += ms;
		},
		dispose: async () => {
			rmSync(folder, { recursive: true });
		},
	};
});

// What other tests put in place of a store.
describeStoreContract('the one of the tests', async () => {
	let now = Date.now();
	const store = new MemoryStore(() => now);
	return {
		openStore: () => store,
		advance: async (ms) => {
			now += ms;
		},
		dispose: async () => undefined,
	};
});
