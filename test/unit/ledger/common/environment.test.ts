import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerUnavailableError } from '../../../../lib/ledger';
import { readBoolean, readNumber, readText } from '../../../../lib/ledger/common/environment';

describe('the environment, read as n8n reads it', () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'ledger-'));
	});

	afterEach(() => {
		rmSync(folder, { recursive: true });
	});

	it('takes a value without white space and quotes around it', () => {
		expect(readText({ HOST: ' "redis" ' }, 'HOST')).toBe('redis');
		expect(readText({ HOST: "'redis'" }, 'HOST')).toBe('redis');
		for (const text of ['"redis', '"a" b', 'a "b"', `"redis'`]) {
			expect(readText({ HOST: text }, 'HOST')).toBe(text);
		}
		expect(readText({}, 'HOST')).toBeUndefined();
	});

	it('takes the content of the file that the variable with _FILE names', () => {
		const file = join(folder, 'password');
		writeFileSync(file, ' secret\n');
		expect(readText({ PASSWORD_FILE: file }, 'PASSWORD')).toBe('secret');
	});

	it('prefers the variable itself to its file, even when it is empty', () => {
		const file = join(folder, 'password');
		writeFileSync(file, 'secret');
		expect(readText({ PASSWORD: 'other', PASSWORD_FILE: file }, 'PASSWORD')).toBe('other');
		expect(readText({ PASSWORD: '', PASSWORD_FILE: file }, 'PASSWORD')).toBe('');
	});

	it('says which variable names a file that cannot be read', () => {
		const file = join(folder, 'missing');
		const read = () => readText({ PASSWORD_FILE: file }, 'PASSWORD');
		expect(read).toThrow(LedgerUnavailableError);
		expect(read).toThrow(/PASSWORD_FILE.*ENOENT/);
	});

	it('accepts numbers, and uses the default for anything else', () => {
		expect(readNumber({ PORT: '6380' }, 'PORT')).toBe(6380);
		expect(readNumber({ PORT: '0' }, 'PORT')).toBe(0);
		expect(readNumber({ PORT: '' }, 'PORT')).toBeUndefined();
		expect(readNumber({ PORT: 'abc' }, 'PORT')).toBeUndefined();
		expect(readNumber({}, 'PORT')).toBeUndefined();
	});

	it('takes true, 1, false and 0 in any case, and the default for anything else', () => {
		expect(readBoolean({ TLS: 'TRUE' }, 'TLS')).toBe(true);
		expect(readBoolean({ TLS: '1' }, 'TLS')).toBe(true);
		expect(readBoolean({ TLS: 'False' }, 'TLS')).toBe(false);
		expect(readBoolean({ TLS: '0' }, 'TLS')).toBe(false);
		expect(readBoolean({ TLS: 'yes' }, 'TLS')).toBeUndefined();
		expect(readBoolean({}, 'TLS')).toBeUndefined();
		const file = join(folder, 'tls');
		writeFileSync(file, 'true\n');
		expect(readBoolean({ TLS_FILE: file }, 'TLS')).toBe(true);
	});
});
