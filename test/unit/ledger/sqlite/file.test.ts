import { chmodSync, copyFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as sqlite from 'node:sqlite';
import { ledgerKey } from '../../../../lib/ledger';
import { useForEach } from '../../../support/lifetime';
import { BEGINNING, commit, openSqlite, SqliteWorld } from './world';

describe('the file of the ledger in SQLite', () => {
	const world = useForEach(() => new SqliteWorld());
	const key = ledgerKey('workflow', 'whevt_1');
	const otherKey = ledgerKey('workflow', 'whevt_2');

	describe('when it is made', () => {
		it('is created with its folders, readable only by the owner', async () => {
			const deep = join(world.folder, 'a', 'b', 'ledger.sqlite');
			const inside = openSqlite(deep);
			await commit(inside, key);
			for (const made of [join(world.folder, 'a'), join(world.folder, 'a', 'b')]) {
				expect(statSync(made).mode & 0o777).toBe(0o700);
			}
			for (const suffix of ['', '-wal', '-shm']) {
				expect(statSync(deep + suffix).mode & 0o777).toBe(0o600);
			}
			await inside.close();
		});

		it('is closed to others when it was open to them', async () => {
			await commit(world.ledger, key);
			await world.ledger.close();
			chmodSync(world.path, 0o644);
			await commit(world.ledger, otherKey);
			for (const suffix of ['', '-wal', '-shm']) {
				expect(statSync(world.path + suffix).mode & 0o777).toBe(0o600);
			}
		});

		it('holds 32 bytes of key an event, whatever the length of the id', async () => {
			await commit(world.ledger, ledgerKey('workflow', 'x'.repeat(100_000)));
			await commit(world.ledger, ledgerKey('workflow', '1'));
			const db = new sqlite.DatabaseSync(world.path);
			const rows = db.prepare('SELECT length(key) AS size, text FROM entry').all();
			const text: unknown = expect.stringMatching(/^1s\|\w{8}\|\w{4}\|\|[\w-]{11}\|[12]\|\|\|$/);
			expect(rows).toEqual([
				{ size: 32, text },
				{ size: 32, text },
			]);
			db.close();
		});
	});

	describe('when it is written', () => {
		it('is synced with what has to be durable, and moves the log into the file by itself', async () => {
			const opened: sqlite.DatabaseSync[] = [];
			class Watched extends sqlite.DatabaseSync {
				constructor(file: string) {
					super(file);
					opened.push(this);
				}
			}
			const watched = world.openWith(Watched);
			const pragma = (name: string) =>
				Object.values(opened[0]?.prepare(`PRAGMA ${name}`).get() ?? {});
			await commit(watched, key);
			await watched.begin([key], BEGINNING);
			expect(pragma('journal_mode')).toEqual(['wal']);
			// 2 is FULL, 1 is NORMAL: the file stays sound whatever happens.
			expect(pragma('synchronous')).toEqual([2]);
			await watched.end('run', 'succeeded');
			expect(pragma('synchronous')).toEqual([1]);
			expect(pragma('wal_autocheckpoint')).toEqual([1_000]);
			// It does not wait for a lock: what only reads would wait as well.
			expect(pragma('busy_timeout')).toEqual([0]);
			expect(pragma('cache_size')).toEqual([-16_000]);
			expect(pragma('fullfsync')).toEqual([1]);
			await watched.close();
		});
	});

	it('is the one that a symbolic link leads to', async () => {
		const target = join(world.folder, 'elsewhere.sqlite');
		const other = openSqlite(target);
		await commit(other, key);
		symlinkSync(target, world.path);
		expect((await world.ledger.look(key)).state).toBe('stored');
		await commit(world.ledger, otherKey);
		expect((await other.look(otherKey)).state).toBe('stored');
		await other.close();
	});

	describe('when it is changed by hand while it is open', () => {
		it('is created again after it has been deleted, for every process', async () => {
			const other = openSqlite(world.path);
			await commit(world.ledger, key);
			expect(await other.claim(key)).toEqual({ state: 'committed' });
			world.deleteFiles();
			await commit(world.ledger, key);
			expect(await other.claim(key)).toEqual({ state: 'committed' });
			await other.close();
		});

		it('is opened again if another file has replaced it', async () => {
			await commit(world.ledger, key);
			await world.ledger.close();
			copyFileSync(world.path, `${world.path}.backup`);
			await commit(world.ledger, otherKey);
			world.deleteFiles();
			renameSync(`${world.path}.backup`, world.path);
			expect(await world.ledger.claim(key)).toEqual({ state: 'committed' });
			await commit(world.ledger, otherKey);
		});
	});
});
