/** The parameter for the events that a trigger wants, the same in both triggers, and its check. */
import { type INode, type INodeProperties, NodeOperationError } from 'n8n-workflow';
import { type Conditions, OPERATORS, OTHER_FIELD } from '../../lib/event';
import { NUMERAL } from '../../lib/shared/values';
import { KNOWN_FIELDS } from './conditionFields';

/**
 * A required field with nothing to select, shown for a value that cannot be right. n8n rejects a workflow with such a field
 * before it takes the published version offline; `checkConditions` runs only after that.
 */
function obstacle(
	displayName: string,
	name: string,
	displayOptions: NonNullable<INodeProperties['displayOptions']>,
): INodeProperties {
	const options: NonNullable<INodeProperties['options']> = [];
	return {
		displayName,
		name,
		type: 'options',
		options,
		default: '',
		required: true,
		displayOptions,
	};
}

const PATH = '^[^.]+(?:\\.[^.]+)*$';

/** Literals only: an expression would cost n8n an isolate per event. */
export const conditionsProperty: INodeProperties = {
	displayName: 'Conditions',
	name: 'conditions',
	type: 'fixedCollection',
	noDataExpression: true,
	typeOptions: { multipleValues: true },
	placeholder: 'Add condition',
	builderHint: {
		propertyHint:
			'Literals only, no expressions. All conditions must hold. For example {"condition":[{"field":"data.payload.status","operator":"equals","value":"Faulted"}]}',
	},
	default: {},
	description:
		'Only events that meet all conditions start the workflow. Other events start no execution.',
	options: [
		{
			displayName: 'Condition',
			name: 'condition',
			values: [
				{
					displayName: 'Field',
					name: 'field',
					type: 'options',
					noDataExpression: true,
					// An imported workflow may have any path here.
					allowArbitraryValues: true,
					// Shown if the recent ones cannot be loaded.
					options: KNOWN_FIELDS,
					typeOptions: { loadOptionsMethod: 'conditionFields' },
					default: 'data.action',
					description:
						'Event field to compare. The list also has the fields of recent events: listed ones with an API credential, otherwise those that arrived since n8n started.',
				},
				{
					displayName: 'Path',
					name: 'path',
					type: 'string',
					noDataExpression: true,
					required: true,
					displayOptions: { show: { field: [OTHER_FIELD] } },
					default: '',
					placeholder: 'e.g. data.payload.connectorId',
					description:
						'Path to the field in dot notation, from the top of the event. If it leads through a list, one matching entry is enough.',
				},
				obstacle("Correct 'Path': names with single dots between them", 'pathMustBeNamesAndDots', {
					show: { field: [OTHER_FIELD] },
					hide: { path: ['', { _cnd: { regex: PATH } }] },
				}),
				{
					displayName: 'Operator',
					name: 'operator',
					type: 'options',
					noDataExpression: true,
					options: Object.entries(OPERATORS).map(([value, name]) => ({ name, value })),
					default: 'equals',
					description: 'How to compare. Case-sensitive.',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					noDataExpression: true,
					required: true,
					displayOptions: { hide: { operator: ['exists', 'notExists'] } },
					default: '',
					placeholder: 'e.g. StatusNotification, StopTransaction',
					description:
						"Value to compare with. Separate several values by commas: one of them must match ('Does Not Equal': none of them). Write a comma that belongs to a value as \\,. 'Greater Than' and 'Less Than' take one number.",
				},
				obstacle("Correct 'Value': enter a number", 'valueMustBeNumber', {
					show: { operator: ['greaterThan', 'lessThan'] },
					hide: { value: ['', { _cnd: { regex: NUMERAL.source } }] },
				}),
			],
		},
	],
};

/** For a trigger: what becomes of other events depends on how it gets them. */
export const conditionsPropertyFor = (kind: 'webhook' | 'poll'): INodeProperties => ({
	...conditionsProperty,
	...(kind === 'webhook' && {
		description:
			"Only events that meet all conditions start the workflow. Other events start no execution and get the response 'ignored'.",
	}),
});

/** For the subtitle of a trigger, as a part of its expression. */
export const withConditions =
	'($parameter["conditions"]?.condition?.length > 0 ? " with Conditions" : "")';

/** Rejects conditions that no event can meet while the workflow is being published: later would be too late. */
export function checkConditions(node: INode, { problems }: Conditions): void {
	if (problems.length === 0) return;
	// In the message, since n8n shows nothing else of a failed publication.
	const message = `No event can meet the conditions. ${problems.join(' ')}`.replace(/\.$/, '');
	const description = "Correct 'Conditions', then try again.";
	throw new NodeOperationError(node, message, { description });
}
