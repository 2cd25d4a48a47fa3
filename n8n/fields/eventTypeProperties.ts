/** The parameters for event types, the same in all nodes: a list to select from, and a text for types that are not in it. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { EVENT_TYPES, OTHER_EVENT_TYPES } from '../../lib/event';

const OTHER: INodePropertyOptions = {
	name: 'Other (Enter Types)',
	value: OTHER_EVENT_TYPES,
	action: 'On other event',
	description: 'Types that are not in this list, or patterns such as asset.*',
};

/** A node's own texts for its event types. */
type Words = Pick<INodeProperties, 'description' | 'hint' | 'required'>;

function eventTypes(name: string, options: INodePropertyOptions[], words: Words): INodeProperties {
	return {
		displayName: 'Event Types',
		name,
		type: 'multiOptions',
		// Types that a workflow contains as text, such as asset.*, stay as they are.
		allowArbitraryValues: true,
		options,
		default: [],
		...words,
	};
}

const otherEventTypes: INodeProperties = {
	displayName: 'Other Event Types',
	name: 'otherEventTypes',
	type: 'string',
	default: '',
	placeholder: 'e.g. asset.*, site.created',
	description: 'More event types, separated by commas. An asterisk (*) stands for any text.',
};

/** Two fields of a panel: the text appears once 'Other' is selected. */
export function eventTypeProperties(words: Words, name = 'eventTypes'): INodeProperties[] {
	return [
		eventTypes(name, [...EVENT_TYPES, OTHER], words),
		{ ...otherEventTypes, displayOptions: { show: { [name]: [OTHER_EVENT_TYPES] } } },
	];
}

/** The same two for a collection, where a user adds each by its name. */
export function eventTypeFilters(words: Words): INodeProperties[] {
	return [eventTypes('eventTypes', [...EVENT_TYPES], words), otherEventTypes];
}

/** For triggers, in n8n's words for them. Only literals: to evaluate an expression, n8n would need an isolate per request. */
export const triggerEventTypes: INodeProperties[] = eventTypeProperties({
	description: 'Event types that start the workflow',
	hint: 'Leave empty for all event types',
}).map((property) => ({
	...property,
	noDataExpression: true,
	...(property.displayOptions ? { required: true } : { displayName: 'Trigger On' }),
}));
