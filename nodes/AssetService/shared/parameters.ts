/** Reads parameters, whose type an expression or an AI agent may have changed. */
import { NodeOperationError, type INodeProperties } from 'n8n-workflow';
import { asText } from '../../../lib/shared/values';
import {
	boolean,
	number,
	type output,
	parse,
	pipe,
	record,
	safeParse,
	string,
	stringbool,
	transform,
	union,
	unknown,
	type Schema,
} from '../../../lib/vendor/zod';
import type { OperationRun } from './resource';

/** An input item whose parameters are read. */
export type InputItem = Pick<OperationRun, 'context' | 'itemIndex'>;

/** Any value as trimmed text; empty if it cannot be text. */
export const text = pipe(unknown(), transform(asText));

/** A trimmed text, a number or a boolean as text; rejects everything else. */
export const plainText = pipe(
	union([string(), number(), boolean()]),
	transform((value: string | number | boolean) => asText(value)),
);

/** The parameter, parsed by the schema, which must accept every value. */
export function parameter<T>(
	{ context, itemIndex }: InputItem,
	name: string,
	schema: Schema<T>,
	fallback: unknown = '',
): T {
	return parse(schema, context.getNodeParameter(name, itemIndex, fallback));
}

/** A switch, or its text, as an expression or an AI agent may return it. The error names the field by its label. */
export function flag(item: InputItem, name: string, label: string, fallback: boolean): boolean {
	const parsed = safeParse(stringbool(), parameter(item, name, text, fallback));
	if (parsed.success) return parsed.data;
	throw parameterError(
		item,
		`'${label}' is neither true nor false`,
		`Turn '${label}' on or off, or use an expression that returns true or false.`,
	);
}

/** A text that must not be empty; the error names the field by its label. */
export function requiredText(item: InputItem, name: string, label: string): string {
	const value = parameter(item, name, text);
	if (value === '') throw parameterError(item, `'${label}' is empty`, `Fill in '${label}'.`);
	return value;
}

/**
 * The given fields of a collection, by their schemas; the errors name both by their labels. A value that a schema
 * rejects is an error, and so is an unknown field: without it, a filter would match everything.
 */
export function collection<S extends Record<string, Schema>>(
	item: InputItem,
	{ name, displayName, options = [] }: INodeProperties,
	schemas: S,
): { [K in keyof S]?: output<S[K]> } {
	const value = parameter(item, name, unknown(), {});
	const given = safeParse(record(string(), unknown()), value);
	if (!given.success) throw wrongKindError(item, displayName, value);
	const read: Record<string, unknown> = {};
	for (const [field, value] of Object.entries(given.data)) {
		const schema = Object.hasOwn(schemas, field) ? schemas[field] : undefined;
		if (schema === undefined) {
			const known = Object.keys(schemas).join(', ');
			throw parameterError(item, `'${displayName}' has no '${field}'`, `Use one of ${known}.`);
		}
		const parsed = safeParse(schema, value);
		const named = options.find((option) => option.name === field);
		const label = named && 'displayName' in named ? named.displayName : field;
		if (!parsed.success) throw wrongKindError(item, label, value);
		read[field] = parsed.data;
	}
	return read as { [K in keyof S]?: output<S[K]> };
}

/** The error for a value of a wrong kind, such as an object that an expression returns in place of a text. */
export function wrongKindError(item: InputItem, label: string, value: unknown): NodeOperationError {
	const kinds = { object: 'an object', undefined: 'empty' } as Readonly<Record<string, string>>;
	const other = kinds[typeof value] ?? `a ${typeof value}`;
	const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : other;
	return parameterError(
		item,
		`'${label}' cannot be ${kind}`,
		`Check the expression in '${label}'.`,
	);
}

/** The error for a parameter that a user has to correct. */
export function parameterError(
	{ context, itemIndex }: InputItem,
	message: string,
	description: string,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), message, { itemIndex, description });
}
