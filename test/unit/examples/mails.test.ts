/** What the mail of "Nightly completeness" says. */
import { runInNewContext } from 'node:vm';
import { z } from 'zod/v4';
import { example } from '../../support/n8n/examples';

const Mail = z.object({ name: z.literal('Send mail'), parameters: z.looseObject({}) });
const Nodes = z.object({ nodes: z.array(z.union([Mail, z.unknown()])) });
const Texts = z.object({ subject: z.string(), text: z.string() });

/** As n8n does with an expression of text and code. */
function mailOf(file: string, $json: object): z.infer<typeof Texts> {
	const { nodes } = Nodes.parse(example(file));
	const mail = nodes.flatMap((node) => Mail.safeParse(node).data ?? [])[0];
	const { subject, text } = Texts.parse(mail?.parameters);
	const filled = (template: string): string =>
		template
			.replace(/^=/, '')
			.replaceAll(/\{\{(.*?)\}\}/gs, (_all, code: string) =>
				String(runInNewContext(code, { $json })),
			);
	return { subject: filled(subject), text: filled(text) };
}

it('lists missing events and failed ones apart', () => {
	const event = (id: string, state: string) => ({ id, type: 'a', createdAt: '2026', state });
	const { subject, text } = mailOf('nightly-completeness.json', {
		...{ missing: 1, stored: 1, failedEvents: 1, failed: 2, delivered: 6, givingUp: false },
		...{ endpointId: 'we_1', createdAfter: '2025' },
		events: [event('one', 'missing'), event('two', 'failed'), event('three', 'stored')],
	});
	expect(subject).toBe('1 events are missing, 1 never began, 1 failed, 2 deliveries failed');
	expect(text.split('\n')).toEqual([
		'Endpoint we_1: 2 of 8 deliveries since 2025 failed.',
		'',
		'Events that did not start the workflow, 2 of 2:',
		'one a 2026 missing',
		'three a 2026 stored',
		'',
		'Events whose execution failed or was interrupted, 1 of 1:',
		'two a 2026 failed',
	]);
});
