import { DatabaseSync } from 'node:sqlite';
import { ledgerKey } from '../../../../lib/ledger';
import { FIRST_GRACE_MS } from '../../../../lib/ledger/common/types';
import { useForEach } from '../../../support/lifetime';
import { LEASE_MS, RETENTION_MS, SqliteWorld } from './world';

/** As version 1 made it. */
const VERSION_1 = `CREATE TABLE entry (
	key BLOB NOT NULL PRIMARY KEY,
	state INTEGER NOT NULL,
	expires INTEGER NOT NULL,
	due INTEGER NOT NULL,
	grace INTEGER NOT NULL,
	holder TEXT
) WITHOUT ROWID;
CREATE TABLE record (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = 1095988835;
PRAGMA user_version = 1;`;

const HELD_TOKEN = 'AAAAAAAAAAAAAAAAAAAAAA';
const OLD_RUN = '7:BBBBBBBBBBBBBBBBBBBBBB';

describe('a file of the ledger that version 1 wrote', () => {
	const world = useForEach(() => new SqliteWorld());
	const [begun, stored, overdue, pending] = ['begun', 'stored', 'overdue', 'pending'].map((id) =>
		ledgerKey('workflow', id),
	) as [string, string, string, string];

	/** Written as version 1 did: 0 is pending, 1 stored, 2 begun, whose run is the holder. */
	function writeVersion1(more = 0): void {
		const db = new DatabaseSync(world.path);
		db.exec(`PRAGMA journal_mode = WAL; ${VERSION_1}`);
		const until = Date.now() + RETENTION_MS;
		const now = Date.now();
		const add = db.prepare('INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)');
		const id = (key: string) => Buffer.from(key, 'base64url');
		db.exec('BEGIN');
		add.run(id(begun), 2, until, 0, 0, OLD_RUN);
		add.run(id(stored), 1, until, now + FIRST_GRACE_MS, FIRST_GRACE_MS, HELD_TOKEN);
		add.run(id(overdue), 1, until, now - 1, FIRST_GRACE_MS, HELD_TOKEN);
		add.run(id(pending), 0, now + LEASE_MS, now + LEASE_MS, 0, HELD_TOKEN);
		for (let n = 0; n < more; n++) {
			add.run(id(ledgerKey('workflow', String(n))), 2, until, 0, 0, OLD_RUN);
		}
		db.exec('COMMIT');
		db.exec("INSERT INTO record VALUES ('name', 'value')");
		db.close();
	}

	it('keeps the state of every event, and its records', async () => {
		writeVersion1();
		const states = [begun, stored, overdue, pending].map(
			async (key) => (await world.ledger.look(key)).state,
		);
		expect(await Promise.all(states)).toEqual(['begun', 'stored', 'overdue', 'pending']);
		expect(await world.ledger.readRecord('name')).toBe('value');
	});

	it('lets the run that has begun ask again and give back, and no other', async () => {
		writeVersion1();
		const { ledger } = world;
		expect(await ledger.begin([begun], 'another', RETENTION_MS)).toEqual([false]);
		await ledger.giveBack([begun], 'another', RETENTION_MS);
		expect(await ledger.begin([begun], OLD_RUN, RETENTION_MS)).toEqual([true]);
		await ledger.giveBack([begun], OLD_RUN, RETENTION_MS);
		expect(await ledger.look(begun)).toEqual({ state: 'overdue', attempts: 0 });
	});

	it('lets the run that has begun give back at once', async () => {
		writeVersion1();
		await world.ledger.giveBack([begun], OLD_RUN, RETENTION_MS);
		expect(await world.ledger.look(begun)).toEqual({ state: 'overdue', attempts: 0 });
	});

	it('lets the holder of a claim renew, begin and finish, or release', async () => {
		writeVersion1();
		const { ledger } = world;
		const claim = { key: pending, token: HELD_TOKEN };
		expect(await ledger.renew(claim, LEASE_MS)).toBe(true);
		expect(await ledger.begin([pending], 'run', RETENTION_MS, [HELD_TOKEN])).toEqual([true]);
		expect(await ledger.finishAll([claim], RETENTION_MS)).toEqual([true]);
		expect(await ledger.look(pending)).toEqual({ state: 'done', attempts: 1, run: 'run' });
	});

	it('lets stored events begin, overdue ones be claimed, and a user reopen begun ones', async () => {
		writeVersion1();
		const { ledger } = world;
		expect(await ledger.commit({ key: stored, token: HELD_TOKEN }, RETENTION_MS)).toBe(true);
		expect(await ledger.begin([stored], 'run', RETENTION_MS)).toEqual([true]);
		expect(await ledger.claim(overdue, LEASE_MS)).toMatchObject({ state: 'claimed', attempts: 0 });
		expect(await ledger.reopen([begun], 1, RETENTION_MS)).toMatchObject([{ state: 'begun' }]);
		expect(await ledger.claim(begun, LEASE_MS)).toMatchObject({ state: 'claimed', reopenedAt: 1 });
	});

	it('is brought up to date without a change to any of 100,000 rows', async () => {
		writeVersion1(100_000);
		await world.ledger.look(begun);
		const db = new DatabaseSync(world.path);
		// Pages that SQLite itself counts as written to the log, a few for the schema.
		const [log] = Object.values(db.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {}).slice(1);
		const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count']);
		db.close();
		expect(pages).toBeGreaterThan(1_000);
		expect(Number(log)).toBeLessThan(10);
		expect((await world.ledger.look(ledgerKey('workflow', '99999'))).state).toBe('begun');
	});
});
