/** Get Many for any list: its fields, and the list options made from them, by the row of the list in the table. */
import type { INodeProperties } from 'n8n-workflow';
import {
	LISTS,
	type ListedResource,
	type ListOptions,
	type ListRow,
	type ApiRecord,
	assetFilter,
	flattener,
} from '../../../lib/service';
import {
	array,
	pipe,
	transform,
	union,
	number,
	object,
	optional,
	unknown,
} from '../../../lib/vendor/zod';
import { endpointField, endpointIdOf } from './ids';
import {
	parallelItemsOption,
	collection,
	plainText,
	flag,
	type InputItem,
	parameter,
	parameterError,
	text,
	type Operation,
	type OperationRun,
} from './operation';

/** Filters of a list that are more than texts in its query. */
export interface Filters {
	/** Shown before the fields that all lists have. */
	readonly first?: INodeProperties;
	/** Shown after them. */
	readonly last?: INodeProperties;
	/** The filters of an input item; `afterwards` is called when its records have arrived. */
	readonly read: (
		run: OperationRun,
	) => Pick<ListOptions, 'query' | 'matching' | 'createdAfter'> & { afterwards?: () => void };
}

export function getMany(resource: ListedResource, own?: Filters): Operation {
	const row: ListRow = LISTS[resource];
	const isOfEndpoint = row.path.includes('{endpointId}');
	const { first, last, read } = own ?? queryFilters(row);
	return {
		name: 'Get Many',
		description: `Retrieve a list of ${row.about}. Takes ${isOfEndpoint ? 'an endpoint ID, ' : ''}a limit and filters and returns one item per ${row.name.toLowerCase()}.`,
		action: `Get many ${row.records} ${row.purpose}`,
		fields: [
			...(isOfEndpoint
				? [endpointField(`The webhook endpoint that the ${row.records} are sent to`)]
				: []),
			...(first ? [first] : []),
			...limitFields,
			simplifyField,
			...(last ? [last] : []),
			listOptions,
		],
		run: async (run) => {
			const ofEndpoint = isOfEndpoint && { endpointId: endpointIdOf(run) };
			const { afterwards, query, ...wanted } = read(run);
			// Simplified records all have the same fields.
			const isFlat = flag(run, 'simplify', 'Simplify', true);
			const flat = flattener(row.fields);
			const options = { ...listOptionsOf(run, query), ...wanted, ...ofEndpoint, includeOdd: true };
			const pages = run.client.list(resource, options);
			const records: ApiRecord[] = [];
			for await (const { listed } of pages) {
				for (const { record, sent } of listed) records.push(isFlat ? flat(record) : sent);
			}
			afterwards?.();
			return records;
		},
	};
}

/** A list, which an expression may return, becomes one text with commas. */
const filterValue = pipe(
	union([array(plainText), plainText]),
	transform((value) => (Array.isArray(value) ? value.join(',') : value)),
);

/** The filters of the table; only those with a value are sent. The node itself filters by name. */
function queryFilters({ filters, nameFilter }: ListRow): Filters {
	if (filters === undefined) return { read: () => ({}) };
	const fields = { ...filters, ...(nameFilter && { name: nameFilter }) };
	const schemas = Object.fromEntries(Object.keys(fields).map((name) => [name, filterValue]));
	const last = filtersField(
		Object.entries(fields).map(([name, [displayName, description]]) => ({
			displayName,
			name,
			type: 'string',
			default: '',
			description,
		})),
	);
	const read = (run: OperationRun) => {
		const { name = '', ...given } = collection(run, last, schemas);
		const sent = Object.entries(given).flatMap(([field, value]) => (value ? [[field, value]] : []));
		return {
			query: Object.fromEntries(sent) as Record<string, string>,
			...(name !== '' && { matching: assetFilter(name) }),
		};
	};
	return { last, read };
}

export const filtersField = (options: INodeProperties[]): INodeProperties => ({
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options,
});

/** The parameter that makes records flat. */
export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** A list that has more is taken for one that never ends. */
export const MOST_RECORDS = 1_000_000;

const limitFields: INodeProperties[] = [
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
const listOptions: INodeProperties = {
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
function listOptionsOf(
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
