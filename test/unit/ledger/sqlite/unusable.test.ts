import {
	chmodSync,
	existsSync,
	mkdirSync,
	renameSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as sqlite from 'node:sqlite';
import { type Ledger, ledgerKey, LedgerUnavailableError } from '../../../../lib/ledger';
import { useForEach } from '../../../support/lifetime';
import { commit, openSqlite, SqliteWorld } from './world';

const isRoot = process.getuid?.() === 0;

describe('the ledger in SQLite when its file cannot be used', () => {
	const world = useForEach(() => new SqliteWorld());
	const key = ledgerKey('workflow', 'whevt_1');
	const otherKey = ledgerKey('workflow', 'whevt_2');

	async function refusal(of: Ledger = world.ledger): Promise<string> {
		try {
			await of.claim(otherKey);
		} catch (error) {
			expect(error).toBeInstanceOf(LedgerUnavailableError);
			return (error as Error).message;
		}
		throw new Error('The claim was not refused');
	}

	it('says what to do if its folder is read-only, and works when that is corrected', async () => {
		// Root may write where others may not, but not there.
		const readOnly = isRoot ? '/sys' : join(world.folder, 'read-only');
		if (!isRoot) mkdirSync(readOnly, { mode: 0o500 });
		const inside = openSqlite(join(readOnly, 'ledger', 'ledger.sqlite'));
		expect(await refusal(inside)).toMatch(
			/must be writable by the user that runs n8n.*\(E[A-Z]+\)/,
		);
		expect(await refusal(inside)).toContain(join(readOnly, 'ledger', 'ledger.sqlite'));
		const direct = openSqlite(join(readOnly, 'ledger.sqlite'));
		expect(await refusal(direct)).toMatch(/must be writable by the user that runs n8n/);
		if (!isRoot) {
			chmodSync(readOnly, 0o700);
			await commit(inside, otherKey);
		}
		await inside.close();
	});

	it('says what to do if it is read-only', async () => {
		await commit(world.ledger, key);
		class ReadOnly extends sqlite.DatabaseSync {
			constructor(file: string) {
				super(file, { readOnly: true });
			}
		}
		const readOnly = world.openWith(ReadOnly);
		expect(await refusal(readOnly)).toMatch(/must be writable by the user that runs n8n/);
		// What it contains can still be read.
		expect(await readOnly.readRecord('key')).toBeUndefined();
		await readOnly.close();
	});

	it('says that the disk is full, and works again when there is space', async () => {
		let pages = 8;
		const opened: sqlite.DatabaseSync[] = [];
		const limit = (db: sqlite.DatabaseSync) => {
			db.exec(`PRAGMA max_page_count = ${pages}`);
		};
		class Limited extends sqlite.DatabaseSync {
			constructor(file: string) {
				super(file);
				limit(this);
				opened.push(this);
			}
		}
		const limited = world.openWith(Limited);
		const full = async () => {
			for (let n = 0; n < 1_000; n++) {
				await limited.claim(ledgerKey('workflow', `full ${n}`));
			}
		};
		await expect(full()).rejects.toThrow(LedgerUnavailableError);
		await expect(full()).rejects.toThrow(/the disk is full: free some space/);
		pages = 1_000;
		opened.filter(({ isOpen }) => isOpen).forEach(limit);
		await full();
		await limited.close();
	});

	it('says what to do if it is not an SQLite file, and creates a new one when that has been moved', async () => {
		writeFileSync(
			world.path,
			'This is not a database, but long enough to be looked at. '.repeat(100),
		);
		expect(await refusal()).toMatch(/damaged, or not an SQLite file: stop n8n, move the file/);
		renameSync(world.path, `${world.path}.damaged`);
		await commit(world.ledger, otherKey);
	});

	it('reports a dangling symbolic link in its place, and creates nothing there', async () => {
		const target = join(world.folder, 'elsewhere.sqlite');
		symlinkSync(target, world.path);
		expect(await refusal()).toMatch(
			/ledger\.sqlite is a symbolic link to a file that does not exist/,
		);
		expect(existsSync(target)).toBe(false);
		writeFileSync(target, '');
		await commit(world.ledger, otherKey);
	});

	it('says what to do if a folder is in its place', async () => {
		mkdirSync(world.path);
		expect(await refusal()).toMatch(/cannot be opened or created/);
	});

	it('says what to do if a file is in the place of its folder', async () => {
		writeFileSync(join(world.folder, 'file'), '');
		const inside = openSqlite(join(world.folder, 'file', 'ledger.sqlite'));
		expect(await refusal(inside)).toMatch(
			/cannot be opened or created.*ASSET_SERVICE_LEDGER_SQLITE_PATH/,
		);
	});

	it('rejects a database of another program, and changes neither it nor its mode', async () => {
		world.change('CREATE TABLE execution_entity (id INTEGER)');
		chmodSync(world.path, 0o644);
		expect(await refusal()).toMatch(/database of another application/);
		expect(statSync(world.path).mode & 0o777).toBe(0o644);
		const db = new sqlite.DatabaseSync(world.path);
		expect(db.prepare('SELECT name FROM sqlite_schema').all()).toEqual([
			{ name: 'execution_entity' },
		]);
		db.close();
	});

	it('says which Node to run when there is no SQLite in this one', async () => {
		const without = world.openWith(undefined);
		expect(await refusal(without)).toMatch(/has no SQLite: run n8n on Node\.js 22\.16 or newer/);
		expect(existsSync(world.path)).toBe(false);
	});
});
