/** Reads parameters, whose type an expression or an AI agent may have changed. */
import { NodeOperationError } from 'n8n-workflow';
import { asText } from '../../../lib/shared/values';
import {
	array,
	parse,
	pipe,
	safeParse,
	stringbool,
	transform,
	union,
	unknown,
	type Schema,
} from '../../../lib/vendor/zod';
import type { Run } from '../resources/resource';

/** An input item, whose parameters count. */
export type InputItem = Pick<Run, 'context' | 'itemIndex'>;

/** Any value as a text without white space around it; what cannot be one is empty. */
export const text = pipe(unknown(), transform(asText));

/** A list of texts, each once and none empty; one text may hold several, separated by commas. */
export const texts = pipe(
	union([
		array(text),
		pipe(
			text,
			transform((list) => list.split(',').map(asText)),
		),
	]),
	transform((list) => [...new Set(list)].filter((entry) => entry !== '')),
);

/** The parameter as the schema has it. The schema must accept every value. */
export function parameter<T>(
	{ context, itemIndex }: InputItem,
	name: string,
	schema: Schema<T>,
	fallback: unknown = '',
): T {
	return parse(schema, context.getNodeParameter(name, itemIndex, fallback));
}

/** A switch, or the text of one as an expression or an AI agent gives it. The error names the field by its label. */
export function flag(item: InputItem, name: string, label: string, fallback: boolean): boolean {
	const parsed = safeParse(stringbool(), parameter(item, name, text, fallback));
	if (parsed.success) return parsed.data;
	throw parameterError(
		item,
		`${label} is neither true nor false.`,
		`Turn ${label} on or off, or have its expression give true or false.`,
	);
}

/** A text that must not be empty; the error names the field by its label. */
export function requiredText(item: InputItem, name: string, label: string): string {
	const value = parameter(item, name, text);
	if (value === '') throw parameterError(item, `${label} is empty.`, `Fill in ${label}.`);
	return value;
}

/** The error for a parameter that a person has to correct. */
export function parameterError(
	{ context, itemIndex }: InputItem,
	message: string,
	description: string,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), message, { itemIndex, description });
}
