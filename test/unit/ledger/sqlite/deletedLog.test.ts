import { copyFileSync, readdirSync, renameSync } from 'node:fs';
import { ledgerKey } from '../../../../lib/ledger';
import { EventLedger } from '../../../../lib/ledger/eventLedger';
import { commit, openSqlite, SqliteWorld } from './world';

describe('the write-ahead log of the ledger in SQLite, deleted while it is open', () => {
	let world: SqliteWorld;
	let replaced: number;
	let ledger: EventLedger;

	const key = (n: number) => ledgerKey('workflow', `whevt_${n}`);
	const write = async (from: number, to: number) => {
		for (let n = from; n < to; n++) await commit(ledger, key(n));
	};
	/** The file has all of them and is sound, once it was closed. */
	const expectAll = async (to: number) => {
		await ledger.close();
		expect(readdirSync(world.folder).filter((name) => !name.endsWith('.old'))).toEqual([
			'ledger.sqlite',
		]);
		for (let n = 0; n < to; n++)
			expect([n, (await world.ledger.look(key(n))).state]).toEqual([n, 'stored']);
		expect(world.query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
	};

	beforeEach(() => {
		world = new SqliteWorld();
		replaced = 0;
		ledger = openSqlite(world.path, {
			onReplaced: () => {
				replaced += 1;
			},
		});
	});

	afterEach(async () => {
		await ledger.close();
		await world.remove();
	});

	it.each<[string, () => void]>([
		[
			'by itself',
			() => {
				world.deleteFiles(['-wal']);
			},
		],
		[
			'with its index',
			() => {
				world.deleteFiles(['-wal', '-shm']);
			},
		],
		[
			'by being moved',
			() => {
				renameSync(`${world.path}-wal`, `${world.path}-wal.old`);
			},
		],
	])(
		'%s, is noticed at the next call, once, and SQLite saves what is in it',
		async (_how, remove) => {
			await write(0, 60);
			remove();
			expect((await ledger.look(key(0))).state).toBe('stored');
			expect(replaced).toBe(1);
			await write(60, 120);
			expect(replaced).toBe(1);
			await expectAll(120);
		},
	);

	it('is saved also if it is closed without a further call, which says that something is wrong', async () => {
		await write(0, 60);
		world.deleteFiles(['-wal']);
		await expect(ledger.close()).rejects.toThrow(/not available/);
		await expectAll(60);
	});

	it('with the file, is not written into another file in its place', async () => {
		await write(0, 1);
		await ledger.close();
		copyFileSync(world.path, `${world.path}.old`);
		await write(1, 60);
		world.deleteFiles();
		renameSync(`${world.path}.old`, world.path);
		expect((await ledger.look(key(1))).state).toBe('free');
		expect(replaced).toBe(1);
		await expectAll(1);
	});
});
