/** The parameter that makes records flat. */
import type { INodeProperties } from 'n8n-workflow';
import { type ApiRecord, flattener, type Shape } from '../../../lib/service';
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
