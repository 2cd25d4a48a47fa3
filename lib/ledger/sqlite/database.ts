/** The open SQLite file: how it is made, opened and set up, and whether it is still the one at its path. */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { errorField, LedgerUnavailableError } from '../errors';
import { prepareSchema } from './schema';
import { prepareStatements, type Statements } from './statements';

/** How long SQLite itself waits for a lock, holding up the event loop; longer waits are not its business. */
const BUSY_TIMEOUT_MS = 5;
/** Holds the inner pages of ten million ids; used as far as needed. */
const CACHE_KIB = 16_000;

type Sqlite = typeof import('node:sqlite');

/** Node's own SQLite; undefined where Node has none. */
export function loadSqlite(): Sqlite | undefined {
	return process.getBuiltinModule('node:sqlite');
}

export class LedgerDatabase {
	readonly statements: Statements;
	readonly #db: DatabaseSync;
	readonly #path: string;
	readonly #identity: string | undefined;
	#synchronous: 'NORMAL' | 'FULL' | undefined;

	/** Opens the file, making it and its folder when they are missing, readable by the owner alone. */
	constructor(path: string, sqlite: Sqlite | undefined) {
		if (!sqlite) {
			throw new LedgerUnavailableError(
				`The ledger is not available. This Node.js (${process.version}) has no SQLite: run n8n on Node.js 22.16 or newer, or set ASSET_SERVICE_LEDGER=redis and ASSET_SERVICE_LEDGER_REDIS_URL.`,
			);
		}
		createFile(path);
		this.#path = path;
		// Looked at before opening: a file replaced in between is then taken for replaced, not for ours.
		this.#identity = identityOf(path);
		this.#db = new sqlite.DatabaseSync(path);
		try {
			this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
			prepareSchema(this.#db, path);
			this.#db.exec('PRAGMA journal_mode = WAL');
			this.#db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
			// macOS answers an ordinary fsync before the disk has written.
			this.#db.exec('PRAGMA fullfsync = ON');
			this.statements = prepareStatements(this.#db);
		} catch (error) {
			this.#db.close();
			throw error;
		}
	}

	/** Whether the file at the path is still the one that is open here: it may have been deleted or replaced. */
	isCurrent(): boolean {
		return this.#identity === identityOf(this.#path);
	}

	/**
	 * `FULL`: what is written next survives a power cut. `NORMAL`: it may be lost with the last moments before
	 * one, which costs nothing where the process dies with it (claims), and the file stays sound.
	 */
	setDurability(synchronous: 'NORMAL' | 'FULL'): void {
		if (this.#synchronous === synchronous) return;
		this.#db.exec(`PRAGMA synchronous = ${synchronous}`);
		this.#synchronous = synchronous;
	}

	close(): void {
		this.#db.close();
	}
}

function createFile(path: string): void {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	try {
		// Only when there is none: closing any handle of a file that SQLite has open drops SQLite's locks.
		closeSync(openSync(path, 'ax', 0o600));
	} catch (error) {
		if (errorField(error, 'code') !== 'EEXIST') throw error;
	}
}

function identityOf(path: string): string | undefined {
	const stats = statSync(path, { throwIfNoEntry: false });
	return stats && `${stats.dev}:${stats.ino}`;
}
