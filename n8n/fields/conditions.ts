/** The parameter for the events that a trigger wants, the same in both triggers: its fields, with those of recent events, and its check. */
import {
	type ILoadOptionsFunctions,
	type IWebhookFunctions,
	type INodePropertyOptions,
	type INode,
	type INodeProperties,
	NodeOperationError,
} from 'n8n-workflow';
import {
	Fields,
	CONDITION_FIELDS,
	eventFromList,
	OTHER_FIELD,
	EVENT_TYPES,
	OTHER_EVENT_TYPES,
	OPERATORS,
	type Wanted,
} from '../../lib/event';
import { withoutTags } from '../../lib/shared/text';
import { NUMERAL } from '../../lib/shared/values';
import { SIGNING_SECRET_CREDENTIAL, apiClientFor } from '../api/apiClient';

type EditorContext = Pick<IWebhookFunctions | ILoadOptionsFunctions, 'getNode'>;

/**
 * The fields of the events that arrived at webhook triggers of this process, by signing secret: with manual registration, a
 * node has no API credential to list recent events with. The editor names neither its workflow nor its node when it asks.
 */
const arrived = new Map<string, Fields>();
const MOST_SECRETS = 50;

export function noteFields(
	context: EditorContext,
	{ _delivery, _replay, ...event }: Readonly<Record<string, unknown>>,
): void {
	const key = keyOf(context);
	if (key === undefined) return;
	const fields = arrived.get(key) ?? new Fields();
	if (arrived.size >= MOST_SECRETS && !arrived.has(key)) arrived.clear();
	arrived.set(key, fields);
	fields.add(event);
}

function arrivedFields(context: EditorContext): Fields {
	return arrived.get(keyOf(context) ?? '') ?? new Fields();
}

const keyOf = (context: EditorContext) =>
	context.getNode().credentials?.[SIGNING_SECRET_CREDENTIAL]?.id ?? undefined;

const KNOWN_FIELDS: INodePropertyOptions[] = [
	...Object.entries(CONDITION_FIELDS).map(([value, name]) => ({ name, value })),
	{ name: 'Other (Enter Path)', value: OTHER_FIELD },
];

/** One page, the largest that the service is known to return. */
const MOST_EVENTS = 100;
/** The editor shows no options until this has ended. */
const MOST_MS = 5_000;

/**
 * Without an API credential, or if the service does not respond in time, takes the events that arrived: a failure would leave
 * nothing to select.
 */
export async function conditionFields(
	this: ILoadOptionsFunctions,
	mostMs = MOST_MS,
): Promise<INodePropertyOptions[]> {
	const fields = await recentFields(this, AbortSignal.timeout(mostMs)).catch(() =>
		arrivedFields(this),
	);
	const seen = new Map(fields.withValues.map(({ path, values }) => [path, described(values)]));
	const found = [...seen].filter(([path]) => !Object.hasOwn(CONDITION_FIELDS, path));
	return [
		...KNOWN_FIELDS.map((option) => {
			const values = seen.get(String(option.value));
			return values === undefined ? option : { ...option, description: values };
		}),
		...found.map(([path, description]) => ({ name: path, value: path, description })),
	];
}

async function recentFields(context: ILoadOptionsFunctions, signal: AbortSignal): Promise<Fields> {
	const fields = new Fields();
	let requests = 0;
	const mayRequest = () => ++requests <= 1;
	const client = await apiClientFor(context, () => undefined, { signal });
	for await (const { listed } of client.list('event', { limit: MOST_EVENTS, mayRequest })) {
		for (const { record, id } of listed) fields.add(eventFromList(record, id).record);
	}
	return fields;
}

function described(values: readonly string[]): string {
	return withoutTags(`Recently: ${values.join(', ')}`, 200);
}

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
const conditionsProperty: INodeProperties = {
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

/** What the subtitle of a trigger writes before the value of a condition; the rest has none, or only a field. */
const SIGNS = {
	notEquals: 'not ',
	contains: 'contains ',
	startsWith: 'starts with ',
	greaterThan: '> ',
	lessThan: '< ',
	exists: 'has ',
	notExists: 'no ',
} satisfies Partial<Record<keyof typeof OPERATORS, string>>;

const TYPE_NAMES = JSON.stringify(
	Object.fromEntries(EVENT_TYPES.map(({ name, value }) => [value, name])),
);

/** Which events start the workflow, such as `StatusNotification, Faulted`: the conditions, otherwise the types. */
export const wantedSubtitle = `={{ [
	($parameter["conditions"]?.condition ?? []).map((one) => (${JSON.stringify(SIGNS)}[one.operator] ?? "") + (["exists", "notExists"].includes(one.operator) ? String(one.field === "${OTHER_FIELD}" ? one.path : one.field).split(".").pop() : one.value)),
	[$parameter["eventTypes"] ?? []].flat().map((type) => type === "${OTHER_EVENT_TYPES}" ? $parameter["otherEventTypes"] : (${TYPE_NAMES})[type] ?? type),
	["All Events"],
].find((texts) => texts.length > 0).join(", ") }}`.replace(/\n\t?/g, ' ');

/** Rejects conditions that no event can meet while the workflow is being published: later would be too late. */
export function checkConditions(node: INode, { problems }: Wanted['conditions']): void {
	if (problems.length === 0) return;
	// In the message, since n8n shows nothing else of a failed publication.
	const message = `No event can meet the conditions. ${problems.join(' ')}`.replace(/\.$/, '');
	const description = "Correct 'Conditions', then try again.";
	throw new NodeOperationError(node, message, { description });
}
