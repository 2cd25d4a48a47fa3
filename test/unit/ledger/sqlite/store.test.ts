import { readdirSync } from 'node:fs';
import { ledgerKey } from '../../../../lib/ledger';
import { SqliteStore } from '../../../../lib/ledger/sqlite/store';
import type { ChangeOptions } from '../../../../lib/ledger/texts/textStore';
import { BEGINNING, claimed, commit, RETENTION_MS, SqliteWorld } from './world';

const KEY = ledgerKey('workflow', 'whevt_1');
const OTHER_KEY = ledgerKey('workflow', 'whevt_2');
const HEX = Buffer.from(KEY, 'base64url').toString('hex');
const OTHER_HEX = Buffer.from(OTHER_KEY, 'base64url').toString('hex').toUpperCase();
const CHANGING: ChangeOptions = {
	keepMs: RETENTION_MS,
	isDurable: false,
	session: 'session',
	isDead: () => false,
};

describe('the ledger in SQLite', () => {
	let world: SqliteWorld;

	beforeEach(async () => {
		world = new SqliteWorld();
		// Makes the file.
		await world.ledger.look(KEY);
	});

	afterEach(() => world.remove());

	it.each([
		['adds', [], `INSERT INTO entry VALUES (x'${HEX}', 'theirs', 9e15)`, 'theirs'],
		['changes', ['first'], `UPDATE entry SET text = 'theirs'`, 'theirs'],
		['removes', ['first'], 'DELETE FROM entry', undefined],
		[
			'takes over',
			['first', null],
			`INSERT INTO entry VALUES (x'${HEX}', 'theirs', 9e15)`,
			'theirs',
		],
	])(
		'applies a step again to an entry that another process %s in between',
		async (_how, before, sql, expected) => {
			const store = new SqliteStore({ path: world.path });
			const write = async (text: string | null) => {
				await store.change([{ key: KEY }], () => ({ result: undefined, text }), CHANGING);
			};
			for (const text of before) await write(text);
			const seen: unknown[] = [];
			await store.change(
				[{ key: KEY }],
				({ text }) => {
					seen.push(text);
					if (seen.length === 1) world.change(sql);
					return { result: undefined, text: 'mine' };
				},
				CHANGING,
			);
			expect(seen).toEqual([before.at(-1) ?? undefined, expected]);
			expect(
				await store.change([{ key: KEY }], ({ text }) => ({ result: text }), CHANGING),
			).toEqual(['mine']);
			await store.close();
		},
	);

	it('returns the state of a stored or begun event without a write', async () => {
		const { ledger } = world;
		await commit(ledger, KEY);
		world.refuse('INSERT', 'UPDATE');
		expect(await ledger.claim(KEY)).toEqual({ state: 'committed' });
		world.allow();
		await ledger.begin([KEY], BEGINNING);
		world.refuse('INSERT', 'UPDATE');
		expect((await ledger.look(KEY)).state).toBe('running');
		expect(await ledger.claim(KEY)).toEqual({ state: 'committed' });
	});

	it('rejects a claim whose row cannot be written, and claims when it can', async () => {
		const { ledger } = world;
		world.refuse('INSERT', 'UPDATE');
		await expect(ledger.claim(KEY)).rejects.toThrow(/SQLite failed: .*\(SQLite error 19\)/);
		world.allow();
		expect((await ledger.look(KEY)).state).toBe('free');
		await ledger.release([await claimed(ledger, KEY)]);
		await ledger.reopen([KEY], 1, RETENTION_MS);
		world.refuse('INSERT', 'UPDATE');
		await expect(ledger.claim(KEY)).rejects.toThrow(/SQLite failed: /);
		world.allow();
		expect((await ledger.look(KEY)).state).toBe('overdue');
		await claimed(ledger, KEY);
	});

	it('rejects the release of a claim whose row cannot be removed', async () => {
		const { ledger } = world;
		const claim = await claimed(ledger, KEY);
		world.refuse('DELETE');
		await expect(ledger.release([claim])).rejects.toThrow(/SQLite failed: /);
		world.allow();
		expect((await ledger.look(KEY)).state).toBe('pending');
		await ledger.release([claim]);
		expect((await ledger.look(KEY)).state).toBe('free');
	});

	it('begins all of many events or none', async () => {
		const { ledger } = world;
		world.refuse(`INSERT ON entry WHEN hex(NEW.key) = '${OTHER_HEX}'`);
		await expect(ledger.begin([KEY, OTHER_KEY], BEGINNING)).rejects.toThrow();
		expect((await ledger.look(KEY)).state).toBe('free');
		world.allow();
		expect(await ledger.begin([KEY, OTHER_KEY], BEGINNING)).toEqual([true, true]);
		expect((await ledger.look(OTHER_KEY)).state).toBe('running');
	});

	it('sees the change of an event that is named twice', async () => {
		const store = new SqliteStore({ path: world.path });
		const add = (
			{ text = '' }: { readonly text: string | undefined },
			{ n }: { readonly n: number },
		) => ({ result: text, text: `${text}${n}` });
		const twice = [1, 2].map((n) => ({ key: KEY, n }));
		expect(await store.change(twice, add, CHANGING)).toEqual(['', '1']);
		await store.close();
	});

	it('uses no file any more once it is closed', async () => {
		await commit(world.ledger, KEY);
		await world.ledger.close();
		expect(readdirSync(world.folder)).toEqual(['ledger.sqlite']);
	});
});
