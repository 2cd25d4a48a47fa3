import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerUnavailableError } from '../../../../lib/ledger';
import { variablesIn } from '../../../../lib/ledger/common/environment';

describe('the environment, read as n8n reads it', () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'ledger-'));
	});

	afterEach(() => {
		rmSync(folder, { recursive: true });
	});

	it('takes a value without white space and quotes around it', () => {
		expect(variablesIn({ HOST: ' "redis" ' }).text('HOST')).toBe('redis');
		expect(variablesIn({ HOST: "'redis'" }).text('HOST')).toBe('redis');
		for (const text of ['"redis', '"a" b', 'a "b"', `"redis'`]) {
			expect(variablesIn({ HOST: text }).text('HOST')).toBe(text);
		}
		expect(variablesIn({}).text('HOST')).toBeUndefined();
	});

	it('takes the content of the file that the variable with _FILE names', () => {
		const file = join(folder, 'password');
		writeFileSync(file, ' secret\n');
		expect(variablesIn({ PASSWORD_FILE: file }).text('PASSWORD')).toBe('secret');
	});

	it('prefers the variable itself to its file, even when it is empty', () => {
		const file = join(folder, 'password');
		writeFileSync(file, 'secret');
		expect(variablesIn({ PASSWORD: 'other', PASSWORD_FILE: file }).text('PASSWORD')).toBe('other');
		expect(variablesIn({ PASSWORD: '', PASSWORD_FILE: file }).text('PASSWORD')).toBe('');
	});

	it('says which variable names a file that cannot be read', () => {
		const file = join(folder, 'missing');
		const read = () => variablesIn({ PASSWORD_FILE: file }).text('PASSWORD');
		expect(read).toThrow(LedgerUnavailableError);
		expect(read).toThrow(/PASSWORD_FILE.*ENOENT/);
	});

	it('accepts numbers, and uses the default for anything else', () => {
		expect(variablesIn({ PORT: '6380' }).number('PORT')).toBe(6380);
		expect(variablesIn({ PORT: '0' }).number('PORT')).toBe(0);
		expect(variablesIn({ PORT: '' }).number('PORT')).toBeUndefined();
		expect(variablesIn({ PORT: 'abc' }).number('PORT')).toBeUndefined();
		expect(variablesIn({}).number('PORT')).toBeUndefined();
	});

	it('takes true, 1, false and 0 in any case, and the default for anything else', () => {
		expect(variablesIn({ TLS: 'TRUE' }).boolean('TLS')).toBe(true);
		expect(variablesIn({ TLS: '1' }).boolean('TLS')).toBe(true);
		expect(variablesIn({ TLS: 'False' }).boolean('TLS')).toBe(false);
		expect(variablesIn({ TLS: '0' }).boolean('TLS')).toBe(false);
		expect(variablesIn({ TLS: 'yes' }).boolean('TLS')).toBeUndefined();
		expect(variablesIn({}).boolean('TLS')).toBeUndefined();
		const file = join(folder, 'tls');
		writeFileSync(file, 'true\n');
		expect(variablesIn({ TLS_FILE: file }).boolean('TLS')).toBe(true);
	});
});
