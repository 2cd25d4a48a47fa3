import { join, resolve } from 'node:path';
import { LedgerUnavailableError } from '../../../lib/ledger';
import { chooseStore } from '../../../lib/ledger/choice';

describe('the choice of the store', () => {
	it('is SQLite in the data folder of n8n by default', () => {
		expect(chooseStore({ HOME: '/home/node', USERPROFILE: '/home/node' })).toEqual({
			store: 'sqlite',
			path: join('/home/node', '.n8n', 'asset-service-ledger.sqlite'),
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
		const relative = { ASSET_SERVICE_LEDGER_SQLITE_PATH: 'ledger.db' };
		expect(chooseStore(relative)).toEqual({ store: 'sqlite', path: resolve('ledger.db') });
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

	it('says which variable is wrong, and what it may be', () => {
		const choose = () => chooseStore({ ASSET_SERVICE_LEDGER: 'postgres' });
		expect(choose).toThrow(LedgerUnavailableError);
		expect(choose).toThrow(/ASSET_SERVICE_LEDGER is "postgres".*auto, sqlite, redis/);
	});
});
