/** The JSON schema of values, in the format of n8n's `__schema__` folders. */
import { isRecord } from '../../lib/shared/values';

export interface Schema {
	readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';
	/** Of an object, in the order in which the fields first appeared. */
	readonly properties?: Readonly<Record<string, Schema>>;
	/** Of an array with entries. */
	readonly items?: Schema;
}

/** A schema for all of the values, which must have one kind, apart from null. */
export function schemaOf(values: readonly unknown[]): Schema {
	const known = values.filter((value) => value !== null && value !== undefined);
	const kinds = new Set(known.map(kindOf));
	if (kinds.has('number')) kinds.delete('integer');
	const [type = 'null', ...others] = kinds;
	if (others.length > 0) throw new Error(`Values are of several kinds: ${[...kinds].join(', ')}.`);
	if (type === 'object') {
		const records = known.filter(isRecord);
		const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
		const properties = names.map((name) => [name, schemaOf(records.map((each) => each[name]))]);
		return { type, properties: Object.fromEntries(properties) as Record<string, Schema> };
	}
	const entries = known.flatMap((value): unknown[] => (Array.isArray(value) ? value : []));
	return { type, ...(entries.length > 0 && { items: schemaOf(entries) }) };
}

function kindOf(value: unknown): Schema['type'] {
	if (Array.isArray(value)) return 'array';
	if (isRecord(value)) return 'object';
	if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
	if (typeof value === 'string' || typeof value === 'boolean') {
		return typeof value === 'string' ? 'string' : 'boolean';
	}
	throw new TypeError(`JSON has no ${typeof value}.`);
}
