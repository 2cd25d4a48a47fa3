import { join, resolve } from 'node:path';
import { LedgerUnavailableError } from '../../../lib/ledger';
import { chooseStore } from '../../../lib/ledger/open';
import { sqliteUnavailableError } from '../../../lib/ledger/sqlite/files';

describe('the choice of the store', () => {
	const { platform: here } = process;

	afterEach(() => {
		Object.defineProperty(process, 'platform', { value: here });
	});

	it.each([
		['linux', '/home/node'],
		['win32', '/users/node'],
	] as const)('is SQLite in the data folder of n8n by default, on %s too', (platform, home) => {
		Object.defineProperty(process, 'platform', { value: platform });
		expect(chooseStore({ HOME: '/home/node', USERPROFILE: '/users/node' })).toEqual({
			store: 'sqlite',
			path: join(home, '.n8n', 'asset-service-ledger.sqlite'),
		});
	});

	it('follows N8N_USER_FOLDER as n8n does', () => {
		expect(chooseStore({ HOME: '/home/node', N8N_USER_FOLDER: '/data' })).toEqual({
			store: 'sqlite',
			path: join('/data', '.n8n', 'asset-service-ledger.sqlite'),
		});
	});

	it('takes the file that ASSET_SERVICE_LEDGER_SQLITE_PATH names', () => {
		const path = { ASSET_SERVICE_LEDGER_SQLITE_PATH: '/var/lib/ledger.db' };
		expect(chooseStore(path)).toEqual({ store: 'sqlite', path: resolve('/var/lib/ledger.db') });
		for (const relative of ['ledger.db', 'not-redis:ledger.db']) {
			const env = { ASSET_SERVICE_LEDGER_SQLITE_PATH: relative };
			expect(chooseStore(env)).toEqual({ store: 'sqlite', path: resolve(relative) });
		}
	});

	it("is the queue's Redis in queue mode", () => {
		const env = { EXECUTIONS_MODE: 'queue', QUEUE_BULL_REDIS_HOST: 'redis.local' };
		const choice = chooseStore(env);
		if (choice.store !== 'redis') throw new Error('SQLite was chosen');
		expect(choice.settings.address).toEqual({ host: 'redis.local', port: 6379 });
	});

	it.each([
		['sqlite', 'queue', 'sqlite'],
		['redis', 'regular', 'redis'],
		['auto', 'queue', 'redis'],
		['auto', 'regular', 'sqlite'],
		['', 'queue', 'redis'],
		[' Redis ', 'regular', 'redis'],
	])('with ASSET_SERVICE_LEDGER "%s" in %s mode is %s', (wanted, mode, store) => {
		const env = { ASSET_SERVICE_LEDGER: wanted, EXECUTIONS_MODE: mode, HOME: '/home/node' };
		expect(chooseStore(env).store).toBe(store);
	});

	it.each([
		['worker', 'redis'],
		['webhook', 'redis'],
		['start', 'sqlite'],
		[undefined, 'sqlite'],
	])('by the command of n8n: %s uses %s, whatever EXECUTIONS_MODE says', (command, store) => {
		expect(chooseStore({ HOME: '/home/node' }, command).store).toBe(store);
		expect(chooseStore({ EXECUTIONS_MODE: 'queue' }, command).store).toBe('redis');
		const env = { HOME: '/home/node', EXECUTIONS_MODE: 'regular' };
		expect(chooseStore(env, command).store).toBe(store);
	});

	it('is the Redis that ASSET_SERVICE_LEDGER_REDIS_URL names, unless SQLite is wanted', () => {
		const env = { ASSET_SERVICE_LEDGER_REDIS_URL: 'redis://ledger.local:6379', HOME: '/home/node' };
		expect(chooseStore(env)).toMatchObject({
			store: 'redis',
			settings: { address: { host: 'ledger.local', port: 6379 } },
		});
		expect(chooseStore({ ...env, ASSET_SERVICE_LEDGER: 'sqlite' }).store).toBe('sqlite');
	});

	it('names the wrong variable and its allowed values', () => {
		const choose = () => chooseStore({ ASSET_SERVICE_LEDGER: 'postgres' });
		expect(choose).toThrow(LedgerUnavailableError);
		expect(choose).toThrow(/ASSET_SERVICE_LEDGER is "postgres".*auto, sqlite, redis/);
		const odd = () => chooseStore({ ASSET_SERVICE_LEDGER: 'no word' });
		expect(odd).toThrow(/ASSET_SERVICE_LEDGER is not a known value\. Set it/);
	});

	it.each([
		['ASSET_SERVICE_LEDGER', 'redis://user:hunter2@redis:6379'],
		['ASSET_SERVICE_LEDGER', 'x://user:hun ter2@redis\n'],
		['ASSET_SERVICE_LEDGER_SQLITE_PATH', 'redis://user:hunter2@redis:6379'],
		['ASSET_SERVICE_LEDGER_SQLITE_PATH_FILE', '/hunter2'],
		['ASSET_SERVICE_LEDGER_REDIS_URL', 'redis://user:hunter2/3@redis'],
		['ASSET_SERVICE_LEDGER_REDIS_URL_FILE', 'redis://user:hunter2@redis:6379'],
	])('repeats nothing of a wrong value of %s, which may hold a password: %j', (name, value) => {
		const store = name.includes('REDIS') ? { ASSET_SERVICE_LEDGER: 'redis' } : {};
		const choose = () => chooseStore({ ...store, [name]: value });
		expect(choose).toThrow(LedgerUnavailableError);
		expect(choose).toThrow(new RegExp(`^(?!.*(hun|ter2))[^\n]*${name}`));
	});

	it('names a path on one line and within bounds, whatever it holds', () => {
		const path = `/${'\u001b[31m\n'.repeat(2000)}`;
		const { message } = sqliteUnavailableError(path, new Error('no'));
		expect(message).toMatch(/^The event ledger is not available\. \/[^\n\u001b]+$/);
		expect(message.length).toBeLessThanOrEqual(1000);
		expect(message).toContain('ASSET_SERVICE_LEDGER_SQLITE_PATH');
	});
});
