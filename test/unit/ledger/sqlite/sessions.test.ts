import { ledgerKey } from '../../../../lib/ledger';
import type { Vital } from '../../../../lib/ledger/common/store';
import { encode } from '../../../../lib/ledger/life/entry';
import { SqliteStore } from '../../../../lib/ledger/sqlite/store';
import type { ChangeOptions } from '../../../../lib/ledger/texts/textStore';
import { SqliteWorld } from './world';

const KEY = ledgerKey('workflow', 'whevt_1');
const SESSION_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** A running event of the session `theirs`. */
const TEXT = encode({
	kind: 'running',
	at: 0,
	grace: 0,
	attempts: 1,
	repeats: false,
	reopenings: 0,
	holder: 'theirs',
});

describe('sessions in SQLite', () => {
	let world: SqliteWorld;
	let store: SqliteStore;
	let monotonicMs: number;
	let now: number;
	let opened: { close(): Promise<void> }[];

	const openStore = (boot = 'boot 1') => {
		const made = new SqliteStore({
			path: world.path,
			clock: { now: () => now, monotonic: () => monotonicMs, boot },
		});
		opened.push(made);
		return made;
	};

	beforeEach(() => {
		world = new SqliteWorld();
		monotonicMs = 7 * DAY_MS;
		now = Date.now();
		opened = [];
		store = openStore();
	});

	afterEach(async () => {
		for (const each of opened) await each.close();
		await world.remove();
	});

	/** What another process learns about the holder of an entry. */
	async function vitalOf(of: SqliteStore = store): Promise<Vital | undefined> {
		let vital: Vital | undefined;
		const options: ChangeOptions = {
			...{ keepMs: 1_000_000, isDurable: false, session: 'mine' },
			isDead: (found) => {
				vital = found;
				return false;
			},
		};
		await of.change([{ key: KEY }], () => ({ result: 0, text: TEXT }), options);
		await of.change([{ key: KEY }], () => ({ result: 0 }), options);
		return vital;
	}

	it('are alive for 60 s of the monotonic clock, whatever the wall clock shows', async () => {
		expect(await store.renewSession('theirs')).toBe(false);
		now += 40 * DAY_MS;
		monotonicMs += SESSION_MS - 1;
		expect(await vitalOf()).toBe('alive');
		now -= 80 * DAY_MS;
		monotonicMs += 1;
		expect(await vitalOf()).toBe('gone');
	});

	it('stay when they were renewed while another process opens its own', async () => {
		monotonicMs += 5;
		await store.renewSession('theirs');
		monotonicMs -= 5;
		await openStore().renewSession('mine');
		monotonicMs += 10;
		expect(await vitalOf()).toBe('alive');
	});

	it('are closed at once, before the call returns', async () => {
		await store.renewSession('theirs');
		const closed = store.closeSession('theirs');
		expect(world.query('SELECT closed FROM session')).toEqual([{ closed: 1 }]);
		await closed;
		expect(await vitalOf()).toBe('closed');
		// A renewal may be on its way to the thread when a process ends.
		expect(await store.renewSession('theirs')).toBe(false);
		expect(await vitalOf()).toBe('closed');
	});

	it('are gone when the host was started again', async () => {
		await store.renewSession('theirs');
		const rebooted = openStore('boot 2');
		expect(await vitalOf(rebooted)).toBe('gone');
		await rebooted.renewSession('mine');
		expect(world.query('SELECT name FROM session')).toEqual([{ name: 'mine' }]);
	});

	it('are gone when the monotonic clock has gone back, where nothing else shows a start', async () => {
		const before = openStore('');
		await before.renewSession('theirs');
		monotonicMs = 1_000;
		const rebooted = openStore('');
		expect(await vitalOf(rebooted)).toBe('gone');
		await rebooted.renewSession('mine');
		expect(world.query('SELECT name FROM session')).toEqual([{ name: 'mine' }]);
	});

	it('are forgotten a day after they were renewed or closed, when another one is opened', async () => {
		const names = () => world.query('SELECT name FROM session ORDER BY name');
		await store.renewSession('a lapsed one');
		await store.renewSession('theirs');
		await store.closeSession('theirs');
		monotonicMs += DAY_MS;
		await store.renewSession('another');
		expect(names()).toEqual([{ name: 'a lapsed one' }, { name: 'another' }, { name: 'theirs' }]);
		monotonicMs += 1;
		await store.renewSession('mine');
		expect(names()).toEqual([{ name: 'another' }, { name: 'mine' }]);
	});
});
