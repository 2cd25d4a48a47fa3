import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerKey, LedgerUnavailableError, openLedger } from '../../../lib/ledger';

const LEASE_MS = 60_000;

describe('openLedger', () => {
	let folder: string;
	let path: string;
	let env: NodeJS.ProcessEnv;
	let lines: string[];
	const key = ledgerKey('workflow', 'whevt_1');
	const open = () => openLedger({ env, log: (message) => lines.push(message) });

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		path = join(folder, 'ledger.sqlite');
		env = { ASSET_SERVICE_LEDGER_SQLITE_PATH: path };
		lines = [];
	});

	afterEach(async () => {
		await (await open()).close();
		rmSync(folder, { recursive: true });
	});

	it('gives the same ledger to everybody in the process, and says once which store it is, and where', async () => {
		const [ledger, sameMoment] = await Promise.all([open(), open()]);
		expect(sameMoment).toBe(ledger);
		expect(await openLedger({ env: {}, log: (line) => lines.push(line) })).toBe(ledger);
		expect(lines).toEqual([`Event ledger: SQLite at ${path}`]);
	});

	it('makes no file before the first call', async () => {
		const ledger = await open();
		expect(existsSync(path)).toBe(false);
		await ledger.claim(key, LEASE_MS);
		expect(existsSync(path)).toBe(true);
	});

	it('names the variable that is wrong, call by call, until it has been corrected', async () => {
		env['ASSET_SERVICE_LEDGER'] = 'mysql';
		const refused = [open(), open()].map((opening) =>
			expect(opening).rejects.toThrow(LedgerUnavailableError),
		);
		await Promise.all(refused);
		await expect(open()).rejects.toThrow(/ASSET_SERVICE_LEDGER is "mysql"/);
		expect(lines).toEqual([]);
		env['ASSET_SERVICE_LEDGER'] = 'sqlite';
		expect(await (await open()).claim(key, LEASE_MS)).toMatchObject({ state: 'claimed' });
	});

	it('chooses again after the ledger was closed, once or repeatedly', async () => {
		const ledger = await open();
		await ledger.claim(key, LEASE_MS);
		await ledger.close();
		const next = await open();
		expect(next).not.toBe(ledger);
		expect(await next.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
		await ledger.close();
		expect(await open()).toBe(next);
	});

	it.each([
		['worker', undefined],
		['start', 'queue'],
	])(
		'warns in a queue installation (%s, %s) when events begin that it does not know, once a minute',
		async (command, mode) => {
			const warnings: string[] = [];
			env['ASSET_SERVICE_LEDGER'] = 'sqlite';
			if (mode !== undefined) env['EXECUTIONS_MODE'] = mode;
			const ledger = await openLedger({
				env,
				command,
				log: () => undefined,
				warn: (line) => warnings.push(line),
			});
			const claim = await ledger.claim(key, LEASE_MS);
			expect(claim.state).toBe('claimed');
			await ledger.begin([key], 'a run', LEASE_MS);
			expect(warnings).toEqual([]);
			const unknown = [ledgerKey('workflow', '2'), ledgerKey('workflow', '3')];
			await ledger.begin([key, ...unknown], 'a run', LEASE_MS);
			await ledger.begin([ledgerKey('workflow', '4')], 'a run', LEASE_MS);
			expect(warnings).toEqual([
				expect.stringContaining(
					'Executions started for 2 events that the event ledger did not know.',
				),
			]);
		},
	);

	it('does not warn where there is one process', async () => {
		const warnings: string[] = [];
		const warn = (line: string) => warnings.push(line);
		const ledger = await openLedger({ env, command: 'start', log: () => undefined, warn });
		await ledger.begin([key], 'a run', LEASE_MS);
		expect(warnings).toEqual([]);
	});

	it("takes the queue's Redis in queue mode without a word of its password", async () => {
		env['EXECUTIONS_MODE'] = 'queue';
		// Nothing listens on the port of discard.
		env['QUEUE_BULL_REDIS_HOST'] = '127.0.0.1';
		env['QUEUE_BULL_REDIS_PORT'] = '9';
		env['QUEUE_BULL_REDIS_PASSWORD'] = 'hunter2';
		const ledger = await open();
		await expect(ledger.claim(key, LEASE_MS)).rejects.toThrow(
			/^(?!.*hunter2)The event ledger is not available\. Redis at 127\.0\.0\.1:9, database 0 \(QUEUE_BULL_REDIS_HOST\): no server is listening there/,
		);
		expect(lines).toEqual([
			'Event ledger: Redis at 127.0.0.1:9, database 0 (QUEUE_BULL_REDIS_HOST)',
		]);
	});
});
