/** The mails of the examples, in the time zone of the workflow. */
import { runInNewContext } from 'node:vm';
import { DateTime, Settings } from 'luxon';
import { z } from 'zod/v4';
import { example } from '../../support/n8n/examples';

const Nodes = z.object({
	nodes: z.array(z.looseObject({ name: z.string(), parameters: z.looseObject({}) })),
});
const Texts = z.object({ subject: z.string(), text: z.string() });

beforeAll(() => {
	Settings.defaultZone = 'Europe/Berlin';
});
afterAll(() => {
	Settings.defaultZone = 'system';
});

/** As n8n does with an expression of text and code. */
function mailOf(file: string, $json: object): z.infer<typeof Texts> {
	const { nodes } = Nodes.parse(example(file));
	const mail = nodes.find((node) => node.name === 'Send mail');
	const { subject, text } = Texts.parse(mail?.parameters);
	const filled = (template: string): string =>
		template
			.replace(/^=/, '')
			.replaceAll(/\{\{(.*?)\}\}/gs, (_all, code: string) =>
				String(runInNewContext(code, { $json, DateTime })),
			);
	return { subject: filled(subject), text: filled(text) };
}

const event = (id: string, state: string) => ({
	...{ id, state, type: 'a', assetId: 'asset_1', station: 'Gare du Nord 2' },
	createdAt: '2026-01-31T23:30:00.000Z',
});
const NIGHT = {
	...{ missing: 1, stored: 1, failedEvents: 1, failed: 2, delivered: 6, givingUp: false },
	...{ endpointId: 'we_1', createdAfter: '2026-07-01T00:00:00Z', eventsError: '' },
	...{ deliveriesError: '' },
	events: [event('one', 'missing'), event('two', 'failed'), event('three', 'stored')],
};

it('lists missing events and failed ones apart', () => {
	const { subject, text } = mailOf('nightly-completeness.json', NIGHT);
	expect(subject).toBe('Events: 1 missing, 1 never began, 1 failed. Deliveries: 2 failed');
	expect(text.split('\n')).toEqual([
		'Endpoint we_1: 2 of 8 deliveries since 2026-07-01 02:00 GMT+2 failed.',
		'',
		'Events that did not start the workflow, 2 of 2:',
		'one a Gare du Nord 2 2026-02-01 00:30 GMT+1 missing',
		'three a Gare du Nord 2 2026-02-01 00:30 GMT+1 stored',
		'',
		'Events whose execution failed or was interrupted, 1 of 1:',
		'two a Gare du Nord 2 2026-02-01 00:30 GMT+1 failed',
	]);
});

it('leaves out a list of events that is empty', () => {
	const { text } = mailOf('nightly-completeness.json', {
		...NIGHT,
		events: [event('two', 'failed')],
	});
	expect(text.split('\n')).toEqual([
		'Endpoint we_1: 2 of 8 deliveries since 2026-07-01 02:00 GMT+2 failed.',
		'',
		'Events whose execution failed or was interrupted, 1 of 1:',
		'two a Gare du Nord 2 2026-02-01 00:30 GMT+1 failed',
	]);
});

it('reports what could not be checked', () => {
	const { subject, text } = mailOf('nightly-completeness.json', {
		...NIGHT,
		...{ eventsError: 'No listed event has reached the workflow "a"', events: [] },
		deliveriesError: 'The service knows no such endpoint',
	});
	expect(subject).toBe('The events could not be checked. The deliveries could not be checked');
	expect(text).toContain(
		'The deliveries could not be checked: The service knows no such endpoint\n',
	);
	expect(text).toContain('The events could not be checked: No listed event has reached');
});
