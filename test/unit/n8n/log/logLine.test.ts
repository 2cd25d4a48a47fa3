import type { IWebhookFunctions } from 'n8n-workflow';
import { logLine } from '../../../../n8n/log/log';

const lineOf = (type: string, name: string, id: string | undefined, message: string) => {
	const context = { getNode: () => ({ name, type }), getWorkflow: () => ({ id }) };
	return logLine(context as unknown as IWebhookFunctions, message);
};

it.each([
	['n8n-nodes-asset-service.assetServicePollTrigger', 'Asset Service Poll Trigger'],
	['CUSTOM.assetService', 'Asset Service'],
	['assetServiceTrigger', 'Asset Service Trigger'],
])('names the kind of node of the type %s', (type, kind) => {
	expect(lineOf(type, 'Events', 'w1', 'why')).toBe(`${kind} "Events" in workflow w1: why`);
});

it('says so of a workflow that is not saved', () => {
	expect(lineOf('assetService', 'List', undefined, 'why')).toBe(
		'Asset Service "List" in workflow (not saved): why',
	);
});

it('is one printable line of bounded length, whatever node, workflow and message are', () => {
	const odd = `\u001b[31m\n${'x'.repeat(100_000)}`;
	const line = lineOf(odd, odd, odd, odd);
	expect(line).not.toMatch(/[\u0000-\u001f]/);
	expect(line.length).toBeLessThan(1700);
});
