/** The parameter that says which events a trigger wants, the same in both triggers. */
import type { INodeProperties } from 'n8n-workflow';

export const eventTypesProperty: INodeProperties = {
	displayName: 'Event Types',
	name: 'eventTypes',
	type: 'string',
	noDataExpression: true,
	typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Event Type' },
	default: [],
	placeholder: 'e.g. ocpp.message',
	description:
		'Event types that start the workflow, with * for any text, such as asset.*. Leave empty for all. Known types are ocpp.message and asset.connectivity.',
};
