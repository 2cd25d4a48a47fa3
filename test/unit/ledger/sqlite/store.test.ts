import { readdirSync } from 'node:fs';
import { ledgerKey } from '../../../../lib/ledger';
import { SqliteLedger } from '../../../../lib/ledger/sqlite';
import { commit, LEASE_MS, RETENTION_MS, SqliteWorld } from './world';

const KEY = ledgerKey('workflow', 'whevt_1');

describe('the ledger in SQLite', () => {
	let world: SqliteWorld;

	beforeEach(async () => {
		world = new SqliteWorld();
		// Makes the file.
		await world.ledger.look(KEY);
	});

	afterEach(() => world.remove());

	it.each([
		[0, 'pending'],
		[1, 'committed'],
		[2, 'committed'],
	])('bases a claim on an entry that another process made in between: %d', async (row, state) => {
		let looks = 0;
		const late = new SqliteLedger({
			path: world.path,
			// Asked by the look, and then for the lease.
			now: () => {
				looks += 1;
				const values = `x'${Buffer.from(KEY, 'base64url').toString('hex')}', ${row}, 3000, 3000`;
				const entry = `INSERT INTO entry (key, state, expires, due, grace) VALUES (${values}, 0)`;
				if (looks === 2) world.change(entry);
				return 1_000;
			},
		});
		expect(await late.claim(KEY, LEASE_MS)).toEqual({ state });
		await late.close();
	});

	it('returns the state of a stored or begun event without a write', async () => {
		const { ledger } = world;
		await commit(ledger, KEY);
		world.change(
			"CREATE TRIGGER refuse BEFORE INSERT ON entry BEGIN SELECT RAISE(ABORT, 'refused'); END",
		);
		expect(await ledger.claim(KEY, LEASE_MS)).toEqual({ state: 'committed' });
		world.change('UPDATE entry SET state = 2');
		expect((await ledger.look(KEY)).state).toBe('begun');
		expect(await ledger.claim(KEY, LEASE_MS)).toEqual({ state: 'committed' });
	});

	it('stores all of many events or none', async () => {
		const { ledger } = world;
		const other = ledgerKey('workflow', 'whevt_2');
		const hex = Buffer.from(other, 'base64url').toString('hex').toUpperCase();
		world.change(`CREATE TRIGGER refuse BEFORE INSERT ON entry WHEN hex(NEW.key) = '${hex}'
			BEGIN SELECT RAISE(ABORT, 'refused'); END`);
		await expect(ledger.begin([KEY, other], 'run', RETENTION_MS)).rejects.toThrow();
		expect((await ledger.look(KEY)).state).toBe('free');
		await ledger.begin([KEY], 'run', RETENTION_MS);
		expect((await ledger.look(KEY)).state).toBe('begun');
	});

	it('uses no file any more once it is closed', async () => {
		await commit(world.ledger, KEY);
		await world.ledger.close();
		expect(readdirSync(world.folder)).toEqual(['ledger.sqlite']);
	});
});
