import { readdirSync, renameSync, statSync } from 'node:fs';
import * as sqlite from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { ledgerKey } from '../../../../lib/ledger';
import { EventLedger } from '../../../../lib/ledger/eventLedger';
import * as thread from '../../../../lib/ledger/sqlite/checkpoint';
import { LedgerFiles } from '../../../../lib/ledger/sqlite/files';
import { SqliteStore } from '../../../../lib/ledger/sqlite/store';
import { BEGINNING, commit, openSqlite, SqliteWorld } from './world';

describe('the write-ahead log of the ledger in SQLite, deleted while it is open', () => {
	let world: SqliteWorld;
	let replaced: string[];
	let opened: EventLedger[];
	let committed: string[];

	const open = (name: string) => {
		const ledger = openSqlite(world.path, { onReplaced: () => replaced.push(name) });
		opened.push(ledger);
		return ledger;
	};
	const key = (event: string) => ledgerKey('workflow', event);
	const write = async (ledger: EventLedger, ...events: string[]) => {
		for (const event of events) {
			await commit(ledger, key(event));
			committed.push(event);
		}
	};
	const many = (name: string, count = 60) =>
		Array.from({ length: count }, (_each, n) => `${name} ${n}`);

	/** Nothing that was committed is lost, and the file is sound. */
	async function expectAll(ledger: EventLedger): Promise<void> {
		for (const event of committed)
			expect([event, (await ledger.look(key(event))).state]).toEqual([event, 'stored']);
		expect(world.query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
	}

	/** The same once everybody has closed the file. */
	async function expectAllAfterwards(): Promise<void> {
		for (const ledger of opened) await ledger.close();
		expect(readdirSync(world.folder).filter((name) => !name.endsWith('.old'))).toEqual([
			'ledger.sqlite',
		]);
		await expectAll(world.ledger);
	}

	beforeEach(() => {
		world = new SqliteWorld();
		[replaced, opened, committed] = [[], [], []];
	});

	afterEach(async () => {
		jest.restoreAllMocks();
		for (const ledger of opened) await ledger.close();
		await world.remove();
	});

	it.each<[string, () => void]>([
		[
			'alone',
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
	])('%s, is noticed at the next call, once, and no entry is lost', async (_how, remove) => {
		const ledger = open('ledger');
		await write(ledger, ...many('before'));
		remove();
		expect((await ledger.look(key('before 0'))).state).toBe('stored');
		expect(replaced).toEqual(['ledger']);
		await write(ledger, ...many('after'));
		await expectAll(ledger);
		expect(replaced).toEqual(['ledger']);
		await expectAllAfterwards();
	});

	it('between a write and its sync, loses neither', async () => {
		const ledger = open('ledger');
		await write(ledger, 'before');
		const begun = ledger.begin([key('before'), key('other')], BEGINNING);
		world.deleteFiles(['-wal']);
		expect(await begun).toEqual([true, true]);
		expect((await ledger.look(key('other'))).state).toBe('running');
		expect(replaced).toEqual(['ledger']);
		await ledger.close();
		expect((await world.ledger.look(key('other'))).state).toBe('running');
	});

	it('before it is closed without a further call, loses nothing', async () => {
		const ledger = open('ledger');
		await write(ledger, ...many('before'));
		world.deleteFiles(['-wal']);
		await expectAllAfterwards();
	});

	it.each<[string, readonly string[]]>([
		['by itself', ['-wal']],
		['with its index', ['-wal', '-shm']],
	])('%s under two connections, loses no entry of either', async (_how, suffixes) => {
		const [one, other] = [open('one'), open('other')];
		await write(one, ...many('one before'));
		await write(other, ...many('other before'));
		world.deleteFiles(suffixes);
		await write(one, ...many('one after'));
		await write(other, ...many('other after'));
		await write(one, ...many('one at last'));
		await expectAll(other);
		await expectAll(one);
		expect(replaced).toEqual(['one', 'other']);
		await expectAllAfterwards();
	});

	it('under a connection that is closed last without having noticed, loses nothing', async () => {
		const one = open('one');
		const store = new SqliteStore({ path: world.path });
		const idle = new EventLedger({ store });
		opened.push(idle);
		await write(idle, ...many('idle before'));
		await write(one, 'one before');
		world.deleteFiles(['-wal']);
		await write(one, ...many('one after', 200));
		await one.close();
		await store.close();
		expect(replaced).toEqual(['one']);
		await expectAll(one);
		await expectAllAfterwards();
	});

	it('keeps a new connection from reading, until one that was open has noticed', async () => {
		const [old, late] = [open('old'), open('late')];
		await write(old, ...many('before'));
		world.deleteFiles(['-wal']);
		await expect(late.look(key('before 0'))).rejects.toThrow(/not available/);
		await expectAll(old);
		await write(late, ...many('after'));
		await expectAll(old);
		expect(replaced).toEqual(['old']);
		await expectAllAfterwards();
	});

	it('waits while another process writes', async () => {
		const ledger = open('ledger');
		await write(ledger, 'before');
		const locker = new sqlite.DatabaseSync(world.path);
		locker.exec('BEGIN IMMEDIATE');
		world.deleteFiles(['-wal']);
		const look = ledger.look(key('before'));
		await turn();
		expect(replaced).toEqual([]);
		locker.exec('ROLLBACK');
		expect((await look).state).toBe('stored');
		locker.close();
		await expectAllAfterwards();
	});

	it('waits for a checkpoint, which has the deleted one open', async () => {
		let end = () => undefined as unknown;
		jest.spyOn(thread, 'checkpoint').mockImplementationOnce(
			() =>
				new Promise((resolve) => {
					end = () => {
						resolve();
					};
				}),
		);
		const ledger = open('ledger');
		for (let n = 0; n < 1_000; n++) await ledger.claim(key(`claim ${n}`));
		await write(ledger, 'before');
		world.deleteFiles(['-wal']);
		const look = ledger.look(key('before'));
		await turn();
		expect(replaced).toEqual([]);
		end();
		expect((await look).state).toBe('stored');
		await expectAllAfterwards();
	});

	it('is saved by SQLite if it cannot be written again, and no other process has the file open', async () => {
		const ledger = open('ledger');
		await write(ledger, ...many('before'));
		jest.spyOn(LedgerFiles.prototype, 'restoreLog').mockImplementation(() => {
			throw new Error('The disk is full');
		});
		world.deleteFiles(['-wal']);
		await write(ledger, ...many('after'));
		expect(replaced).toEqual(['ledger']);
		await expectAllAfterwards();
	});

	it('is written again readable only by the owner', async () => {
		const ledger = open('ledger');
		await write(ledger, 'before');
		const other = open('other');
		await other.look(key('before'));
		world.deleteFiles(['-wal']);
		await ledger.look(key('before'));
		expect(statSync(`${world.path}-wal`).mode & 0o777).toBe(0o600);
	});

	it('with the file, is not written next to another file in its place', async () => {
		const ledger = open('ledger');
		await write(ledger, ...many('before'));
		world.deleteFiles();
		const other = open('other');
		await other.look(key('before 0'));
		expect((await ledger.look(key('before 0'))).state).toBe('free');
		expect(replaced).toEqual(['ledger']);
		committed = [];
		await write(ledger, ...many('after'));
		await expectAll(other);
		await expectAllAfterwards();
	});
});
