/** A ledger in an SQLite file of its own, for one test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as sqlite from 'node:sqlite';
import { type Ledger } from '../../../../lib/ledger';
import { SqliteLedger } from '../../../../lib/ledger/sqlite';
import { LedgerDatabase } from '../../../../lib/ledger/sqlite/database';

export const LEASE_MS = 60_000;
export const RETENTION_MS = 1_000_000;

export class SqliteWorld {
	readonly folder = mkdtempSync(join(tmpdir(), 'ledger-'));
	readonly path = join(this.folder, 'ledger.sqlite');
	readonly ledger = new SqliteLedger({ path: this.path });

	/** A second ledger on the file, whose SQLite is another one; undefined is none. */
	openWith(DatabaseSync: typeof sqlite.DatabaseSync | undefined): SqliteLedger {
		return new SqliteLedger({
			path: this.path,
			openDatabase: (path) => new LedgerDatabase(path, DatabaseSync && { ...sqlite, DatabaseSync }),
		});
	}

	/** Changes the file by hand. */
	change(sql: string): void {
		const db = new sqlite.DatabaseSync(this.path);
		db.exec(sql);
		db.close();
	}

	async remove(): Promise<void> {
		await this.ledger.close();
		rmSync(this.folder, { recursive: true });
	}
}

export async function commit(ledger: Ledger, key: string): Promise<void> {
	const answer = await ledger.claim(key, LEASE_MS);
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	await ledger.commit(answer.claim, RETENTION_MS);
}
