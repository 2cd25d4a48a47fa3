/** Get Many for any list: its fields, and the list options made from them, by the row of the list in the table. */
import type { INodeProperties } from 'n8n-workflow';
import {
	LISTS,
	type ListedResource,
	type ListFilters,
	type ListOptions,
	type ListRow,
	type ApiRecord,
	flattener,
	type Shape,
} from '../../../lib/service';
import { array, pipe, transform, union } from '../../../lib/vendor/zod';
import { endpointField, endpointIdOf } from './ids';
import { limitFields, listOptions, listOptionsOf } from './listOptions';
import { collection, plainText, flag, type InputItem } from './parameters';
import type { Operation, OperationRun } from './resource';

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
	const { first, last, read } = own ?? queryFilters(row.filters);
	return {
		name: 'Get Many',
		description: `Retrieve a list of ${row.about}. Takes ${isOfEndpoint ? 'an endpoint ID, ' : ''}a limit and filters and returns one item per ${row.name.toLowerCase()}.`,
		action: `Get many ${row.records}`,
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
			const simplified = simplifier(run, row.fields);
			const options = { ...listOptionsOf(run, query), ...wanted, ...ofEndpoint };
			const records = await Array.fromAsync(run.client.list(resource, options), simplified);
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

/** The filters of the table; only those with a value are sent. */
function queryFilters(filters: ListFilters | undefined): Filters {
	if (filters === undefined) return { read: () => ({}) };
	const schemas = Object.fromEntries(Object.keys(filters).map((name) => [name, filterValue]));
	const last = filtersField(
		Object.entries(filters).map(([name, [displayName, description]]) => ({
			displayName,
			name,
			type: 'string',
			default: '',
			description,
		})),
	);
	const read = (run: OperationRun) => {
		const given = Object.entries(collection(run, last, schemas));
		return {
			query: Object.fromEntries(given.flatMap(([name, value]) => (value ? [[name, value]] : []))),
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
const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** The function that turns the records of this item's list into output: simplified records all have the same fields. */
function simplifier(item: InputItem, shape: Shape): (record: ApiRecord) => ApiRecord {
	return flag(item, 'simplify', 'Simplify', true) ? flattener(shape) : (record) => record;
}
