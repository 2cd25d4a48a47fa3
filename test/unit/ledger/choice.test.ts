import { join, resolve } from 'node:path';
import { LedgerUnavailableError, openLedger } from '../../../lib/ledger';
import { sqliteUnavailableError } from '../../../lib/ledger/sqlite/files';

describe('the choice of the store', () => {
	const { platform: here } = process;

	afterEach(() => {
		Object.defineProperty(process, 'platform', { value: here });
	});

	/** The log line of a process that n8n starts with this command. */
	async function chosen(env: NodeJS.ProcessEnv, command?: string): Promise<string> {
		const lines: string[] = [];
		const ledger = await openLedger({ env, command, log: (line) => lines.push(line) });
		await ledger.close();
		return lines.join();
	}
	const sqlite = (path: string) => `Event ledger: SQLite at ${path}`;
	const kinds = { sqlite: /^Event ledger: SQLite/, redis: /^Event ledger: Redis/ };

	it.each([
		['linux', '/home/node'],
		['win32', '/users/node'],
	] as const)(
		'is SQLite in the data folder of n8n by default, on %s too',
		async (platform, home) => {
			Object.defineProperty(process, 'platform', { value: platform });
			expect(await chosen({ HOME: '/home/node', USERPROFILE: '/users/node' })).toBe(
				sqlite(join(home, '.n8n', 'asset-service-ledger.sqlite')),
			);
		},
	);

	it('follows N8N_USER_FOLDER as n8n does', async () => {
		expect(await chosen({ HOME: '/home/node', N8N_USER_FOLDER: '/data' })).toBe(
			sqlite(join('/data', '.n8n', 'asset-service-ledger.sqlite')),
		);
	});

	it.each(['/var/lib/ledger.db', 'ledger.db', 'not-redis:ledger.db'])(
		'takes the file that ASSET_SERVICE_LEDGER_SQLITE_PATH names: %s',
		async (path) => {
			expect(await chosen({ ASSET_SERVICE_LEDGER_SQLITE_PATH: path })).toBe(sqlite(resolve(path)));
		},
	);

	it.each([
		['sqlite', 'queue', 'sqlite'],
		['redis', 'regular', 'redis'],
		['auto', 'queue', 'redis'],
		['auto', 'regular', 'sqlite'],
		['', 'queue', 'redis'],
		[' Redis ', 'regular', 'redis'],
	] as const)('with ASSET_SERVICE_LEDGER "%s" in %s mode is %s', async (wanted, mode, store) => {
		const env = { ASSET_SERVICE_LEDGER: wanted, EXECUTIONS_MODE: mode, HOME: '/home/node' };
		expect(await chosen(env)).toMatch(kinds[store]);
	});

	it.each([
		['worker', 'redis'],
		['webhook', 'redis'],
		['start', 'sqlite'],
		[undefined, 'sqlite'],
	] as const)(
		'by the command of n8n: %s uses %s, whatever EXECUTIONS_MODE says',
		async (command, store) => {
			const HOME = '/home/node';
			expect(await chosen({ HOME }, command)).toMatch(kinds[store]);
			expect(await chosen({ EXECUTIONS_MODE: 'queue' }, command)).toMatch(kinds.redis);
			expect(await chosen({ HOME, EXECUTIONS_MODE: 'regular' }, command)).toMatch(kinds[store]);
		},
	);

	it('is the Redis that ASSET_SERVICE_LEDGER_REDIS_URL names, unless SQLite is wanted', async () => {
		const env = { ASSET_SERVICE_LEDGER_REDIS_URL: 'redis://ledger.local:6379', HOME: '/home/node' };
		expect(await chosen(env)).toMatch(/^Event ledger: Redis at ledger\.local:6379,/);
		expect(await chosen({ ...env, ASSET_SERVICE_LEDGER: 'sqlite' })).toMatch(kinds.sqlite);
	});

	it.each([
		['postgres', /ASSET_SERVICE_LEDGER is "postgres".*auto, sqlite, redis/],
		['no word', /ASSET_SERVICE_LEDGER is not a known value\. Set it/],
	])('names the wrong variable and its allowed values: %s', async (value, words) => {
		await expect(chosen({ ASSET_SERVICE_LEDGER: value })).rejects.toThrow(words);
	});

	it.each([
		['ASSET_SERVICE_LEDGER', 'redis://user:hunter2@redis:6379'],
		['ASSET_SERVICE_LEDGER', 'x://user:hun ter2@redis\n'],
		['ASSET_SERVICE_LEDGER_SQLITE_PATH', 'redis://user:hunter2@redis:6379'],
		['ASSET_SERVICE_LEDGER_SQLITE_PATH_FILE', '/hunter2'],
		['ASSET_SERVICE_LEDGER_REDIS_URL', 'redis://user:hunter2/3@redis'],
		['ASSET_SERVICE_LEDGER_REDIS_URL_FILE', 'redis://user:hunter2@redis:6379'],
	])(
		'repeats nothing of a wrong value of %s, which may hold a password: %j',
		async (name, value) => {
			const store = name.includes('REDIS') ? { ASSET_SERVICE_LEDGER: 'redis' } : {};
			const error: unknown = await chosen({ ...store, [name]: value }).catch(
				(thrown: unknown) => thrown,
			);
			expect(error).toBeInstanceOf(LedgerUnavailableError);
			expect(String(error)).toMatch(new RegExp(`^(?!.*(hun|ter2))[^\n]*${name}`));
		},
	);

	it('names a path on one line and within bounds, whatever it holds', () => {
		const path = `/${'\u001b[31m\n'.repeat(2000)}`;
		const { message } = sqliteUnavailableError(path, new Error('no'));
		expect(message).toMatch(/^The event ledger is not available\. \/[^\n\u001b]+$/);
		expect(message.length).toBeLessThanOrEqual(1000);
		expect(message).toContain('ASSET_SERVICE_LEDGER_SQLITE_PATH');
	});
});
