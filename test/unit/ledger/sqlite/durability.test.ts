import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type EntryState, type Ledger, ledgerKey } from '../../../../lib/ledger';
import { checkpoint } from '../../../../lib/ledger/sqlite/checkpoint';
import { Disk } from './disk';
import { BEGINNING, commit, openSqlite } from './world';

const SLOW_MS = 120_000;

describe('a result of the ledger in SQLite, after a power cut', () => {
	let disk: Disk;
	let ledger: Ledger;
	/** The returned results, by event. */
	let answered: Map<string, EntryState>;

	beforeEach(() => {
		disk = new Disk();
		ledger = disk.open();
		answered = new Map();
	});

	afterEach(async () => {
		await ledger.close();
		disk.remove();
	});

	async function store(event: string): Promise<void> {
		await commit(ledger, ledgerKey('workflow', event));
		answered.set(event, 'stored');
	}

	async function begin(event: string): Promise<void> {
		await ledger.begin([ledgerKey('workflow', event)], { ...BEGINNING, reportsEnd: false });
		answered.set(event, 'begun');
	}

	/** Every result returned so far survives a power cut now. */
	async function expectKept(log?: Buffer): Promise<void> {
		const expected = [...answered];
		expect(await disk.afterPowerCut((left) => statesIn(left, answered.keys()), log)).toEqual(
			expected,
		);
	}

	async function expectKeptInPlace(): Promise<void> {
		const fresh = openSqlite(disk.path);
		expect(await statesIn(fresh, answered.keys())).toEqual([...answered]);
		await fresh.close();
	}

	it('is there: each commit and each begin', async () => {
		await store('a');
		await expectKept();
		await begin('a');
		await begin('b');
		await expectKept();
		expect(disk.syncs).toBe(3);
	});

	it(
		'is there with any number of concurrent calls, each time one returns',
		async () => {
			const cuts: { log: Buffer; answered: [string, EntryState][] }[] = [];
			const work = async (event: string) => {
				await store(event);
				cuts.push({ log: disk.log, answered: [...answered] });
				await begin(event);
				cuts.push({ log: disk.log, answered: [...answered] });
			};
			const events = Array.from({ length: 60 }, (_unused, n) => String(n));
			await Promise.all(
				events.map(async (event, n) => {
					// They come one after the other, into syncs that are under way.
					for (let turns = 0; turns < n; turns++) await turn();
					await work(event);
				}),
			);
			expect(cuts).toHaveLength(2 * events.length);
			expect(disk.syncs).toBeLessThan(2 * events.length);
			for (const cut of cuts.filter((_cut, n) => n % 7 === 0 || n === cuts.length - 1)) {
				const left = await disk.afterPowerCut(
					(restarted) =>
						statesIn(
							restarted,
							cut.answered.map(([event]) => event),
						),
					cut.log,
				);
				// More may be there than was returned, but never less.
				for (const [n, [event, state]] of cut.answered.entries()) {
					expect([event, left[n]?.[1]]).toEqual([
						event,
						state === 'begun' ? 'begun' : expect.stringMatching(/stored|begun/),
					]);
				}
			}
		},
		SLOW_MS,
	);

	it(
		'is there after a checkpoint by the thread, and so are later results',
		async () => {
			for (let n = 0; n < 30; n++) await store(`before ${n}`);
			const before = disk.log;
			await checkpoint(disk.path);
			await disk.checkpointed();
			// Whether the new log has reached the disk or not.
			await expectKept();
			await expectKept(before);
			for (let n = 0; n < 3; n++) {
				await begin(`before ${n}`);
				await store(`after ${n}`);
			}
			await expectKept();
		},
		SLOW_MS,
	);

	it(
		'is there after a checkpoint and a new log by another process',
		async () => {
			for (let n = 0; n < 30; n++) await store(`before ${n}`);
			for (const kind of ['PASSIVE', 'RESTART', 'TRUNCATE']) {
				await inOtherProcess(disk.path, `PRAGMA wal_checkpoint(${kind})`);
				await disk.checkpointed();
				await expectKept();
				await begin(`before ${kind}`);
				await store(`after ${kind}`);
				await expectKept();
			}
		},
		SLOW_MS,
	);

	it(
		'is there when a checkpoint comes between a write and its sync',
		async () => {
			await store('before');
			disk.beforeSync = async () => {
				await checkpoint(disk.path);
			};
			await store('meanwhile');
			await disk.checkpointed();
			await expectKept();
			await store('after');
			await expectKept();
		},
		SLOW_MS,
	);

	describe('when the file is deleted between a write and its sync', () => {
		it('is in the new one that another has made', async () => {
			const other = openSqlite(disk.path);
			await store('gone');
			answered.clear();
			disk.beforeSync = async () => {
				remove(disk.path);
				await other.claim(ledgerKey('workflow', 'other'));
			};
			await store('kept');
			await begin('begun');
			await expectKept();
			await expectKeptInPlace();
			await other.close();
		});
	});

	it('is an error when the disk fails, and is there when it works again', async () => {
		await store('before');
		disk.beforeSync = () => Promise.reject(Object.assign(new Error('i/o error'), { code: 'EIO' }));
		await expect(begin('failed')).rejects.toThrow(/ledger\.sqlite: the disk failed.*\(EIO\)/);
		await expectKept();
		await begin('failed');
		await store('after');
		await expectKept();
	});
});

async function statesIn(ledger: Ledger, events: Iterable<string>): Promise<[string, EntryState][]> {
	const states: [string, EntryState][] = [];
	for (const event of events)
		states.push([event, (await ledger.look(ledgerKey('workflow', event))).state]);
	return states;
}

function remove(path: string): void {
	for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

async function inOtherProcess(path: string, sql: string): Promise<void> {
	const program = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).prepare(process.argv[2]).all()`;
	await promisify(execFile)(process.execPath, ['-e', program, path, sql]);
}
