import type { IExecuteFunctions } from 'n8n-workflow';
import { parseApiSettings } from '../../../../lib/service';
import { apiClientWith } from '../../../../n8n/api/apiClient';
import { good } from '../../service/entered';

const settings = parseApiSettings({
	...good,
	baseUrl: 'http://asset-service:3000',
	clientSecret: 'a-secret-of-the-test',
});

it('An address that is plain http is one line in the log, however many clients are made', () => {
	const lines: string[] = [];
	const context = {
		logger: { warn: (line: string) => lines.push(line) },
		helpers: {},
		getNode: () => ({ name: 'Assets\n', type: 'assetService' }),
		getWorkflow: () => ({ id: 'w1' }),
	} as unknown as IExecuteFunctions;
	for (const baseUrl of [settings.baseUrl, settings.baseUrl, 'http://127.0.0.1:1']) {
		apiClientWith(context, { ...settings, baseUrl }, () => undefined);
	}
	expect(lines).toHaveLength(1);
	expect(lines[0]).toContain("'Base URL' (http://asset-service:3000) is plain http");
	expect(lines[0]).not.toMatch(/\n|a-secret/);
});
