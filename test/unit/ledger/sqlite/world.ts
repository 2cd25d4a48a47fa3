/** A ledger in an SQLite file of its own, for one test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as sqlite from 'node:sqlite';
import { EventLedger } from '../../../../lib/ledger/eventLedger';
import { LedgerDatabase } from '../../../../lib/ledger/sqlite/database';
import { SqliteStore } from '../../../../lib/ledger/sqlite/store';
import type { Beginning, Claim, Ledger } from '../../../../lib/ledger/types';

export const RETENTION_MS = 1_000_000;
export const BEGINNING: Beginning = {
	run: 'run',
	acknowledge: 'stored',
	retentionMs: RETENTION_MS,
};

export class SqliteWorld {
	readonly folder = mkdtempSync(join(tmpdir(), 'ledger-'));
	readonly path = join(this.folder, 'ledger.sqlite');
	readonly ledger = openSqlite(this.path);

	/** A second ledger on the file, whose SQLite is another one; undefined is none. */
	openWith(DatabaseSync: typeof sqlite.DatabaseSync | undefined): EventLedger {
		return openSqlite(this.path, {
			openDatabase: (path) => new LedgerDatabase(path, DatabaseSync && { ...sqlite, DatabaseSync }),
		});
	}

	/** Changes the file by hand. */
	change(sql: string): void {
		const db = new sqlite.DatabaseSync(this.path);
		db.exec(sql);
		db.close();
	}

	query(sql: string): unknown[] {
		const db = new sqlite.DatabaseSync(this.path);
		const rows = db.prepare(sql).all();
		db.close();
		return rows;
	}

	/** Lets statements on entries fail, such as INSERT, or INSERT with a condition. */
	refuse(...statements: readonly string[]): void {
		for (const [n, statement] of statements.entries()) {
			const what = statement.includes(' ') ? statement : `${statement} ON entry`;
			this.change(
				`CREATE TRIGGER refuse_${n} BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
			);
		}
	}

	allow(): void {
		this.change('DROP TRIGGER IF EXISTS refuse_0; DROP TRIGGER IF EXISTS refuse_1');
	}

	/** Deletes the file and the files next to it. */
	deleteFiles(suffixes: readonly string[] = ['', '-wal', '-shm']): void {
		for (const suffix of suffixes) rmSync(this.path + suffix, { force: true });
	}

	async remove(): Promise<void> {
		await this.ledger.close().catch(() => undefined);
		rmSync(this.folder, { recursive: true });
	}
}

type StoreOptions = Omit<ConstructorParameters<typeof SqliteStore>[0], 'path'>;

export function openSqlite(path: string, options: StoreOptions = {}): EventLedger {
	return new EventLedger({ store: new SqliteStore({ path, ...options }) });
}

export async function claimed(ledger: Ledger, key: string): Promise<Claim> {
	const answer = await ledger.claim(key);
	if (answer.state !== 'claimed') throw new Error(`The event is ${answer.state}`);
	return answer.claim;
}

export async function commit(ledger: Ledger, key: string): Promise<void> {
	await ledger.commit([await claimed(ledger, key)], RETENTION_MS);
}
