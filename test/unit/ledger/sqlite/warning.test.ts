import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadSqlite } from '../../../../lib/ledger/sqlite/database';

describe('the first use of SQLite', () => {
	afterEach(() => {
		jest.restoreAllMocks();
	});

	it('keeps the warning of Node 22 out of the log, and no other one', () => {
		const shown = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
		jest.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
			process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning');
			process.emitWarning('Another is an experimental feature', 'ExperimentalWarning');
			process.emitWarning('SQLite is old', 'DeprecationWarning', 'DEP0001');
			return undefined;
		});
		loadSqlite();
		process.emitWarning('SQLite is late', 'ExperimentalWarning');
		expect(shown.mock.calls).toEqual([
			['Another is an experimental feature', 'ExperimentalWarning'],
			['SQLite is old', 'DeprecationWarning', 'DEP0001'],
			['SQLite is late', 'ExperimentalWarning'],
		]);
	});

	it('finds none in a Node that is too old to look for it', () => {
		const name = 'getBuiltinModule';
		const own = Object.getOwnPropertyDescriptor(process, name) ?? {};
		Object.defineProperty(process, name, { ...own, value: undefined });
		try {
			expect(loadSqlite()).toBeUndefined();
		} finally {
			Object.defineProperty(process, name, own);
		}
	});

	it('prints nothing in a process of this Node, which ends by itself with the event claimed', () => {
		const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
		const child = resolve(__dirname, '../../../e2e/ledger/child.ts');
		const path = join(folder, 'ledger.sqlite');
		const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', child], {
			env: { ...process.env, ASSET_SERVICE_LEDGER_SQLITE_PATH: path },
			encoding: 'utf8',
			timeout: 60_000,
		});
		rmSync(folder, { recursive: true });
		expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'claimed\n', stderr: '' });
	}, 90_000);
});
