/** Makes records of a list flat, with the fields that people use. */
import { own } from '../../shared/values';
import type { Shape } from '../common/lists';
import type { ApiRecord } from '../common/types';

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
		value = Array.isArray(value) && name === 'last' ? value.at(-1) : own(value, name);
	}
	return typeof value === 'object' && value !== null ? undefined : value;
}
