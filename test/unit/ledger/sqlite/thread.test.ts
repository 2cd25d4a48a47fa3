/** The ledger in SQLite with its thread, as it is published; all other tests run the same inline. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '../../../../lib/ledger';
import { compileLedger } from '../../../support/compiledLedger';
import { lockDatabase } from '../../../support/sqlite';
import { RETENTION_MS } from './world';

/** The thread ends when it is asked for a record of this name. */
const FOOTER = `
const compiled = module.exports;
module.exports = { ...compiled, serve: (path) => {
	const run = compiled.serve(path);
	return (requests) => {
		const isAsked = (name) => requests.some(({ key }) => key === 'record:' + name);
		if (isAsked('exit')) process.exit(1);
		if (isAsked('throw')) setImmediate(() => { throw new Error('thrown'); });
		return isAsked('throw') ? new Promise(() => undefined) : run(requests);
	};
} };`;

const compiled = mkdtempSync(join(tmpdir(), 'asset-service-compiled-'));
let ledgers: ReturnType<typeof compileLedger>;
let folder: string;
let path: string;
let opened: Ledger[];

beforeAll(() => {
	ledgers = compileLedger(compiled, FOOTER);
}, 60_000);

afterAll(() => {
	rmSync(compiled, { recursive: true });
});

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'ledger-'));
	path = join(folder, 'ledger.sqlite');
	opened = [];
});

afterEach(async () => {
	for (const ledger of opened) await ledger.close();
	rmSync(folder, { recursive: true });
});

const open = () => {
	const ledger = new ledgers.EventLedger({ store: new ledgers.SqliteStore({ path }) });
	opened.push(ledger);
	return ledger;
};
const key = (event: string) => ledgers.ledgerKey('workflow', event);
const commit = async (ledger: Ledger, event: string) => {
	const answer = await ledger.claim(key(event));
	if (answer.state !== 'claimed') throw new Error(answer.state);
	await ledger.commit([answer.claim], RETENTION_MS);
};

it('keeps events through every step, for other processes too', async () => {
	const [ledger, other] = [open(), open()];
	await commit(ledger, 'a');
	expect(await other.claim(key('a'))).toEqual({ state: 'committed' });
	const beginning = { run: 'run', acknowledge: 'stored', retentionMs: RETENTION_MS } as const;
	expect(await other.begin([key('a'), key('b')], beginning)).toEqual([true, true]);
	await other.end('run', 'succeeded');
	expect((await ledger.look(key('b'))).state).toBe('done');
});

it('says what is wrong in the words of the thread', async () => {
	path = '/dev/null/ledger.sqlite';
	await expect(open().claim(key('a'))).rejects.toMatchObject({
		name: 'LedgerUnavailableError',
		message: expect.stringMatching(
			/\/dev\/null\/ledger\.sqlite: it cannot be opened or created/,
		) as unknown,
	});
});

it.each(['exit', 'throw'])(
	'rejects what waits when its thread ends (%s), and the next call starts another one',
	async (how) => {
		const ledger = open();
		await commit(ledger, 'a');
		const waiting = [ledger.readRecord(how), ledger.claim(key('b'))];
		const ends = await Promise.allSettled(waiting);
		expect(ends[0]).toMatchObject({
			status: 'rejected',
			reason: {
				name: 'LedgerUnavailableError',
				message: expect.stringMatching(
					/^The event ledger is not available\. Its thread has ended/,
				) as unknown,
			},
		});
		expect(await ledger.claim(key('a'))).toEqual({ state: 'committed' });
		await commit(ledger, 'c');
	},
);

it('refuses new events once while another process has the lock, and reports duplicates', async () => {
	const ledger = open();
	await commit(ledger, 'a');
	const unlock = lockDatabase(path);
	const startedAt = performance.now();
	const refused = Array.from({ length: 50 }, async (_, n) => {
		await expect(ledger.claim(key(`new ${n}`))).rejects.toThrow(/keeps it locked for over 250 ms/);
	});
	expect(await ledger.claim(key('a'))).toEqual({ state: 'committed' });
	expect(performance.now() - startedAt).toBeLessThan(200);
	await Promise.all(refused);
	expect(performance.now() - startedAt).toBeLessThan(2_000);
	unlock();
	await commit(ledger, 'b');
});

it.each([
	['with process.exit', 'process.exit(0);'],
	['by itself', ''],
])(
	'prints nothing in a process that ends %s, and leaves what it held to the next one at once',
	async (_how, end) => {
		const program = `
		const { openLedger, ledgerKey } = require(${JSON.stringify(join(compiled, 'ledger.js'))});
		openLedger({ log: () => undefined }).then(async (ledger) => {
			const { state } = await ledger.claim(ledgerKey('workflow', 'a'));
			// One more is on its way to the thread.
			void ledger.claim(ledgerKey('workflow', 'b'));
			await null;
			process.stdout.write(state, () => { ${end} });
		});`;
		const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
			env: { ...process.env, ASSET_SERVICE_LEDGER_SQLITE_PATH: path },
			encoding: 'utf8',
			timeout: 60_000,
		});
		expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'claimed', stderr: '' });
		const ledger = open();
		for (const event of ['a', 'b'])
			expect(await ledger.claim(key(event))).toMatchObject({ state: 'claimed' });
	},
	90_000,
);
