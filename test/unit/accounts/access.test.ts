import { type Publication, triggersIn } from '../../../lib/accounts';

type Settings = Publication['triggers'][string]['settings'];

const publication = (...triggers: Partial<Settings>[]): Publication => ({
	publishedAt: 0,
	triggers: Object.fromEntries(
		triggers.map((trigger, n) => [
			`node-${n}`,
			{
				seenAt: 0,
				settings: {
					...{ kind: 'webhook', access: 'thisWorkflow', accountWorkflowIds: [] },
					...{ eventTypes: [], conditions: {}, ...trigger },
				},
			},
		]),
	),
});
const selected = (...accountWorkflowIds: string[]): Partial<Settings> => ({
	...{ access: 'selectedWorkflows', accountWorkflowIds },
});
const any: Partial<Settings> = { access: 'anyWorkflow' };
const own: Partial<Settings> = {};

it.each<[string, Publication | undefined, string, string]>([
	['itself, without a record', undefined, 'target', 'granted'],
	['another, without a record', undefined, 'caller', 'denied'],
	['another, whose triggers recorded nothing', publication(), 'caller', 'denied'],
	['itself', publication(own), 'target', 'granted'],
	['another', publication(own), 'caller', 'denied'],
	['a selected one', publication(selected('x', 'caller')), 'caller', 'granted'],
	['one that is not selected', publication(selected('x')), 'caller', 'denied'],
	['itself, where others are selected', publication(selected('x')), 'target', 'granted'],
	['any', publication(any), 'caller', 'granted'],
	['any, of two triggers', publication(any, any), 'caller', 'granted'],
	['another, where one trigger is stricter', publication(any, own), 'caller', 'denied'],
	[
		'one that only one trigger selects',
		publication(selected('caller'), selected('x')),
		'caller',
		'denied',
	],
	[
		'one that a trigger selects, next to any',
		publication(any, selected('caller')),
		'caller',
		'granted',
	],
	['one that was never saved', publication(selected('')), '', 'denied'],
])('lets %s: as recorded', (_who, known, workflowId, expected) => {
	expect(triggersIn(known).accessFor('target', { workflowId, isSubWorkflow: false })).toBe(
		expected,
	);
});

it('does not let a workflow without an ID see that of another one without an ID', () => {
	expect(triggersIn(undefined).accessFor('', { workflowId: '', isSubWorkflow: false })).toBe(
		'denied',
	);
});

it.each<[Publication | undefined, string, string]>([
	[undefined, 'target', 'subWorkflow'],
	[publication(own), 'target', 'subWorkflow'],
	[publication(selected('caller')), 'caller', 'subWorkflow'],
	[publication(own), 'caller', 'denied'],
	[publication(any, own), 'target', 'subWorkflow'],
	[publication(any), 'caller', 'granted'],
	[publication(any), '', 'granted'],
])('believes a sub-workflow no ID', (known, workflowId, expected) => {
	expect(triggersIn(known).accessFor('target', { workflowId, isSubWorkflow: true })).toBe(expected);
});
