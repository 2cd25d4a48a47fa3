import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { ledgerKey } from '../../../../lib/ledger';
import { SqliteLedger } from '../../../../lib/ledger/sqlite';
import { BEGUN, STORED } from '../../../../lib/ledger/sqlite/statements';
import { LEASE_MS, SqliteWorld } from './world';

const OLD_ENTRIES = 2_000;

describe('expired entries of the ledger in SQLite', () => {
	let world: SqliteWorld;
	let path: string;
	let ledger: SqliteLedger;
	let db: DatabaseSync;
	let events = 0;

	beforeEach(async () => {
		world = new SqliteWorld();
		({ path, ledger } = world);
		await claimNext();
		db = new DatabaseSync(path);
	});

	afterEach(async () => {
		db.close();
		await world.remove();
	});

	async function claimNext(): Promise<void> {
		await ledger.claim(ledgerKey('workflow', `new ${++events}`), LEASE_MS);
	}

	function add(entries: number, expires: number, state = STORED): void {
		const insert = db.prepare(
			'INSERT INTO entry (key, state, expires, due, grace) VALUES (?, ?, ?, 0, 900000)',
		);
		db.exec('BEGIN');
		for (let n = 0; n < entries; n++) insert.run(randomBytes(32), state, expires);
		db.exec('COMMIT');
	}

	function count(where: string): number {
		return Number(
			db.prepare(`SELECT count(*) AS entries FROM entry WHERE ${where}`).get()?.['entries'],
		);
	}

	it('go along with claims, a few at a time, until none is left', async () => {
		add(OLD_ENTRIES, Date.now() - 1);
		const old = () => count(`expires < ${Date.now()}`);
		let left = old();
		let claims = 0;
		while (left > 0) {
			await claimNext();
			claims += 1;
			const now = old();
			expect(left - now).toBeLessThanOrEqual(64);
			left = now;
			if (claims > OLD_ENTRIES) throw new Error(`${left} are left after ${claims} claims`);
		}
		// Eight entries are looked at for each claim, the new ones among them.
		expect(claims).toBeLessThan(OLD_ENTRIES / 4);
		expect(claims).toBeGreaterThan(OLD_ENTRIES / 16);
	});

	it('are the only ones to go', async () => {
		add(OLD_ENTRIES, Date.now() + 1_000_000);
		for (let n = 0; n < 500; n++) await claimNext();
		expect(count('holder IS NULL')).toBe(OLD_ENTRIES);
		expect(count('holder IS NOT NULL')).toBe(501);
	});

	it('go from between others that are overdue or begun, whose retention lasts', async () => {
		const live = Date.now() + 1_000_000;
		add(OLD_ENTRIES, Date.now() - 1);
		add(OLD_ENTRIES, live, STORED);
		add(OLD_ENTRIES, live, BEGUN);
		while (count(`expires < ${Date.now()}`) > 0) await claimNext();
		expect(count(`expires = ${live} AND state = ${STORED}`)).toBe(OLD_ENTRIES);
		expect(count(`expires = ${live} AND state = ${BEGUN}`)).toBe(OLD_ENTRIES);
	});

	it('stay few when events come and go for long', async () => {
		let now = Date.now();
		const moving = new SqliteLedger({ path, now: () => now });
		for (let n = 0; n < 4_000; n++) {
			now += 1_000;
			await moving.claim(ledgerKey('workflow', `moving ${n}`), 1_000_000);
		}
		// 1,000 are within their lease at any time.
		expect(count('1')).toBeLessThan(1_300);
		await moving.close();
	});
});
