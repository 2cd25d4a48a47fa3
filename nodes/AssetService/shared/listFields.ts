/** The parameters that all lists have in common. */
import type { INodeProperties } from 'n8n-workflow';
import { parallelItemsOption } from './parallelItems';

export const listFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 50,
		displayOptions: { show: { returnAll: [false] } },
		description: 'Max number of results to return',
	},
];

/** The editor shows these last. */
export const listOptions: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		{
			displayName: 'Items Path',
			name: 'itemsPath',
			type: 'string',
			default: '',
			placeholder: 'e.g. data.results',
			description:
				'Where the list stands in the answer, as names separated by dots. Only needed when the service answers in a shape that the node does not know.',
		},
		parallelItemsOption,
		{
			displayName: 'Query Parameters',
			name: 'queryParameters',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add query parameter',
			default: {},
			description: 'Further parameters to send with the request, such as filters of the service',
			options: [
				{
					displayName: 'Parameter',
					name: 'parameter',
					values: [
						{
							displayName: 'Name',
							name: 'name',
							type: 'string',
							default: '',
							description: 'Name of the query parameter',
						},
						{
							displayName: 'Value',
							name: 'value',
							type: 'string',
							default: '',
							description: 'Value of the query parameter',
						},
					],
				},
			],
		},
	],
};
