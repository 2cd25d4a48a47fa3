import { renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { LedgerDatabase, loadSqlite } from '../../../../lib/ledger/sqlite/database';
import { busyError, openSyncedFile } from '../../../../lib/ledger/sqlite/files';
import { LedgerFile } from '../../../../lib/ledger/sqlite/ledgerFile';
import { SqliteWorld } from './world';

describe('the file at the path of the ledger in SQLite', () => {
	let world: SqliteWorld;
	let file: LedgerFile;
	/** How often it was opened. */
	let opened: number;
	/** Is called before each sync of the log. */
	let beforeSync: () => Promise<void>;

	beforeEach(() => {
		world = new SqliteWorld();
		opened = 0;
		beforeSync = () => Promise.resolve();
		file = new LedgerFile(world.path, (path) => {
			opened += 1;
			return new LedgerDatabase(path, loadSqlite(), (log) => {
				const synced = openSyncedFile(log);
				return { ...synced, datasync: () => beforeSync().then(() => synced.datasync()) };
			});
		});
	});

	afterEach(async () => {
		jest.restoreAllMocks();
		await file.close();
		await world.remove();
	});

	const read = () =>
		file.run(({ statements }) => statements.readRecord.get({ key: 'a' })?.['value']);
	const add = (next: string) =>
		file.runDurably(({ statements }) => statements.addRecord.run({ key: 'a', next }).changes);

	it('is kept open while another holds the lock', async () => {
		await read();
		await expect(
			file.run(() => {
				throw busyError();
			}),
		).rejects.toThrow(/keeps it locked/);
		await read();
		expect(opened).toBe(1);
	});

	it('is opened as soon as another releases the lock', async () => {
		const locker = new DatabaseSync(world.path);
		locker.exec('BEGIN IMMEDIATE');
		const opening = read();
		locker.close();
		expect(await opening).toBeUndefined();
		expect(opened).toBe(2);
	});

	it('is written three times when it is replaced under each write', async () => {
		let writes = 0;
		beforeSync = async () => {
			world.deleteFiles();
		};
		const write = (database: LedgerDatabase) => {
			writes += 1;
			database.statements.addRecord.run({ key: 'a', next: 'b' });
		};
		await expect(file.runDurably(write)).rejects.toThrow(/keeps being replaced/);
		expect(writes).toBe(3);
	});

	it('is opened once for all whose writes were to the one that was replaced', async () => {
		await read();
		beforeSync = async () => {
			beforeSync = () => Promise.resolve();
			renameSync(world.path, `${world.path}.old`);
			world.deleteFiles();
		};
		// The second finds the entry of the first.
		expect(await Promise.all([add('b'), add('c')])).toEqual([1, 0]);
		expect(await read()).toBe('b');
		expect(opened).toBe(2);
	});

	it('is written again if the sync fails because it was deleted', async () => {
		await read();
		beforeSync = () => {
			beforeSync = () => Promise.resolve();
			world.deleteFiles();
			return Promise.reject(new Error('No such file'));
		};
		expect(await add('b')).toBe(1);
		expect(await read()).toBe('b');
		expect(opened).toBe(2);
	});

	it('is opened again after a failed sync, once for all waiting calls', async () => {
		const fails: (() => void)[] = [];
		beforeSync = () =>
			new Promise((_resolve, reject) => {
				fails.push(() => {
					reject(new Error('The disk failed'));
				});
			});
		const first = expect(add('b')).rejects.toThrow(/not available/);
		await turn();
		// It gets a sync of its own, since that of the first is under way.
		const second = expect(add('c')).rejects.toThrow(/not available/);
		await turn();
		fails[0]?.();
		await first;
		await read();
		expect(opened).toBe(2);
		await turn();
		fails[1]?.();
		await second;
		await read();
		expect(opened).toBe(2);
	});

	it('is given up when it fails to close', async () => {
		await read();
		jest.spyOn(LedgerDatabase.prototype, 'close').mockRejectedValueOnce(new Error('Not closed'));
		await file.close();
		await read();
		expect(opened).toBe(2);
	});

	it('lets nothing be claimed after a sync that failed, until one has succeeded', async () => {
		let isFailing = true;
		beforeSync = async () => {
			if (isFailing) throw Object.assign(new Error('EIO'), { code: 'EIO' });
		};
		const claim = () => file.runTogether(() => undefined, false);
		await claim();
		await expect(add('b')).rejects.toThrow(/disk failed/);
		await expect(claim()).rejects.toThrow(/disk failed/);
		await expect(claim()).rejects.toThrow(/disk failed/);
		isFailing = false;
		await claim();
		isFailing = true;
		// Synced since: a claim needs no sync of its own.
		await claim();
	});

	describe('with the work of several callers of one moment', () => {
		let began: jest.SpyInstance;
		let done: string[];

		beforeEach(async () => {
			began = jest.spyOn(LedgerDatabase.prototype, 'transaction');
			done = [];
		});

		const note = (name: string, isDurable = false) =>
			file.runTogether(() => {
				done.push(name);
				return `${name} ${done.length}`;
			}, isDurable);

		it.each([false, true])(
			'does it in one transaction, in order, and returns each result (durably: %s)',
			async (isDurable) => {
				const all = ['a', 'b', 'c'].map((name) => note(name, isDurable));
				expect(await Promise.all(all)).toEqual(['a 1', 'b 2', 'c 3']);
				expect(began).toHaveBeenCalledTimes(1);
			},
		);

		it('does that of a single caller without a transaction', async () => {
			expect([await note('a'), await note('b')]).toEqual(['a 1', 'b 2']);
			expect(began).not.toHaveBeenCalled();
		});

		it('returns the result of the last attempt', async () => {
			const first = note('a');
			const second = file.runTogether(() => {
				if (done.length < 3) throw busyError();
			}, false);
			expect(await Promise.all([first, second])).toEqual(['a 3', undefined]);
		});

		it('gives the error of one to all callers, and to none after them', async () => {
			const fails = file.runTogether(() => {
				throw new Error('The disk is full');
			}, false);
			const results = await Promise.allSettled([note('a'), fails]);
			expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
			expect(await note('b')).toMatch(/^b/);
		});
	});
});
