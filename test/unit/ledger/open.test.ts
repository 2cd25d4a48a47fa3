import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerKey, LedgerUnavailableError, openLedger } from '../../../lib/ledger';
import { EventLedger } from '../../../lib/ledger/eventLedger';
import { SqliteStore } from '../../../lib/ledger/sqlite/store';
import { sleep } from '../../../lib/shared/pace';
import { advanceUntil, stopTheClock } from './redis/scriptedRedis';

const BEGINNING = { run: 'a run', acknowledge: 'stored', retentionMs: 60_000 } as const;

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
		await ledger.claim(key);
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
		expect(await (await open()).claim(key)).toMatchObject({ state: 'claimed' });
	});

	it('chooses again after the ledger was closed, once or repeatedly', async () => {
		const ledger = await open();
		await ledger.claim(key);
		await ledger.close();
		const next = await open();
		expect(next).not.toBe(ledger);
		expect(await next.claim(key)).toMatchObject({ state: 'claimed' });
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
			const claim = await ledger.claim(key);
			expect(claim.state).toBe('claimed');
			await ledger.begin([key], BEGINNING);
			expect(warnings).toEqual([]);
			const unknown = [ledgerKey('workflow', '2'), ledgerKey('workflow', '3')];
			await ledger.begin([key, ...unknown], BEGINNING);
			await ledger.begin([ledgerKey('workflow', '4')], BEGINNING);
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
		await ledger.begin([key], BEGINNING);
		expect(warnings).toEqual([]);
	});

	describe('in a process that ends in order', () => {
		/** Another process on the file. */
		const stateForOthers = async () => {
			const other = new EventLedger({ store: new SqliteStore({ path }) });
			try {
				return (await other.look(key)).state;
			} finally {
				await other.close();
			}
		};

		it('frees what it hands over at the exit', async () => {
			await (await open()).claim(key);
			expect(await stateForOthers()).toBe('pending');
			process.emit('exit', 0);
			expect(await stateForOthers()).toBe('free');
		});

		it('keeps it until the exit, also after SIGTERM: n8n may store the execution as long as the process lives', async () => {
			const handle = () => undefined;
			process.on('SIGTERM', handle);
			await (await open()).claim(key);
			process.emit('SIGTERM');
			process.off('SIGTERM', handle);
			await sleep(300);
			expect(await stateForOthers()).toBe('pending');
			process.emit('exit', 0);
			expect(await stateForOthers()).toBe('free');
		});

		it('leaves no handler when it was closed', async () => {
			const before = process.listenerCount('exit');
			const ledger = await open();
			expect(process.listenerCount('exit')).toBe(before + 1);
			await ledger.close();
			expect(process.listenerCount('exit')).toBe(before);
		});
	});

	it("takes the queue's Redis in queue mode without a word of its password", async () => {
		env['EXECUTIONS_MODE'] = 'queue';
		// Nothing listens on the port of discard.
		env['QUEUE_BULL_REDIS_HOST'] = '127.0.0.1';
		env['QUEUE_BULL_REDIS_PORT'] = '9';
		env['QUEUE_BULL_REDIS_PASSWORD'] = 'hunter2';
		const ledger = await open();
		stopTheClock();
		let isOver = false;
		const claim = ledger.claim(key).finally(() => (isOver = true));
		claim.catch(() => undefined);
		await advanceUntil('the refusal', () => isOver).finally(() => jest.useRealTimers());
		await expect(claim).rejects.toThrow(
			/^(?!.*hunter2)The event ledger is not available\. Redis at 127\.0\.0\.1:9, database 0 \(QUEUE_BULL_REDIS_HOST\): no server is listening there/,
		);
		expect(lines).toEqual([
			'Event ledger: Redis at 127.0.0.1:9, database 0 (QUEUE_BULL_REDIS_HOST)',
		]);
	});
});
