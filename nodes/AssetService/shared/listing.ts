/** What the three lists have in common: how many, further query parameters, and where the records stand. */
import { NodeOperationError, type INodeProperties } from 'n8n-workflow';
import type { ApiRecord, ListOptions } from '../../../lib/service';
import type { Run } from '../resources/resource';
import { asText, collectionParameter } from './parameters';
import { isRecord } from '../../../lib/shared/values';

/** The fields of a list of this resource. */
export function listFields(resource: string): INodeProperties[] {
	const show = { resource: [resource], operation: ['getAll'] };
	return [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			displayOptions: { show },
			description: 'Whether to return all results or only up to a given limit',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 50,
			displayOptions: { show: { ...show, returnAll: [false] } },
			description: 'Max number of results to return',
		},
	];
}

/** The options of a list of this resource, which the editor shows last. */
export function listOptions(resource: string): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: { resource: [resource], operation: ['getAll'] } },
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
			{
				displayName: 'Query Parameters',
				name: 'queryParameters',
				type: 'fixedCollection',
				typeOptions: { multipleValues: true },
				placeholder: 'Add Query Parameter',
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
}

/** The options that the parameters of an item ask for; `filters` are query parameters with fields of their own. */
export function listOptionsOf(
	{ context, itemIndex }: Run,
	filters: Readonly<Record<string, string>> = {},
): ListOptions {
	const options = collectionParameter(context, 'options', itemIndex);
	const returnAll = context.getNodeParameter('returnAll', itemIndex, false);
	const query = { ...filters };
	for (const [name, value] of queryParameters(options.queryParameters)) {
		if (Object.hasOwn(query, name)) {
			throw new NodeOperationError(
				context.getNode(),
				`The query parameter “${name}” is given twice.`,
				{ itemIndex, description: 'Give each query parameter once; a filter counts as one.' },
			);
		}
		query[name] = value;
	}
	return {
		query,
		itemsPath: asText(options.itemsPath),
		...(!returnAll && { limit: limitOf(context.getNodeParameter('limit', itemIndex, 50)) }),
	};
}

/** An expression may give the number as text. */
function limitOf(value: unknown): number {
	return typeof value === 'number' ? value : Number(asText(value) || Number.NaN);
}

/** All records of a list. */
export async function collected(records: AsyncIterable<ApiRecord>): Promise<ApiRecord[]> {
	const all: ApiRecord[] = [];
	for await (const record of records) all.push(record);
	return all;
}

function queryParameters(collection: unknown): [name: string, value: string][] {
	const list = isRecord(collection) ? collection.parameter : undefined;
	const pairs: unknown[] = Array.isArray(list) ? list : [];
	return pairs
		.filter(isRecord)
		.map(({ name, value }): [string, string] => [asText(name), asText(value)])
		.filter(([name, value]) => name !== '' || value !== '');
}
