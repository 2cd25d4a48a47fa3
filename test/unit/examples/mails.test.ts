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
function mailOf(file: string, $json: object, name = 'Send email'): z.infer<typeof Texts> {
	const { subject, text } = Texts.parse(parametersOf(file, name));
	return { subject: filled(subject, { $json }), text: filled(text, { $json }) };
}

function parametersOf(file: string, name: string): Readonly<Record<string, unknown>> {
	const { nodes } = Nodes.parse(example(file));
	return nodes.find((node) => node.name === name)?.parameters ?? {};
}

/** The text of a parameter, with its expressions evaluated. */
function filled(template: unknown, values: object): string {
	return z
		.string()
		.parse(template)
		.replace(/^=/, '')
		.replaceAll(/\{\{(.*?)\}\}/gs, (_all, code: string) =>
			String(runInNewContext(code, { DateTime, ...values })),
		);
}

/** The items of other nodes, as expressions refer to them. */
const itemsOf =
	(nodes: Readonly<Record<string, readonly object[]>>) =>
	(name: string): { all: () => { json: object }[] } => ({
		all: () => (nodes[name] ?? []).map((json) => ({ json })),
	});

const event = (id: string, state: string) => ({
	...{ id, state, type: 'a', assetId: 'asset_1', asset: 'Gare du Nord 2' },
	createdAt: '2026-01-31T23:30:00.000Z',
});
const NIGHT = {
	...{ missing: 1, stored: 1, failedEvents: 1, failed: 2, delivered: 6, givingUp: false },
	...{ endpointId: 'we_1', createdAfter: '2026-07-01T00:00:00Z', eventsError: '' },
	...{ deliveriesError: '', states: { done: 12, missing: 1, failed: 1, stored: 1 } },
	events: [event('one', 'missing'), event('two', 'failed'), event('three', 'stored')],
};

it('lists missing events and failed ones apart', () => {
	const { subject, text } = mailOf('nightly-completeness.json', NIGHT);
	expect(subject).toBe('Events: 1 missing, 1 never began, 1 failed. Deliveries: 2 failed');
	expect(text.split('\n')).toEqual([
		'Endpoint we_1: 2 of 8 deliveries since 2026-07-01 02:00 GMT+2 failed.',
		'Events of the last 26 hours: 12 done, 1 missing, 1 failed, 1 stored',
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
		...{ ...NIGHT, states: {} },
		events: [event('two', 'failed')],
	});
	expect(text.split('\n')).toEqual([
		'Endpoint we_1: 2 of 8 deliveries since 2026-07-01 02:00 GMT+2 failed.',
		'',
		'Events whose execution failed or was interrupted, 1 of 1:',
		'two a Gare du Nord 2 2026-02-01 00:30 GMT+1 failed',
	]);
});

it('lists dead letters with their states and executions', () => {
	const letters = [
		{ ...event('one', 'failed'), executionUrl: 'https://n8n.test/workflow/a/executions/7' },
		{ ...event('two', 'interrupted'), executionUrl: null, executionId: '8', asset: null },
	];
	const $ = itemsOf({ 'Reconcile events': letters });
	const { subject, text } = parametersOf('dead-letters.json', 'Send email');
	expect(filled(subject, { $ })).toBe('Dead letters: 2 events');
	expect(filled(text, { $ }).split('\n')).toEqual([
		'Events whose execution failed or was interrupted in the last 48 hours, 2 of 2:',
		'2026-02-01 00:30 GMT+1 Gare du Nord 2 failed one a https://n8n.test/workflow/a/executions/7',
		'2026-02-01 00:30 GMT+1 - interrupted two a 8',
	]);
});

it('offers lost events as checkboxes, and replays those that are ticked', () => {
	const file = 'lost-events-form.json';
	const lost = [event('one', 'missing'), event('two', 'failed')];
	const $ = itemsOf({ 'Reconcile events': lost });
	const page = filled(parametersOf(file, 'Choose events')['jsonOutput'], { $ });
	const Field = z.object({
		fieldType: z.literal('checkbox'),
		fieldOptions: z.object({ values: z.array(z.object({ option: z.string() })) }),
	});
	const [{ fieldOptions } = { fieldOptions: { values: [] } }] = z
		.array(Field)
		.parse(JSON.parse(page));
	const options = fieldOptions.values.map(({ option }) => option);
	expect(options[1]).toBe('two · Gare du Nord 2 · failed · 2026-02-01 00:30 GMT+1 · a');
	const ids = filled(parametersOf(file, 'Replay events')['eventIds'], {
		$json: { Events: options },
	});
	expect(ids).toBe('one,two');
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
