import type { IWebhookFunctions } from 'n8n-workflow';
import type { RefusalReason } from '../../../../lib/receiver/reasons';
import { logOtherUrl, logRefusal } from '../../../../n8n/webhook/delivery';

const type = 'n8n-nodes-asset-service.assetServiceTrigger';

describe('logRefusal', () => {
	it('writes one line a second for a node and a reason, with the number of the others', () => {
		jest.useFakeTimers();
		const lines: string[] = [];
		const logger = { warn: (line: string) => lines.push(line) };
		const refuse = (name: string, reason: RefusalReason) => {
			const context = {
				logger,
				getNode: () => ({ name, type }),
				getWorkflow: () => ({ id: 'w1' }),
			};
			logRefusal(context as unknown as IWebhookFunctions, { reason, detail: 'do this' });
		};
		for (let n = 0; n < 40; n += 1) refuse('one', 'signature_mismatch');
		refuse('one', 'busy');
		refuse('two', 'signature_mismatch');
		const line = (name: string, reason: string) =>
			`Asset Service Trigger "${name}" in workflow w1: delivery rejected: ${reason}; do this`;
		const first = [
			line('one', 'signature_mismatch'),
			line('one', 'busy'),
			line('two', 'signature_mismatch'),
		];
		expect(lines).toEqual(first);
		jest.advanceTimersByTime(1000);
		expect(lines.slice(3)).toEqual([
			`${line('one', 'signature_mismatch')} (39 of this kind since the line before)`,
		]);
		jest.useRealTimers();
	});
});

it.each([
	[
		'stored',
		/^a delivery arrived at the URL for 'If the Execution Fails' = 'Start Again', but .*'Do Not Start Again'/,
	],
	[
		'succeeded',
		/^a delivery arrived at the URL for 'If the Execution Fails' = 'Do Not Start Again', but .*'Start Again'.*starts the event again/,
	],
] as const)('writes one line a day about the other URL of a node set to %s', (setting, text) => {
	jest.useFakeTimers();
	const lines: string[] = [];
	const context = {
		logger: { warn: (line: string) => lines.push(line) },
		getNode: () => ({ name: 'Events', type }),
		getWorkflow: () => ({ id: 'w1' }),
	} as unknown as IWebhookFunctions;
	for (let hour = 0; hour < 47; hour += 1) {
		logOtherUrl(context, setting);
		jest.advanceTimersByTime(60 * 60 * 1000);
	}
	expect(lines).toHaveLength(2);
	const prefix = 'Asset Service Trigger "Events" in workflow w1: ';
	expect(lines[0]?.startsWith(prefix)).toBe(true);
	expect(lines[0]?.slice(prefix.length)).toMatch(text);
	jest.useRealTimers();
});
