/** Makes records flat, with the fields that people use. */
import type { INodeProperties } from 'n8n-workflow';
import type { ApiRecord, Shape } from '../../../lib/service';
import { isRecord } from '../../../lib/shared/values';
import { flag, type InputItem } from './parameters';

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** The function that turns the records of this item's list into output: simplified records all have the same fields. */
export function simplifier(item: InputItem, shape: Shape): (record: ApiRecord) => ApiRecord {
	return flag(item, 'simplify', 'Simplify', true) ? flattener(shape) : (record) => record;
}

/** A function that makes records flat. A record with none of the fields is returned unchanged. */
export function flattener(shape: Shape): (record: ApiRecord) => ApiRecord {
	const fields = Object.entries(shape).map(
		([name, paths]) => [name, paths.map((path) => path.split('.'))] as const,
	);
	return (record) => {
		const flat: ApiRecord = {};
		let isEmpty = true;
		for (const [name, paths] of fields) {
			const found = paths.map((path) => valueAt(record, path)).find((value) => value !== undefined);
			if (found !== undefined) isEmpty = false;
			// n8n's table shows `undefined` for a field that only other items have.
			flat[name] = found ?? null;
		}
		return isEmpty ? record : flat;
	};
}

/** The text, number, boolean or null at the path; a list has `length`, and `last` is its last entry. */
function valueAt(record: ApiRecord, path: readonly string[]): unknown {
	let value: unknown = record;
	for (const name of path) {
		if (Array.isArray(value) && name === 'length') value = value.length;
		else if (Array.isArray(value) && name === 'last') value = value.at(-1);
		else if (isRecord(value) && Object.hasOwn(value, name)) value = value[name];
		else return undefined;
	}
	return typeof value === 'object' && value !== null ? undefined : value;
}
