/** The fields that all lists have, and the list options made from them. */
import type { INodeProperties } from 'n8n-workflow';
import type { ListOptions } from '../../../lib/service';
import {
	array,
	number,
	object,
	optional,
	pipe,
	transform,
	union,
	unknown,
} from '../../../lib/vendor/zod';
import { parallelItemsOption } from './parallelItems';
import {
	collection,
	flag,
	parameter,
	parameterError,
	plainText,
	text,
	type InputItem,
} from './parameters';

/** A list that has more is taken for one that never ends. */
export const MOST_RECORDS = 1_000_000;

export const limitFields: INodeProperties[] = [
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
				'Path to the list in the response, in dot notation. Only needed if the node does not recognize the response format.',
		},
		parallelItemsOption,
		{
			displayName: 'Query Parameters',
			name: 'queryParameters',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add query parameter',
			default: {},
			description: 'Other query parameters to send, such as filters of your service',
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

/** An expression may return the number as text. */
const limitValue = union([
	number(),
	pipe(
		text,
		transform((value) => Number(value || Number.NaN)),
	),
]);

const queryParameters = pipe(
	object({ parameter: optional(array(object({ name: plainText, value: plainText }))) }),
	transform(({ parameter: given = [] }) =>
		given.filter(({ name, value }) => name !== '' || value !== ''),
	),
);

/** The options of a list, from the fields that all lists have; `filters` are query parameters with their own fields. */
export function listOptionsOf(
	item: InputItem,
	filters: Readonly<Record<string, string>> = {},
): ListOptions {
	const { itemsPath = '', queryParameters: further = [] } = collection(item, listOptions, {
		itemsPath: plainText,
		parallelItems: unknown(),
		queryParameters,
	});
	const query = { ...filters };
	for (const { name, value } of further) {
		if (Object.hasOwn(query, name)) {
			throw parameterError(
				item,
				`The query parameter '${name}' is set twice`,
				'Set each query parameter only once. Filters are query parameters, too.',
			);
		}
		query[name] = value;
	}
	return {
		query,
		itemsPath,
		readAhead: true,
		mostRecords: MOST_RECORDS,
		...(!flag(item, 'returnAll', 'Return All', false) && {
			limit: parameter(item, 'limit', limitValue, 50),
		}),
	};
}
