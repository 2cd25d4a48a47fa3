import type { Logger } from 'n8n-workflow';
import { refuse } from '../../../../n8n/receiver/refusal';

describe('refuse', () => {
	it('writes one printable line of bounded length, whatever node, workflow and detail are called', () => {
		const lines: string[] = [];
		const logger = { warn: (line: string) => lines.push(line) } as unknown as Logger;
		const odd = `\u001b[31m\n${'x'.repeat(100_000)}`;
		const place = { workflowId: odd, nodeId: 'node-1', nodeName: odd };
		expect(refuse(logger, place, 'ledger_unavailable', odd)).toMatchObject({ status: 503 });
		expect(lines).toHaveLength(1);
		expect(lines[0]).toMatch(/^Asset Service Trigger \(node "\ufffd\[31m\ufffdx+…", workflow /);
		expect(lines[0]).not.toMatch(/[\u0000-\u001f]/);
		expect(lines[0]?.length).toBeLessThan(1600);
	});
});
