import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeTransport, ssrfProtectionEnabled } from '../../../../n8n/api/apiClient';
import { startHttpService } from '../../../support/httpService';

describe('the protection of n8n against requests to inner addresses', () => {
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
	])('is on or off as n8n reads %p: %p', (value, expected) => {
		expect(ssrfProtectionEnabled({ N8N_SSRF_PROTECTION_ENABLED: value })).toBe(expected);
	});

	it('is read from a file if there is no variable', () => {
		const folder = mkdtempSync(join(tmpdir(), 'asset-service-'));
		const file = join(folder, 'enabled');
		try {
			writeFileSync(file, ' true\n');
			const env = { N8N_SSRF_PROTECTION_ENABLED_FILE: file };
			expect(ssrfProtectionEnabled(env)).toBe(true);
			expect(ssrfProtectionEnabled({ ...env, N8N_SSRF_PROTECTION_ENABLED: 'false' })).toBe(false);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it.each([
		['true', ['helper'], 0],
		['false', [], 1],
	])('decides which way requests go (%s)', async (enabled, helped, arrived) => {
		const service = await startHttpService(() => ({ body: 'direct' }));
		try {
			const seen: string[] = [];
			const httpRequest = async () => {
				seen.push('helper');
				return { statusCode: 200, headers: {}, body: 'helped' };
			};
			const transport = nodeTransport({ httpRequest }, { N8N_SSRF_PROTECTION_ENABLED: enabled });
			await transport({ method: 'GET', url: service.url, headers: {} });
			expect(seen).toEqual(helped);
			expect(service.requests).toHaveLength(arrived);
		} finally {
			await service.stop();
		}
	});
});
