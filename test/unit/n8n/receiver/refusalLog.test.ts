import type { IWebhookFunctions } from 'n8n-workflow';
import { logRefusal } from '../../../../n8n/receiver/refusalLog';

describe('logRefusal', () => {
	it('writes one printable line of bounded length, whatever node, workflow and detail are called', () => {
		const lines: string[] = [];
		const odd = `\u001b[31m\n${'x'.repeat(100_000)}`;
		const context = {
			logger: { warn: (line: string) => lines.push(line) },
			getNode: () => ({ name: odd }),
			getWorkflow: () => ({ id: odd }),
		} as unknown as IWebhookFunctions;
		logRefusal(context, { reason: 'ledger_unavailable', detail: odd });
		expect(lines).toHaveLength(1);
		expect(lines[0]).toMatch(/^Asset Service Trigger \(node "\ufffd\[31m\ufffdx+…", workflow /);
		expect(lines[0]).not.toMatch(/[\u0000-\u001f]/);
		expect(lines[0]?.length).toBeLessThan(1600);
	});
});
