import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type Ledger, ledgerKey } from '../../../../lib/ledger';
import { claimed, openSqlite, SqliteWorld } from './world';

const OLD_ENTRIES = 2_000;
/** For how long a claim is remembered. */
const CLAIM_MS = 24 * 60 * 60_000;

describe('expired entries of the ledger in SQLite', () => {
	let world: SqliteWorld;
	let path: string;
	let ledger: Ledger;
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
		await claimed(ledger, ledgerKey('workflow', `new ${++events}`));
	}

	function add(entries: number, expires: number): void {
		const insert = db.prepare("INSERT INTO entry (key, text, expires) VALUES (?, 'old', ?)");
		db.exec('BEGIN');
		for (let n = 0; n < entries; n++) insert.run(randomBytes(32), expires);
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
		const live = Date.now() + 1_000_000;
		add(OLD_ENTRIES, Date.now() - 1);
		add(OLD_ENTRIES, live);
		const before = events;
		while (count(`expires < ${Date.now()}`) > 0) await claimNext();
		expect(count(`expires = ${live}`)).toBe(OLD_ENTRIES);
		expect(count("text <> 'old'")).toBe(1 + events - before);
	});

	it('stay few when events come and go for long', async () => {
		let now = Date.now();
		const clock = { now: () => now, monotonic: () => now, boot: 'boot' };
		const moving = openSqlite(path, { clock });
		for (let n = 0; n < 4_000; n++) {
			now += CLAIM_MS / 1_000;
			await claimed(moving, ledgerKey('workflow', `moving ${n}`));
		}
		// 1,000 are remembered at any time.
		expect(count('1')).toBeLessThan(1_300);
		await moving.close();
	});

	it('of records that were limited go as others are added, and with entries', async () => {
		const addOld = () => {
			const old = "INSERT INTO record (key, expires, value) VALUES ('old', 1, 'old')";
			db.exec(`${old}; ${old.replace("'old'", "'older'")}`);
		};
		const records = () => db.prepare('SELECT key FROM record ORDER BY key').all();
		addOld();
		await ledger.swapRecord('new', undefined, 'text', 1_000_000);
		expect(records()).toEqual([{ key: 'new' }]);
		addOld();
		for (let n = 0; n < 512; n++) await claimNext();
		expect(records()).toEqual([{ key: 'new' }]);
	});
});
