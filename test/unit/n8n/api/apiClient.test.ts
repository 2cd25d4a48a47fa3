import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IExecuteFunctions } from 'n8n-workflow';
import { apiClientFor, throughHelper, transportOf } from '../../../../n8n/api/apiClient';
import { good } from '../../service/entered';

const settings = {
	...good,
	baseUrl: 'http://asset-service:3000',
	clientSecret: 'a-secret-of-the-test',
};

it('An address that is plain http is one line in the log, however many clients are made', async () => {
	const lines: string[] = [];
	const urls = [settings.baseUrl, settings.baseUrl, 'http://127.0.0.1:1'];
	const context = {
		logger: { warn: (line: string) => lines.push(line) },
		helpers: {},
		getNode: () => ({ name: 'Assets\n', type: 'assetService' }),
		getWorkflow: () => ({ id: 'w1' }),
		getCredentials: async () => ({ ...settings, baseUrl: urls.shift() }),
	} as unknown as IExecuteFunctions;
	while (urls.length > 0) await apiClientFor(context);
	expect(lines).toHaveLength(1);
	expect(lines[0]).toContain("'Base URL' (http://asset-service:3000) is plain http");
	expect(lines[0]).not.toMatch(/\n|a-secret/);
});

describe('the protection of n8n against requests to inner addresses', () => {
	/** Then the helper of n8n sends the request; otherwise the pools of this package, which find nothing at this port. */
	const isOn = async (env: NodeJS.ProcessEnv) => {
		const httpRequest = async () => ({ statusCode: 200, headers: {}, body: 'helped' });
		const send = transportOf(throughHelper({ httpRequest }), env);
		const request = { method: 'GET', url: 'http://127.0.0.1:1', headers: {} } as const;
		return await send(request).then(
			() => true,
			() => false,
		);
	};

	it.each([
		['true', true],
		['TRUE', true],
		['1', true],
		['false', false],
		['0', false],
		['', false],
		['yes', false],
		[' true', false],
		[undefined, false],
	])('is on or off as n8n reads %p: %p', async (value, expected) => {
		expect(await isOn({ N8N_SSRF_PROTECTION_ENABLED: value })).toBe(expected);
	});

	it('is read from a file if there is no variable', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'asset-service-'));
		const file = join(folder, 'enabled');
		try {
			writeFileSync(file, ' true\n');
			const env = { N8N_SSRF_PROTECTION_ENABLED_FILE: file };
			expect(await isOn(env)).toBe(true);
			expect(await isOn({ ...env, N8N_SSRF_PROTECTION_ENABLED: 'false' })).toBe(false);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
