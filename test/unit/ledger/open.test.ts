import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger, ledgerKey, LedgerUnavailableError, openLedger } from '../../../lib/ledger';

const LEASE_MS = 60_000;

describe('openLedger', () => {
	let folder: string;
	let path: string;
	let env: NodeJS.ProcessEnv;
	let lines: string[];
	let ledger: Ledger;
	const key = ledgerKey('workflow', 'whevt_1');
	const log = (message: string) => lines.push(message);

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		path = join(folder, 'ledger.sqlite');
		env = { ASSET_SERVICE_LEDGER_SQLITE_PATH: path };
		lines = [];
		ledger = openLedger({ env, log });
	});

	afterEach(async () => {
		await ledger.close();
		rmSync(folder, { recursive: true });
	});

	it('gives the same ledger to everybody in the process', () => {
		expect(openLedger({ env: {}, log })).toBe(ledger);
	});

	it('opens nothing and says nothing before the first use', () => {
		expect(existsSync(path)).toBe(false);
		expect(lines).toEqual([]);
	});

	it('says once which store is in use, and where', async () => {
		await Promise.all([ledger.claim(key, LEASE_MS), ledger.claim(key, LEASE_MS)]);
		await ledger.claim(key, LEASE_MS);
		expect(lines).toEqual([`Ledger of events seen: SQLite at ${path}`]);
	});

	it('passes every call on to the store', async () => {
		const first = await ledger.claim(key, LEASE_MS);
		if (first.state !== 'claimed') throw new Error(`The event is ${first.state}`);
		expect(await ledger.renew(first.claim, LEASE_MS)).toBe(true);
		expect(await ledger.release(first.claim)).toBe(true);
		const second = await ledger.claim(key, LEASE_MS);
		if (second.state !== 'claimed') throw new Error(`The event is ${second.state}`);
		expect(await ledger.commit(second.claim, LEASE_MS)).toBe(true);
		expect(await ledger.look(key)).toBe('stored');
		expect(await ledger.begin([key], 'run', LEASE_MS)).toEqual([true]);
		expect(await ledger.look(key)).toBe('begun');
		expect(await ledger.swapRecord('name', undefined, 'value')).toBe(true);
		expect(await ledger.readRecord('name')).toBe('value');
	});

	it('names the variable that is wrong, call by call, until it has been corrected', async () => {
		env['ASSET_SERVICE_LEDGER'] = 'mysql';
		await expect(ledger.claim(key, LEASE_MS)).rejects.toThrow(LedgerUnavailableError);
		await expect(ledger.claim(key, LEASE_MS)).rejects.toThrow(/ASSET_SERVICE_LEDGER is "mysql"/);
		expect(lines).toEqual([]);
		env['ASSET_SERVICE_LEDGER'] = 'sqlite';
		expect(await ledger.claim(key, LEASE_MS)).toMatchObject({ state: 'claimed' });
	});

	it('is opened anew after it was closed', async () => {
		await ledger.claim(key, LEASE_MS);
		await ledger.close();
		const next = openLedger({ env, log });
		expect(next).not.toBe(ledger);
		expect(await next.claim(key, LEASE_MS)).toEqual({ state: 'pending' });
		await next.close();
	});

	it("takes the queue's Redis in queue mode without a word of its password", async () => {
		env['EXECUTIONS_MODE'] = 'queue';
		// Nothing listens on the port of discard.
		env['QUEUE_BULL_REDIS_HOST'] = '127.0.0.1';
		env['QUEUE_BULL_REDIS_PORT'] = '9';
		env['QUEUE_BULL_REDIS_PASSWORD'] = 'hunter2';
		await expect(ledger.claim(key, LEASE_MS)).rejects.toThrow(
			/^(?!.*hunter2)The ledger is not available\. Redis at 127\.0\.0\.1:9, database 0 \(QUEUE_BULL_REDIS_HOST\): nothing listens there/,
		);
		expect(lines).toEqual([
			'Ledger of events seen: Redis at 127.0.0.1:9, database 0 (QUEUE_BULL_REDIS_HOST)',
		]);
	});
});
