/** The installation of n8n with an npm in place of the real one: what is kept when a step fails, and what the user reads. */
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installOnce } from '../../support/n8n/install';

const before = { ...process.env };
let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const calls = () =>
	existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8').trim().split('\n') : [];

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'asset-service-install-'));
	mkdirSync(at('commands'));
	// The first word of the call; it fails while a file of that name exists.
	writeFileSync(
		at('commands', 'npm'),
		`#!/bin/sh
echo "$1" >> '${at('calls')}'
[ "$1" = ci ] && mkdir -p node_modules/n8n/bin && : > node_modules/n8n/bin/n8n
if [ -e '${folder}'/"fail-$1" ]; then echo "cannot reach the host" >&2; exit 1; fi
`,
	);
	chmodSync(at('commands', 'npm'), 0o755);
	process.env['PATH'] = `${at('commands')}${delimiter}${before['PATH'] ?? ''}`;
	process.env['ASSET_SERVICE_CACHE'] = at('cache');
});
afterEach(() => {
	process.env = { ...before };
	rmSync(folder, { recursive: true, force: true });
});

const lines: string[] = [];
const install = async () =>
	await installOnce({
		name: 'n8n-1',
		title: 'once',
		prepare: (target) => {
			writeFileSync(join(target, 'package.json'), '{}');
		},
		install: ['ci'],
		log: (line) => lines.push(line),
	});

it('installs the packages, then the SQLite driver, once', async () => {
	expect(existsSync(await install())).toBe(true);
	await install();
	expect(calls()).toEqual(['ci', 'rebuild']);
});

it('keeps the packages if the driver is missing, says what it needs, and continues from there', async () => {
	writeFileSync(at('fail-rebuild'), '');
	const failure = (await install().catch((error: unknown) => error)) as Error;
	expect(failure.message).toMatch(/installed and kept, but its SQLite driver is missing/);
	expect(failure.message).toMatch(/github\.com .* nodejs\.org, Python 3 and a C\+\+ compiler/);
	expect(failure.message).toMatch(/cannot reach the host\n\nThe packages [\s\S]*HTTPS_PROXY/);
	expect(failure.message).not.toMatch(/connection to the npm registry/);
	expect(existsSync(at('cache', 'n8n-1'))).toBe(false);

	rmSync(at('fail-rebuild'));
	lines.length = 0;
	expect(existsSync(await install())).toBe(true);
	expect(calls()).toEqual(['ci', 'rebuild', 'rebuild']);
	expect(lines[0]).toMatch(/^Continuing in /);
});

it('starts from the beginning if the packages are not complete, and names the registry', async () => {
	writeFileSync(at('fail-ci'), '');
	await expect(install()).rejects.toThrow(
		/cannot reach the host\n\n.* connection to the npm registry/,
	);
	expect(existsSync(at('cache', 'n8n-1.partial'))).toBe(false);

	// As a killed installation leaves it.
	mkdirSync(at('cache', 'n8n-1.partial', 'node_modules', 'half'), { recursive: true });
	rmSync(at('fail-ci'));
	const bin = await install();
	expect(existsSync(join(bin, '../../../half'))).toBe(false);
	expect(calls()).toEqual(['ci', 'ci', 'rebuild']);
});
